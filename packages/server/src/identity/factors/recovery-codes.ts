import { createHash, randomBytes } from 'node:crypto';
import type { App } from '../../app.ts';
import type { Tx } from '../../platform/db/database.ts';
import * as store from './recovery-code-store.ts';

const CODES = 10;
const CODE_BYTES = 10;
/** Crockford's base32: without letters that look like digits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** 80 random bits as `xxxx-xxxx-xxxx-xxxx`. */
function newCode(): string {
  const bits = [...randomBytes(CODE_BYTES)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = (bits.match(/.{5}/g) ?? []).map((five) => ALPHABET.charAt(Number.parseInt(five, 2)));
  return (letters.join('').match(/.{4}/g) ?? []).join('-');
}

/**
 * How a code is stored. It has 80 random bits, which nobody tries out, so a plain SHA-256 is sufficient. Hyphens, spaces
 * and upper case make no difference.
 */
const digestOf = (memberId: string, code: string): Buffer =>
  createHash('sha256')
    .update(`${memberId}/${code.toLowerCase().replaceAll(/[\s-]/g, '')}`)
    .digest();

/** Replaces the recovery codes of a member by ten new ones. They are stored as digests only: show them once. */
export async function createRecoveryCodes(app: App, tx: Tx, memberId: string): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode);
  const digests = codes.map((code) => digestOf(memberId, code));
  await store.replaceRecoveryCodes(tx, memberId, { digests, at: app.clock.now() });
  return codes;
}

/** Uses up a recovery code. False for a wrong one, and for one that was used before. */
export const consumeRecoveryCode = (
  app: App,
  tx: Tx,
  { memberId, code }: { memberId: string; code: string },
): Promise<boolean> =>
  store.useRecoveryCode(tx, { memberId, digest: digestOf(memberId, code), at: app.clock.now() });
