import { inflateSync } from 'node:zlib';

const WOFF_HEAD = 44;
const WOFF_ENTRY = 20;
const SFNT_HEAD = 12;
const SFNT_ENTRY = 16;

/**
 * Extracts the TrueType font of a WOFF file (W3C, WOFF File Format 1.0): the same tables, uncompressed. The font
 * library reads both, but inflates a WOFF table again for every glyph.
 */
export function unpackWoff(woff: Buffer): Buffer {
  if (woff.toString('latin1', 0, 4) !== 'wOFF') throw new Error('Not a WOFF file');
  const count = woff.readUInt16BE(12);
  const sfnt = Buffer.alloc(woff.readUInt32BE(16));
  woff.copy(sfnt, 0, 4, 8);
  writeSearchRange(sfnt, count);
  let at = SFNT_HEAD + SFNT_ENTRY * count;
  for (let index = 0; index < count; index += 1) {
    const entry = WOFF_HEAD + WOFF_ENTRY * index;
    const [offset, packed, length] = [4, 8, 12].map((place) => woff.readUInt32BE(entry + place));
    if (offset === undefined || packed === undefined || length === undefined) continue;
    const bytes = woff.subarray(offset, offset + packed);
    (packed < length ? inflateSync(bytes) : bytes).copy(sfnt, at);
    const place = SFNT_HEAD + SFNT_ENTRY * index;
    woff.copy(sfnt, place, entry, entry + 4);
    woff.copy(sfnt, place + 4, entry + 16, entry + 20);
    sfnt.writeUInt32BE(at, place + 8);
    sfnt.writeUInt32BE(length, place + 12);
    at += Math.ceil(length / 4) * 4;
  }
  return sfnt;
}

function writeSearchRange(sfnt: Buffer, count: number): void {
  const selector = Math.floor(Math.log2(count));
  sfnt.writeUInt16BE(count, 4);
  sfnt.writeUInt16BE(2 ** selector * SFNT_ENTRY, 6);
  sfnt.writeUInt16BE(selector, 8);
  sfnt.writeUInt16BE((count - 2 ** selector) * SFNT_ENTRY, 10);
}
