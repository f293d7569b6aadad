import { createHmac, timingSafeEqual } from 'node:crypto';
import { DomainError } from '../../platform/errors.ts';
import type { Pushed } from './port.ts';

const HEADER = 'x-hmac-signature';

/** `X-Hmac-Signature` over the bytes of a body. The secret is taken in the form NFKD, as the sender takes it. */
export const signatureOf = (secret: string, body: Buffer): string =>
  `hmac-sha256-hex=${createHmac('sha256', Buffer.from(secret.normalize('NFKD')))
    .update(body)
    .digest('hex')}`;

/** Refuses what was not signed with the secret; how long that takes says nothing about the right signature. */
export function requireSignature(secret: string, { headers, body }: Pushed): void {
  const given = headers[HEADER];
  const expected = Buffer.from(signatureOf(secret, body));
  const received = Buffer.from(typeof given === 'string' ? given : '');
  if (received.length !== expected.length || !timingSafeEqual(received, expected)) {
    throw new DomainError('unauthorized', 'The signature is missing or wrong');
  }
}

/** The JSON of a body whose signature was right. */
export function readPushed({ body }: Pushed): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new DomainError('bad_request', 'The body is not JSON: expected an event of the courier');
  }
}
