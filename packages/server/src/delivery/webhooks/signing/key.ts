import { LRUCache } from 'lru-cache';

export const PREFIX = 'whsec_';

const read = new LRUCache<string, Buffer>({ max: 1000 });

/** The bytes of a signing key, cached because each key signs many messages. */
export function secretBytes(key: string): Buffer {
  const known = read.get(key);
  if (known) return known;
  const bytes = Buffer.from(key.slice(PREFIX.length), 'base64');
  read.set(key, bytes);
  return bytes;
}
