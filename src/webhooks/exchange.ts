import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { TenantCipher } from '../platform/crypto/cipher.ts';
import { MASK } from './headers.ts';
import { byName, headersOfSignature } from './signing/signature.ts';

const PLACE = 'webhook_attempt.exchange';

const Sent = z.object({
  url: z.string(),
  /** The names of the custom headers; their values are not kept. */
  custom: z.array(z.string()),
  user_agent: z.string(),
  timestamp: z.string(),
  signature: z.string(),
  /** It was a test message. */
  test: z.boolean(),
});

/** What an attempt was sent with: enough to write its headers once more. */
export type Sent = z.output<typeof Sent>;

const Exchange = z.object({
  /** null when nothing could be sent. */
  sent: Sent.nullable(),
  response_headers: z.record(z.string(), z.string()),
  /** The beginning of the body of the answer. Attempts of earlier versions have it in a column of its own. */
  response: z.string().optional(),
});

/** What an attempt keeps beside its outcome; one value, because sealing two takes twice as long. */
export type Exchange = z.output<typeof Exchange>;

/** The headers that the service itself sends, whatever the endpoint adds; names and values by turns. */
export function ownHeaders(message: string, sent: Sent): string[] {
  const turns = headersOfSignature(message, sent);
  turns.push('content-type', 'application/json', 'user-agent', sent.user_agent);
  if (sent.test) turns.push('webhook-test', 'true');
  return turns;
}

/** All headers of a request, as it can be told: the values of custom ones are secrets. */
export const shownHeaders = (message: string, sent: Sent): Record<string, string> => ({
  ...Object.fromEntries(sent.custom.map((name) => [name, MASK])),
  ...byName(ownHeaders(message, sent)),
});

export const sealExchange = (cipher: TenantCipher, exchange: Exchange): Buffer =>
  cipher.seal(JSON.stringify(exchange), PLACE);

/** Attempts of earlier versions have none. */
export const openExchange = (cipher: TenantCipher, sealed: Buffer | null): Exchange =>
  sealed === null
    ? { sent: null, response_headers: {} }
    : Exchange.parse(JSON.parse(cipher.open(sealed, PLACE)));

type Heard = Record<string, string | string[] | undefined>;

/** Headers whose values open something. */
const SECRET = /cookie|auth|token|secret|session|password|credential|signature|key/i;
const COUNT_MAX = 50;
const LENGTH_MAX = 1024;

/** The headers of an answer, as they may be kept. */
export function keptHeaders(heard: Heard): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of Object.keys(heard).slice(0, COUNT_MAX)) {
    kept[name] = isSecret(name) ? MASK : clipped(heard[name]);
  }
  return kept;
}

const judged = new LRUCache<string, boolean>({ max: 1000 });

/** Receivers say the same few names with every answer. */
function isSecret(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const secret = SECRET.test(name);
  judged.set(name, secret);
  return secret;
}

const clipped = (value: string | string[] | undefined): string =>
  (typeof value === 'string' ? value : [value ?? ''].flat().join(', ')).slice(0, LENGTH_MAX);
