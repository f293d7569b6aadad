import { createCipheriv, createDecipheriv } from 'node:crypto';

/** AES without chaining: an id is one block, and no two ids are of the same position. */
const CIPHER = 'aes-256-ecb';
const BLOCK_BYTES = 16;
const PADDING = Buffer.alloc(8);

/** Turns positions in the access log into the ids that callers see, and back. */
export interface EntryIds {
  toId(position: number): string;
  /** Undefined for a text that is no id of this key. */
  toPosition(id: string): number | undefined;
}

/**
 * The positions of all tenants come from one sequence, so the distance of two of them tells how much the others do. An
 * id is the position as one encrypted block, under a key of its tenant: the same position always has the same id.
 */
export const openPositionCipher = (key: Buffer): EntryIds => ({
  toId: (position) => {
    const cipher = createCipheriv(CIPHER, key, null).setAutoPadding(false);
    const block = Buffer.concat([Buffer.alloc(8), PADDING]);
    block.writeBigUInt64BE(BigInt(position));
    return Buffer.concat([cipher.update(block), cipher.final()]).toString('hex');
  },
  toPosition: (id) => {
    const block = Buffer.from(id, 'hex');
    if (block.length !== BLOCK_BYTES) return undefined;
    const decipher = createDecipheriv(CIPHER, key, null).setAutoPadding(false);
    const opened = Buffer.concat([decipher.update(block), decipher.final()]);
    return opened.subarray(8).equals(PADDING) ? Number(opened.readBigUInt64BE()) : undefined;
  },
});
