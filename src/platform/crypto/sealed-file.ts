import { generationOf, TELLING_BYTES, type TenantCipher } from './cipher.ts';

/**
 * A sealed file is a list of pieces, each with its length in four bytes before it. Every piece is sealed by itself,
 * together with the name of the file, its own number and whether it is the last one: a piece that is lost, doubled,
 * moved, or taken from another file or tenant does not open, nor does a file that was cut off.
 */
const PIECE_BYTES = 64 * 1024;
const LENGTH_BYTES = 4;
/** No sealed piece is longer. */
const SEALED_PIECE_BYTES_MAX = PIECE_BYTES + 64;

export interface FilePlace {
  readonly cipher: Pick<TenantCipher, 'sealPiece' | 'openPiece'>;
  readonly name: string;
}

/** Seals bytes as they come; holds no more than a piece and what came last. */
export async function* sealFile(place: FilePlace, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let number = 0;
  let waiting = Buffer.alloc(0);
  for await (const some of bytes) {
    waiting = Buffer.concat([waiting, some]);
    // The last piece is known as such only at the end, so one is always kept back.
    while (waiting.length > PIECE_BYTES) {
      yield sealed(place, waiting.subarray(0, PIECE_BYTES), { number, isLast: false });
      waiting = waiting.subarray(PIECE_BYTES);
      number += 1;
    }
  }
  yield sealed(place, waiting, { number, isLast: true });
}

/** Throws when a single bit differs, at the end too: what came before is to be used only when all of it came. */
export async function* openFile(place: FilePlace, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let number = 0;
  let waiting = Buffer.alloc(0);
  for await (const some of bytes) {
    waiting = Buffer.concat([waiting, some]);
    for (
      let end = endOfPiece(waiting);
      end !== undefined && end < waiting.length;
      end = endOfPiece(waiting)
    ) {
      yield place.cipher.openPiece(
        waiting.subarray(LENGTH_BYTES, end),
        nameOf(place, { number, isLast: false }),
      );
      waiting = waiting.subarray(end);
      number += 1;
    }
  }
  if (endOfPiece(waiting) !== waiting.length) throw new Error('The sealed file is cut off');
  yield place.cipher.openPiece(waiting.subarray(LENGTH_BYTES), nameOf(place, { number, isLast: true }));
}

/** The generation of the key that sealed a file, as soon as there are bytes enough to tell. */
export const generationOfFile = (bytes: Buffer): number | undefined =>
  bytes.length < LENGTH_BYTES + TELLING_BYTES + 2 ? undefined : generationOf(bytes.subarray(LENGTH_BYTES));

interface Piece {
  readonly number: number;
  readonly isLast: boolean;
}

const nameOf = ({ name }: FilePlace, { number, isLast }: Piece): string =>
  `file/${name}/${number}/${isLast ? 'last' : 'more'}`;

function sealed(place: FilePlace, plain: Buffer, piece: Piece): Buffer {
  const bytes = place.cipher.sealPiece(plain, nameOf(place, piece));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Where the first piece of these bytes ends, once its length is there. */
function endOfPiece(bytes: Buffer): number | undefined {
  if (bytes.length < LENGTH_BYTES) return undefined;
  const length = bytes.readUInt32BE(0);
  if (length > SEALED_PIECE_BYTES_MAX) throw new Error('Not a sealed file');
  return LENGTH_BYTES + length;
}
