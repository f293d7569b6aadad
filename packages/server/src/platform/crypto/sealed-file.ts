import { generationOf, UNIQUE_PREFIX_BYTES, type TenantCipher } from './cipher.ts';

/**
 * A sealed file is a sequence of chunks, each preceded by its length in four bytes. Every chunk is sealed separately,
 * together with the name of the file, its own number and whether it is the last one. A chunk that is lost, duplicated,
 * moved, or taken from another file or tenant does not open, nor does a truncated file.
 */
const CHUNK_BYTES = 64 * 1024;
const LENGTH_BYTES = 4;
/** The maximum length of a sealed chunk. */
const SEALED_CHUNK_BYTES_MAX = CHUNK_BYTES + 64;

export interface SealedFileContext {
  readonly cipher: Pick<TenantCipher, 'sealChunk' | 'openChunk'>;
  readonly name: string;
}

/** Seals bytes as they arrive. Holds at most one chunk and the latest input in memory. */
export async function* sealFile(
  place: SealedFileContext,
  bytes: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  let number = 0;
  let waiting = Buffer.alloc(0);
  for await (const some of bytes) {
    waiting = Buffer.concat([waiting, some]);
    // The last chunk is only known at the end, so one is always held back.
    while (waiting.length > CHUNK_BYTES) {
      yield sealChunk(place, waiting.subarray(0, CHUNK_BYTES), { number, isLast: false });
      waiting = waiting.subarray(CHUNK_BYTES);
      number += 1;
    }
  }
  yield sealChunk(place, waiting, { number, isLast: true });
}

/** Throws if a single bit differs, possibly only at the end: do not use the output before all of it has arrived. */
export async function* openFile(
  place: SealedFileContext,
  bytes: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  let number = 0;
  let waiting = Buffer.alloc(0);
  for await (const some of bytes) {
    waiting = Buffer.concat([waiting, some]);
    for (let end = chunkEnd(waiting); end !== undefined && end < waiting.length; end = chunkEnd(waiting)) {
      yield place.cipher.openChunk(
        waiting.subarray(LENGTH_BYTES, end),
        chunkContext(place, { number, isLast: false }),
      );
      waiting = waiting.subarray(end);
      number += 1;
    }
  }
  if (chunkEnd(waiting) !== waiting.length) throw new Error('The sealed file is truncated');
  yield place.cipher.openChunk(waiting.subarray(LENGTH_BYTES), chunkContext(place, { number, isLast: true }));
}

/** The generation of the key that sealed a file; undefined while there are too few bytes. */
export const generationOfFile = (bytes: Buffer): number | undefined =>
  bytes.length < LENGTH_BYTES + UNIQUE_PREFIX_BYTES + 2
    ? undefined
    : generationOf(bytes.subarray(LENGTH_BYTES));

interface FileChunk {
  readonly number: number;
  readonly isLast: boolean;
}

const chunkContext = ({ name }: SealedFileContext, { number, isLast }: FileChunk): string =>
  `file/${name}/${number}/${isLast ? 'last' : 'more'}`;

function sealChunk(place: SealedFileContext, plain: Buffer, piece: FileChunk): Buffer {
  const bytes = place.cipher.sealChunk(plain, chunkContext(place, piece));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** The end of the first chunk, once its length is available. */
function chunkEnd(bytes: Buffer): number | undefined {
  if (bytes.length < LENGTH_BYTES) return undefined;
  const length = bytes.readUInt32BE(0);
  if (length > SEALED_CHUNK_BYTES_MAX) throw new Error('Not a sealed file');
  return LENGTH_BYTES + length;
}
