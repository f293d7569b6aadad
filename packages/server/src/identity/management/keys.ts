import { randomBytes } from 'node:crypto';
import type { Environment, Region } from '../../platform/tenant.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_BYTES = 32;
/** 62^43 is the smallest power of 62 above 2^256. */
const SECRET_LENGTH = 43;

/** 32 random bytes in base62. */
function newSecret(): string {
  let number = BigInt(`0x${randomBytes(RANDOM_BYTES).toString('hex')}`);
  let text = '';
  for (let place = 0; place < SECRET_LENGTH; place += 1) {
    text = ALPHABET.charAt(Number(number % 62n)) + text;
    number /= 62n;
  }
  return text;
}

/** A new team key, for example `sk_us_...` for sandbox and `pk_us_...` for production. */
export const newTeamKey = (environment: Environment, region: Region): string =>
  `${environment === 'sandbox' ? 'sk' : 'pk'}_${region}_${newSecret()}`;

export const newManagementKey = (): string => `mg_${newSecret()}`;

/** A token for break-glass access. */
export const newOpeningToken = (): string => `bg_${newSecret()}`;

/** Longer than any key. Bounds the memory, because unknown keys are cached too. */
const LENGTH_MAX = 512;

export const isTeamKey = (value: string): boolean =>
  value.length <= LENGTH_MAX && /^[sp]k_(us|eu)_\w+$/.test(value);
export const isOpeningToken = (value: string): boolean =>
  value.length <= LENGTH_MAX && /^bg_\w+$/.test(value);
export const isManagementKey = (value: string): boolean =>
  value.length <= LENGTH_MAX && /^mg_\w+$/.test(value);

const VISIBLE_CHARACTERS = 4;

/** The part of a key that may be shown to distinguish it from others: the kind and four characters of the secret. */
export function visiblePrefixOf(value: string): string {
  const [kind = ''] = /^([sp]k_(us|eu)_|mg_)/.exec(value) ?? [];
  return value.slice(0, kind.length + VISIBLE_CHARACTERS);
}

/** The masked form of a key in lists. */
export const maskKey = (prefix: string): string => `${prefix}${'*'.repeat(8)}`;
