import { createHash } from 'node:crypto';

/** Crockford's base 32: without letters that look or sound like digits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 14;

/**
 * The placer number of an order: 14 letters and digits derived from the order id, so that retries use the same number.
 * With 70 bits, the chance of a collision among a million orders is one in two billion.
 */
export function createPlacerNumber(orderId: string): string {
  const digest = createHash('sha256').update(orderId).digest();
  return Array.from({ length: LENGTH }, (_, index) => ALPHABET[readBits(digest, index * 5)]).join('');
}

const readBits = (digest: Buffer, bit: number): number =>
  (digest.readUInt16BE(bit >> 3) >> (11 - (bit & 7))) & 31;
