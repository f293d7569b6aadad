import { createHmac, timingSafeEqual } from 'node:crypto';
import type { NewsAnswer, ProviderApplication } from './port.ts';

interface Signed {
  readonly algorithm: 'sha1' | 'sha256';
  readonly key: string;
  readonly parts: readonly (string | Buffer)[];
  readonly encoding: 'hex' | 'base64' | 'base64url';
}

export function signatureOf({ algorithm, key, parts, encoding }: Signed): string {
  const hmac = createHmac(algorithm, key);
  for (const part of parts) hmac.update(part);
  return hmac.digest(encoding);
}

/** How long it takes says nothing about the right text. */
export function sameText(given: string | undefined, expected: string): boolean {
  const one = Buffer.from(given ?? '');
  const other = Buffer.from(expected);
  return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * What a provider repeats that does not sign: made of the client secret, so that it has to be kept nowhere and changes
 * with the secret.
 */
export const newsToken = ({ clientSecret }: ProviderApplication, slug: string): string =>
  signatureOf({
    algorithm: 'sha256',
    key: clientSecret,
    parts: [`news of ${slug}`],
    encoding: 'base64url',
  });

/** The address with that token, for providers that call it as it was given to them. */
export function addressWithToken(address: string, app: ProviderApplication, slug: string): string {
  const url = new URL(address);
  url.searchParams.set('token', newsToken(app, slug));
  return url.href;
}

export const refused = (reason: string): NewsAnswer => ({ kind: 'refused', reason });
export const answered = (status: number, body: string): NewsAnswer => ({ kind: 'challenge', status, body });

/** The JSON of a body; undefined where it is none. */
export function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
