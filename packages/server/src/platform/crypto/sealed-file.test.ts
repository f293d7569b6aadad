import { describe, expect, it } from 'vitest';
import { initialDataKeys, tenantCipher } from './cipher.ts';
import { openFile, sealFile } from './sealed-file.ts';

const cipher = tenantCipher(initialDataKeys(Buffer.alloc(32, 1)), 'team/sandbox');
const place = { cipher, name: 'one' };

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function all(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const got: Buffer[] = [];
  for await (const piece of bytes) got.push(piece);
  return Buffer.concat(got);
}

const PIECE = 64 * 1024;
const plain = Buffer.from(Array.from({ length: 3 * PIECE + 5 }, (_, at) => (at * 7) % 251));
const seal = (bytes: Buffer, where = place) => all(sealFile(where, cut(bytes, 10_000)));
const open = (bytes: Buffer, where = place) => all(openFile(where, cut(bytes, 50_001)));

/** The start and end of the second chunk. */
function secondOf(sealed: Buffer): [number, number] {
  const begin = 4 + sealed.readUInt32BE(0);
  return [begin, begin + 4 + sealed.readUInt32BE(begin)];
}

describe('a sealed file', () => {
  it.each([0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 3 * PIECE + 5])(
    'of %i bytes opens again',
    async (length) => {
      const bytes = plain.subarray(0, length);
      const sealed = await seal(bytes);
      expect((await open(sealed)).equals(bytes)).toBe(true);
      expect(length < 20 || !sealed.includes(bytes.subarray(0, 20))).toBe(true);
    },
  );

  const [begin, end] = [(sealed: Buffer) => secondOf(sealed)[0], (sealed: Buffer) => secondOf(sealed)[1]];
  // prettier-ignore
  const harms: [string, (sealed: Buffer) => Buffer][] = [
    ['a bit is changed',            (sealed) => { const other = Buffer.from(sealed); other[100] = (other[100] ?? 0) ^ 1; return other; }],
    ['its last byte is missing',    (sealed) => sealed.subarray(0, -1)],
    ['it is cut between pieces',    (sealed) => sealed.subarray(0, end(sealed))],
    ['a piece is missing',          (sealed) => Buffer.concat([sealed.subarray(0, begin(sealed)), sealed.subarray(end(sealed))])],
    ['a piece is there twice',      (sealed) => Buffer.concat([sealed.subarray(0, end(sealed)), sealed.subarray(begin(sealed))])],
    ['something is behind it',      (sealed) => Buffer.concat([sealed, Buffer.from('more')])],
    ['it is empty',                 () => Buffer.alloc(0)],
    ['it is something else',        () => Buffer.alloc(2000, 255)],
  ];
  it.each(harms)('does not open when %s', async (_what, harm) => {
    await expect(open(harm(await seal(plain)))).rejects.toThrow();
  });

  it('does not open under another name or for another tenant', async () => {
    const sealed = await seal(plain);
    await expect(open(sealed, { cipher, name: 'two' })).rejects.toThrow();
    const stranger = tenantCipher(initialDataKeys(Buffer.alloc(32, 1)), 'other/sandbox');
    await expect(open(sealed, { cipher: stranger, name: 'one' })).rejects.toThrow();
  });
});
