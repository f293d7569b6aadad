import { randomBytes } from 'node:crypto';

const PIECES_AT_ONCE = 512;

/**
 * Hands out pieces of so many random bytes, each of them once. Asking for randomness costs as much as what is done with
 * it, so that many are drawn at a time: for nonces and ids, which are no secret, and not for keys.
 */
export function randomPieces(bytes: number): () => Buffer {
  let drawn = Buffer.alloc(0);
  let used = 0;
  return () => {
    if (used >= drawn.length) [drawn, used] = [randomBytes(PIECES_AT_ONCE * bytes), 0];
    used += bytes;
    return drawn.subarray(used - bytes, used);
  };
}
