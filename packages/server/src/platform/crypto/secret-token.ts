import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;

/** 256 random bits in base64url. */
export const newSecretToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** The digest that is stored instead of a key or token. It has 256 random bits, so a plain SHA-256 is sufficient. */
export const digestToken = (token: string): Buffer => createHash('sha256').update(token).digest();
