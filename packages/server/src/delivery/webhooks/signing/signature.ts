import { createHmac } from 'node:crypto';
import { secretBytes } from './key.ts';

interface MessageToSign {
  readonly id: string;
  /** System time, not tenant time: a receiver refuses a timestamp five minutes away from its own clock. */
  readonly at: Date;
  readonly body: string | Uint8Array;
}

export interface WebhookSignature {
  /** Seconds since the Unix epoch. */
  readonly timestamp: string;
  /** One for each key, separated by spaces. */
  readonly signature: string;
}

/** Seconds since the Unix epoch. */
export const timestampOf = (at: Date): string => String(Math.floor(at.getTime() / 1000));

/** Signs by the Standard Webhooks scheme. */
export function sign({ id, at, body }: MessageToSign, keys: readonly string[]): WebhookSignature {
  const timestamp = timestampOf(at);
  return { timestamp, signature: signatureOf({ id, timestamp, body }, keys) };
}

/** The signatures of a message, one for each key, separated by spaces. */
export function signatureOf(
  { id, timestamp, body }: { id: string; timestamp: string; body: string | Uint8Array },
  keys: readonly string[],
): string {
  const head = `${id}.${timestamp}.`;
  return keys.map((key) => `v1,${hmac(secretBytes(key), head, body)}`).join(' ');
}

/**
 * The headers of the scheme, and the same under the svix names that older libraries expect; alternating names and
 * values.
 */
export const signatureHeaderList = (id: string, { timestamp, signature }: WebhookSignature): string[] => [
  'webhook-id',
  id,
  'webhook-timestamp',
  timestamp,
  'webhook-signature',
  signature,
  'svix-id',
  id,
  'svix-timestamp',
  timestamp,
  'svix-signature',
  signature,
];

/** Headers by name. */
export function toHeaderRecord(turns: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < turns.length; at += 2) headers[turns[at] ?? ''] = turns[at + 1] ?? '';
  return headers;
}

export const signatureHeaders = (signed: MessageToSign, keys: readonly string[]): Record<string, string> =>
  toHeaderRecord(signatureHeaderList(signed.id, sign(signed, keys)));

const hmac = (key: Buffer, head: string, body: string | Uint8Array): string =>
  createHmac('sha256', key).update(head).update(body).digest('base64');
