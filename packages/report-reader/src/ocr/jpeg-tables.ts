/** Validates the tables of a JPEG, segment by segment. */
interface JpegTableChecker {
  /** The fault of a segment, or undefined. Call it with the segments in file order. */
  findFault(marker: number, body: Buffer): string | undefined;
}

interface JpegComponent {
  readonly id: number;
  readonly blocks: number;
  readonly quantization: number;
}

interface JpegFrame {
  readonly isProgressive: boolean;
  readonly components: readonly JpegComponent[];
}

const TABLES_MAX = 4;
const COMPONENTS_MAX = 4;
const BLOCKS_MAX = 10;

/**
 * Checks the tables that a decoder is set up with (ITU-T T.81, annex B). The native decoder crashes its process on an
 * inconsistent table, or on a scan that refers to a missing one. Corrupt entropy-coded data is harmless.
 */
export function createJpegTableChecker(): JpegTableChecker {
  const quantization = new Set<number>();
  const huffman = new Set<number>();
  let frame: JpegFrame | undefined;
  return {
    findFault: (marker, body) => {
      if (marker === 0xdb) return readQuantization(body, quantization);
      if (marker === 0xc4) return readHuffman(body, huffman);
      if (marker === 0xdd) return body.length === 2 ? undefined : 'a restart interval of the wrong length';
      if (FRAME_MARKERS.has(marker)) {
        const read = frame === undefined ? parseFrame(marker, body) : undefined;
        frame ??= read;
        return read ? undefined : 'an inconsistent frame header';
      }
      if (marker !== 0xda) return isSkippedSegment(marker) ? undefined : 'an unsupported segment';
      return frame && isValidScan(frame, body, { quantization, huffman })
        ? undefined
        : 'a scan that does not match the frame';
    },
  };
}

/** Baseline, extended and progressive frames; page images use no others. */
const FRAME_MARKERS = new Set([0xc0, 0xc1, 0xc2]);

/** APPn, COM, DAC and DNL segments, which are skipped. */
const isSkippedSegment = (marker: number): boolean =>
  (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe || marker === 0xcc || marker === 0xdc;

function readQuantization(body: Buffer, known: Set<number>): string | undefined {
  for (let at = 0; at < body.length;) {
    const [precision, id] = nibbles(body[at]);
    at += 1 + 64 * (precision + 1);
    if (precision > 1 || id >= TABLES_MAX || at > body.length) return 'a damaged quantization table';
    known.add(id);
  }
  return undefined;
}

const LENGTHS = 16;
const SYMBOLS_MAX = 256;
const DC_SYMBOL_MAX = 15;

function readHuffman(body: Buffer, known: Set<number>): string | undefined {
  for (let at = 0; at < body.length;) {
    const [kind, id] = nibbles(body[at]);
    const counts = body.subarray(at + 1, at + 1 + LENGTHS);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const symbols = body.subarray(at + 1 + LENGTHS, at + 1 + LENGTHS + total);
    at += 1 + LENGTHS + total;
    const isWhole = counts.length === LENGTHS && symbols.length === total && total <= SYMBOLS_MAX;
    const isKnown = kind === 1 || (kind === 0 && symbols.every((symbol) => symbol <= DC_SYMBOL_MAX));
    if (!isWhole || !isKnown || id >= TABLES_MAX || !hasValidCodeLengths(counts))
      return 'a damaged Huffman table';
    known.add(kind * TABLES_MAX + id);
  }
  return undefined;
}

/** Whether the code lengths form a valid prefix code, with no code of all ones. */
function hasValidCodeLengths(counts: Buffer): boolean {
  let code = 0;
  for (const [index, count] of counts.entries()) {
    code += count;
    if (count > 0 && code >= 2 ** (index + 1)) return false;
    code *= 2;
  }
  return true;
}

function parseFrame(marker: number, body: Buffer): JpegFrame | undefined {
  const count = body[5] ?? 0;
  if (body[0] !== 8 || count < 1 || count > COMPONENTS_MAX || body.length !== 6 + 3 * count) return undefined;
  const components = Array.from({ length: count }, (_, index) => {
    const [id = 0, sampling, quantization = 0] = body.subarray(6 + 3 * index, 9 + 3 * index);
    const [across, down] = nibbles(sampling);
    const isSampled = across >= 1 && across <= 4 && down >= 1 && down <= 4;
    return { id, quantization, blocks: isSampled ? across * down : 0 };
  });
  const isSound = components.every(({ blocks, quantization }) => blocks > 0 && quantization < TABLES_MAX);
  return isSound ? { isProgressive: marker === 0xc2, components } : undefined;
}

interface DefinedJpegTables {
  readonly quantization: ReadonlySet<number>;
  readonly huffman: ReadonlySet<number>;
}

function isValidScan(
  { isProgressive, components }: JpegFrame,
  body: Buffer,
  known: DefinedJpegTables,
): boolean {
  const count = body[0] ?? 0;
  if (count < 1 || count > COMPONENTS_MAX || body.length !== 4 + 2 * count) return false;
  const [start = 0, end = 0, bits] = body.subarray(1 + 2 * count);
  const [high, low] = nibbles(bits);
  if (isProgressive && !isValidProgressiveScan({ start, end, high, low, count })) return false;
  const needsDc = !isProgressive || (start === 0 && high === 0);
  const needsAc = !isProgressive || start > 0;
  const ids = new Set<number>();
  let blocks = 0;
  for (let at = 1; at < 1 + 2 * count; at += 2) {
    const component = components.find(({ id }) => id === body[at]);
    const [dc, ac] = nibbles(body[at + 1]);
    const hasDc = !needsDc || (dc < TABLES_MAX && known.huffman.has(dc));
    const hasAc = !needsAc || (ac < TABLES_MAX && known.huffman.has(TABLES_MAX + ac));
    const hasTables = hasDc && hasAc;
    if (!component || !hasTables || !known.quantization.has(component.quantization)) return false;
    ids.add(component.id);
    blocks += component.blocks;
  }
  return ids.size === count && (count === 1 || blocks <= BLOCKS_MAX);
}

interface ProgressiveScan {
  readonly start: number;
  readonly end: number;
  readonly high: number;
  readonly low: number;
  readonly count: number;
}

/** Whether the spectral selection and successive approximation of a progressive scan are valid. */
const isValidProgressiveScan = ({ start, end, high, low, count }: ProgressiveScan): boolean =>
  (start === 0 ? end === 0 : end >= start && end <= 63 && count === 1) &&
  (high === 0 || low === high - 1) &&
  low <= 13;

const nibbles = (byte = 0): readonly [number, number] => [byte >> 4, byte & 15];
