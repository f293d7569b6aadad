import { createHash } from 'node:crypto';

/** Without letters that are taken for digits, on paper and over the telephone. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 14;

/**
 * How we name an order to a laboratory: 14 letters and digits that follow from the order's id, so that asking twice
 * names it the same. 70 bits: among a million orders two are alike with a chance of one in two billion.
 */
export function placerNumber(orderId: string): string {
  const digest = createHash('sha256').update(orderId).digest();
  return Array.from({ length: LENGTH }, (_, index) => ALPHABET[bitsAt(digest, index * 5)]).join('');
}

const bitsAt = (digest: Buffer, bit: number): number =>
  (digest.readUInt16BE(bit >> 3) >> (11 - (bit & 7))) & 31;
