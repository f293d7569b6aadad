import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { HOUR, later } from '../../platform/clock.ts';
import type { TenantCipher } from '../../platform/crypto/cipher.ts';
import { DomainError } from '../../platform/errors.ts';
import { PREFIX } from './signing/key.ts';

const NEW_BYTES = 32;
const SHORTEST_BYTES = 24;
const LONGEST_BYTES = 75;
const OVERLAP_MS = 24 * HOUR;
const OVERLAPPING_MAX = 10;
const PLACE = 'webhook_endpoint.secrets';

const StoredSecrets = z.object({
  current: z.string(),
  previous: z.array(z.object({ key: z.string(), valid_until: z.coerce.date() })),
});

/** The secret of an endpoint, and earlier ones that still sign, each until a tenant timestamp. */
export type Secrets = z.output<typeof StoredSecrets>;

export const newSecret = (): string => PREFIX + randomBytes(NEW_BYTES).toString('base64');

export const firstSecrets = (key: string): Secrets => ({ current: key, previous: [] });

/** The key in its full form, or undefined if it is not 24 to 75 bytes in base64. */
export function readSecret(given: string): string | undefined {
  const text = given.startsWith(PREFIX) ? given.slice(PREFIX.length) : given;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.replace(/=+$/, '').length % 4 === 1) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length >= SHORTEST_BYTES && bytes.length <= LONGEST_BYTES
    ? PREFIX + bytes.toString('base64')
    : undefined;
}

/** Makes a new key current; the previous one also signs for another 24 hours. */
export function addSecret({ current, previous }: Secrets, key: string, now: Date): Secrets {
  const kept = [{ key: current, valid_until: later(now, OVERLAP_MS) }, ...previous].filter(
    (old) => old.valid_until > now && old.key !== key,
  );
  if (kept.length > OVERLAPPING_MAX) {
    throw new DomainError(
      'bad_request',
      `The secret was rotated more than ${OVERLAPPING_MAX} times within 24 hours`,
    );
  }
  return { current: key, previous: kept };
}

/** The keys that sign at this tenant time, newest first. */
export const signingKeys = ({ current, previous }: Secrets, now: Date): string[] =>
  previous.length === 0
    ? [current]
    : [current, ...previous.filter(({ valid_until }) => valid_until > now).map(({ key }) => key)];

export const sealSecrets = (cipher: TenantCipher, secrets: Secrets): Buffer =>
  cipher.seal(JSON.stringify(secrets), PLACE);

export const openSecrets = (cipher: TenantCipher, sealed: Buffer): Secrets =>
  StoredSecrets.parse(JSON.parse(cipher.open(sealed, PLACE)));
