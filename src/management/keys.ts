import { createHash, randomBytes } from 'node:crypto';
import type { Environment, Region } from '../platform/tenant.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_BYTES = 32;
/** 62^43 is the first power that holds 32 bytes. */
const LENGTH = 43;

/** 32 random bytes in base62. */
function randomPart(): string {
  let number = BigInt(`0x${randomBytes(RANDOM_BYTES).toString('hex')}`);
  let text = '';
  for (let place = 0; place < LENGTH; place += 1) {
    text = ALPHABET.charAt(Number(number % 62n)) + text;
    number /= 62n;
  }
  return text;
}

/** A new team key, as `sk_us_...` for sandbox and `pk_us_...` for production. */
export const newTeamKey = (environment: Environment, region: Region): string =>
  `${environment === 'sandbox' ? 'sk' : 'pk'}_${region}_${randomPart()}`;

export const newManagementKey = (): string => `mg_${randomPart()}`;

/** What opens the data of a team in an emergency. */
export const newOpeningToken = (): string => `bg_${randomPart()}`;

/** Longer than any key: what strangers send is remembered for a moment, and must not fill the memory. */
const LENGTH_MAX = 512;

export const isTeamKey = (value: string): boolean =>
  value.length <= LENGTH_MAX && /^[sp]k_(us|eu)_\w+$/.test(value);
export const isOpeningToken = (value: string): boolean =>
  value.length <= LENGTH_MAX && /^bg_\w+$/.test(value);
export const isManagementKey = (value: string): boolean =>
  value.length <= LENGTH_MAX && /^mg_\w+$/.test(value);

/** What is stored of a key: never the key, which has so much randomness that a plain digest is enough. */
export const digestOf = (value: string): Buffer => createHash('sha256').update(value).digest();

const VISIBLE = 4;

/** The part that may be shown, so that a person can tell one key from another. */
export function prefixOf(value: string): string {
  const [kind = ''] = /^([sp]k_(us|eu)_|mg_)/.exec(value) ?? [];
  return value.slice(0, kind.length + VISIBLE);
}

/** How a key looks in a list. */
export const masked = (prefix: string): string => `${prefix}${'*'.repeat(8)}`;
