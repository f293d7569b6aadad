import { createHmac, timingSafeEqual } from 'node:crypto';
import { DomainError } from '../../platform/errors.ts';
import type { CourierWebhook } from './port.ts';

const SIGNATURE_HEADER = 'x-hmac-signature';

/** The `X-Hmac-Signature` of a body. The secret is normalized to NFKD, as EasyPost does. */
const createSignature = (secret: string, body: Buffer): string =>
  `hmac-sha256-hex=${createHmac('sha256', Buffer.from(secret.normalize('NFKD')))
    .update(body)
    .digest('hex')}`;

/** Throws `unauthorized` unless the body was signed with the secret. Compares in constant time. */
export function assertSignature(secret: string, { headers, body }: CourierWebhook): void {
  const given = headers[SIGNATURE_HEADER];
  const expected = Buffer.from(createSignature(secret, body));
  const received = Buffer.from(typeof given === 'string' ? given : '');
  if (received.length !== expected.length || !timingSafeEqual(received, expected)) {
    throw new DomainError('unauthorized', 'The signature is missing or wrong');
  }
}

/** Parses a body whose signature was verified. */
export function parseWebhookBody({ body }: CourierWebhook): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new DomainError('bad_request', 'The body is not JSON: expected a courier event');
  }
}
