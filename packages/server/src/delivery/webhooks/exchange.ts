import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { TenantCipher } from '../../platform/crypto/cipher.ts';
import { MASK } from './headers.ts';
import { toHeaderRecord, signatureHeaderList } from './signing/signature.ts';

const PLACE = 'webhook_attempt.exchange';

const SentRequest = z.object({
  url: z.string(),
  /** The names of the custom headers; their values are not stored. */
  custom: z.array(z.string()),
  user_agent: z.string(),
  timestamp: z.string(),
  signature: z.string(),
  /** The W3C trace context of the attempt, while traces are exported. */
  traceparent: z.string().optional(),
  /** Whether it was a test message. */
  test: z.boolean(),
});

/** The request of an attempt: enough to rebuild its headers. */
export type SentRequest = z.output<typeof SentRequest>;

const AttemptExchange = z.object({
  /** null if nothing could be sent. */
  sent: SentRequest.nullable(),
  response_headers: z.record(z.string(), z.string()),
  /** The start of the response body. Attempts of earlier versions have it in a separate column. */
  response: z.string().optional(),
});

/** The request and response stored with an attempt, as one value, because sealing two takes twice as long. */
export type AttemptExchange = z.output<typeof AttemptExchange>;

/** The headers that the service sends in addition to custom ones; alternating names and values. */
export function serviceHeaders(message: string, sent: SentRequest): string[] {
  const turns = signatureHeaderList(message, sent);
  turns.push('content-type', 'application/json', 'user-agent', sent.user_agent);
  if (sent.traceparent !== undefined) turns.push('traceparent', sent.traceparent);
  if (sent.test) turns.push('webhook-test', 'true');
  return turns;
}

/** All headers of a request for display, with the values of custom headers masked. */
export const maskedHeaders = (message: string, sent: SentRequest): Record<string, string> => ({
  ...Object.fromEntries(sent.custom.map((name) => [name, MASK])),
  ...toHeaderRecord(serviceHeaders(message, sent)),
});

export const sealExchange = (cipher: TenantCipher, exchange: AttemptExchange): Buffer =>
  cipher.seal(JSON.stringify(exchange), PLACE);

/** Attempts of earlier versions have no exchange. */
export const openExchange = (cipher: TenantCipher, sealed: Buffer | null): AttemptExchange =>
  sealed === null
    ? { sent: null, response_headers: {} }
    : AttemptExchange.parse(JSON.parse(cipher.open(sealed, PLACE)));

type ReceivedHeaders = Record<string, string | string[] | undefined>;

/** Names of headers that may contain secrets. */
const SECRET_NAME = /cookie|auth|token|secret|session|password|credential|signature|key/i;
const COUNT_MAX = 50;
const LENGTH_MAX = 1024;

/** The response headers to store, with secrets masked. */
export function storableHeaders(heard: ReceivedHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of Object.keys(heard).slice(0, COUNT_MAX)) {
    kept[name] = isSecret(name) ? MASK : truncateValue(heard[name]);
  }
  return kept;
}

const knownNames = new LRUCache<string, boolean>({ max: 1000 });

/** Cached, because receivers send the same few names with every response. */
function isSecret(name: string): boolean {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const secret = SECRET_NAME.test(name);
  knownNames.set(name, secret);
  return secret;
}

const truncateValue = (value: string | string[] | undefined): string =>
  (typeof value === 'string' ? value : [value ?? ''].flat().join(', ')).slice(0, LENGTH_MAX);
