import { randomBytes } from 'node:crypto';

const PIECES_AT_ONCE = 512;

/**
 * Returns a function that returns fresh random buffers of the given size. Bytes are drawn in bulk, because a call to
 * the random generator costs as much as using the result. For nonces and ids, which are not secret; not for keys.
 */
export function pooledRandomBytes(bytes: number): () => Buffer {
  let drawn = Buffer.alloc(0);
  let used = 0;
  return () => {
    if (used >= drawn.length) [drawn, used] = [randomBytes(PIECES_AT_ONCE * bytes), 0];
    used += bytes;
    return drawn.subarray(used - bytes, used);
  };
}
