import { timingSafeEqual } from 'node:crypto';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import { signatureOf } from '../webhooks/webhooks.ts';
import type { InboxVerification } from './schema.ts';

const TOLERANCE_MS = 5 * MINUTE;

interface RequestToVerify {
  readonly header: (name: string) => string | undefined;
  readonly body: Buffer;
  /** The keys that may sign now. */
  readonly keys: readonly string[];
  /** System time. */
  readonly at: Date;
}

/** Verifies a request as a receiver of the Standard Webhooks scheme has to. */
export function verifySignature({ header, body, keys, at }: RequestToVerify): InboxVerification {
  const id = header('webhook-id');
  const timestamp = header('webhook-timestamp');
  const signature = header('webhook-signature');
  if (id === undefined || timestamp === undefined || signature === undefined) return 'missing';
  const expected = keys.map((key) => Buffer.from(signatureOf({ id, timestamp, body }, [key])));
  const given = signature.split(' ').map((each) => Buffer.from(each));
  const fits = given.some((one) =>
    expected.some((other) => one.length === other.length && timingSafeEqual(one, other)),
  );
  if (!fits) return 'invalid';
  const awayMs = Math.abs(at.getTime() - Number(timestamp) * SECOND);
  return awayMs <= TOLERANCE_MS ? 'valid' : 'expired';
}
