import { createHmac, timingSafeEqual } from 'node:crypto';
import type { NotificationResult, ProviderApplication } from './port.ts';

interface ProviderSignatureInput {
  readonly algorithm: 'sha1' | 'sha256';
  readonly key: string;
  readonly parts: readonly (string | Buffer)[];
  readonly encoding: 'hex' | 'base64' | 'base64url';
}

export function createSignature({ algorithm, key, parts, encoding }: ProviderSignatureInput): string {
  const hmac = createHmac(algorithm, key);
  for (const part of parts) hmac.update(part);
  return hmac.digest(encoding);
}

/** Compares in constant time. */
export function isSameSecret(given: string | undefined, expected: string): boolean {
  const one = Buffer.from(given ?? '');
  const other = Buffer.from(expected);
  return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * The token of providers that do not sign webhooks but repeat a token. It is derived from the client secret, so it need
 * not be stored and changes with the secret.
 */
export const createNotificationToken = ({ clientSecret }: ProviderApplication, slug: string): string =>
  createSignature({
    algorithm: 'sha256',
    key: clientSecret,
    parts: [`news of ${slug}`],
    encoding: 'base64url',
  });

/** Adds the token to a webhook URL, for providers that call the URL exactly as registered. */
export function addNotificationToken(address: string, app: ProviderApplication, slug: string): string {
  const url = new URL(address);
  url.searchParams.set('token', createNotificationToken(app, slug));
  return url.href;
}

export const toRefusal = (reason: string): NotificationResult => ({ kind: 'refused', reason });
export const toChallengeResponse = (status: number, body: string): NotificationResult => ({
  kind: 'challenge',
  status,
  body,
});

/** Parses a JSON body; undefined if it is invalid. */
export function parseJsonBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
