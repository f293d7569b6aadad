import { createHmac } from 'node:crypto';
import { secretBytes } from './key.ts';

/** What is sent under one id: the same at every retry and to every endpoint. */
export const messageId = (eventId: string): string => `msg_${eventId}`;

/** The event of a message id, or undefined when it is none. */
export const eventOfMessage = (id: string): string | undefined =>
  /^msg_([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(id)?.[1];

export interface Signed {
  readonly id: string;
  /** The system's moment and not the tenant's: a receiver refuses what is five minutes away from its own clock. */
  readonly at: Date;
  readonly body: string | Uint8Array;
}

export interface Signature {
  /** Seconds of the epoch. */
  readonly timestamp: string;
  /** One for each key, with a space between. */
  readonly signature: string;
}

/** Seconds of the epoch. */
export const timestampOf = (at: Date): string => String(Math.floor(at.getTime() / 1000));

/** The Standard Webhooks scheme. */
export function sign({ id, at, body }: Signed, keys: readonly string[]): Signature {
  const timestamp = timestampOf(at);
  return { timestamp, signature: signatureOf({ id, timestamp, body }, keys) };
}

/** The signatures of a message, one for each key, with a space between. */
export function signatureOf(
  { id, timestamp, body }: { id: string; timestamp: string; body: string | Uint8Array },
  keys: readonly string[],
): string {
  const head = `${id}.${timestamp}.`;
  return keys.map((key) => `v1,${hmac(secretBytes(key), head, body)}`).join(' ');
}

/** The headers of the scheme, and the same under the names that older libraries look for; names and values by turns. */
export const headersOfSignature = (id: string, { timestamp, signature }: Signature): string[] => [
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

/** Headers by their names. */
export function byName(turns: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < turns.length; at += 2) headers[turns[at] ?? ''] = turns[at + 1] ?? '';
  return headers;
}

export const signatureHeaders = (signed: Signed, keys: readonly string[]): Record<string, string> =>
  byName(headersOfSignature(signed.id, sign(signed, keys)));

const hmac = (key: Buffer, head: string, body: string | Uint8Array): string =>
  createHmac('sha256', key).update(head).update(body).digest('base64');
