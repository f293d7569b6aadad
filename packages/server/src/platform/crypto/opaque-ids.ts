import { createCipheriv, createDecipheriv } from 'node:crypto';

/** AES without chaining: an id is one block, and no two ids are of the same numbers. */
const CIPHER = 'aes-256-ecb';
const BLOCK_BYTES = 16;
const HALF_BYTES = 8;

/** Turns two numbers into an id that tells nothing about them, and back. The same numbers have the same id. */
interface OpaqueIds {
  seal(first: number, second: number): string;
  /** Undefined for a text that has not the form of an id. Any text of this form opens, to numbers that may mean nothing. */
  open(id: string): { first: bigint; second: bigint } | undefined;
}

export const openOpaqueIds = (key: Buffer): OpaqueIds => ({
  seal: (first, second) => {
    const cipher = createCipheriv(CIPHER, key, null).setAutoPadding(false);
    const block = Buffer.alloc(BLOCK_BYTES);
    block.writeBigUInt64BE(BigInt(first));
    block.writeBigUInt64BE(BigInt(second), HALF_BYTES);
    return Buffer.concat([cipher.update(block), cipher.final()]).toString('hex');
  },
  open: (id) => {
    const block = Buffer.from(id, 'hex');
    if (block.length !== BLOCK_BYTES) return undefined;
    const decipher = createDecipheriv(CIPHER, key, null).setAutoPadding(false);
    const opened = Buffer.concat([decipher.update(block), decipher.final()]);
    return { first: opened.readBigUInt64BE(), second: opened.readBigUInt64BE(HALF_BYTES) };
  },
});
