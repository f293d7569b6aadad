import { request, type Dispatcher } from 'undici';
import type { Clock } from '../../platform/clock.ts';
import { ProviderUnavailableError, ProviderRateLimitedError, ProviderUnreachableError } from './port.ts';

export interface ProviderHttpRequest {
  /** The provider's own URL. */
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type ProviderResponseHeaders = Readonly<Record<string, string | undefined>>;

export interface ProviderResponse {
  readonly status: number;
  readonly headers: ProviderResponseHeaders;
  readonly text: string;
}

/** The origin that replaces one of the provider's own; undefined if it is kept. */
export type OriginReplacement = (own: string) => string | undefined;

interface ProviderHttpOptions {
  /** The provider's display name, for error messages. */
  readonly name: string;
  readonly at?: OriginReplacement | undefined;
  readonly timeoutMs?: number | undefined;
  readonly responseLimitBytes?: number | undefined;
  readonly clock: Clock;
  /** Reads the wait after a 429 from provider-specific headers. */
  readonly readRetrySeconds?:
    ((headers: ProviderResponseHeaders, now: Date) => number | undefined) | undefined;
}

/** For one request and its response. The largest responses, a month of samples, take a few seconds. */
const TIMEOUT_MS = 30_000;
/** A day-long ride at 1 Hz is below 3 MiB, a month of glucose below 4 MiB. */
const RESPONSE_LIMIT_BYTES = 16 * 1024 * 1024;
const RETRY_SECONDS = 60;
const RETRY_MAX_SECONDS = 24 * 3600;

/**
 * The only HTTP client for providers. Temporary failures (429, 5xx, timeouts) become errors here. Redirects are not
 * followed: none of these APIs uses them, and a token must not be sent to another host.
 */
export type ProviderHttpClient = (outgoing: ProviderHttpRequest) => Promise<ProviderResponse>;

export function createProviderHttpClient(options: ProviderHttpOptions): ProviderHttpClient {
  const { name, at, clock, timeoutMs = TIMEOUT_MS, responseLimitBytes = RESPONSE_LIMIT_BYTES } = options;
  return async ({ url, method, headers, body }) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const late = `${name} did not answer within ${timeoutMs} ms`;
    const sent = { method, signal, headers: { ...headers, 'user-agent': 'aliquot' }, body: body ?? null };
    const answer = await request(replaceOrigin(url, at), sent).catch(() => {
      throw new ProviderUnreachableError(signal.aborted ? late : `${name} cannot be reached`);
    });
    const text = await readText(answer, { signal, responseLimitBytes }).catch((error: unknown) => {
      if (error instanceof ProviderResponseTooLong)
        throw new ProviderUnavailableError(`${name} sent a response that is too large`);
      throw new ProviderUnreachableError(
        signal.aborted ? late : `${name} closed the connection before its response was complete`,
      );
    });
    const { statusCode: status } = answer;
    const told = flattenHeaders(answer.headers);
    if (status === 429 || (status === 503 && told['retry-after'] !== undefined)) {
      throw new ProviderRateLimitedError(
        computeWaitSeconds(told, options, clock.now()),
        `${name} is limiting requests`,
      );
    }
    if (status >= 500 || (status >= 300 && status < 400)) {
      throw new ProviderUnavailableError(`${name} answered ${status}`);
    }
    return { status, headers: told, text };
  };
}

/** Replaces the origin of a URL, if one is given. */
export function replaceOrigin(url: string, at: OriginReplacement | undefined): URL {
  const own = new URL(url);
  const other = at?.(own.origin);
  return other === undefined ? own : new URL(`${own.pathname}${own.search}`, other);
}

class ProviderResponseTooLong extends Error {}

interface ResponseLimits {
  readonly signal: AbortSignal;
  readonly responseLimitBytes: number;
}

async function readText(
  { body }: Dispatcher.ResponseData,
  { signal, responseLimitBytes }: ResponseLimits,
): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    signal.throwIfAborted();
    const bytes = Buffer.from(part);
    length += bytes.length;
    if (length > responseLimitBytes) throw new ProviderResponseTooLong();
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
}

const flattenHeaders = (headers: Dispatcher.ResponseData['headers']): ProviderResponseHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([key, value]) => [key, Array.isArray(value) ? value[0] : value]),
  );

function computeWaitSeconds(
  headers: ProviderResponseHeaders,
  { readRetrySeconds }: ProviderHttpOptions,
  now: Date,
): number {
  const wished = readRetryAfter(headers, now) ?? readRetrySeconds?.(headers, now) ?? RETRY_SECONDS;
  return Math.min(Math.max(Math.ceil(wished), 1), RETRY_MAX_SECONDS);
}

/** The header holds seconds or a date. */
function readRetryAfter({ 'retry-after': wish }: ProviderResponseHeaders, now: Date): number | undefined {
  if (wish === undefined) return undefined;
  if (/^\d+$/.test(wish)) return Number(wish);
  const until = Date.parse(wish);
  return Number.isNaN(until) ? undefined : (until - now.getTime()) / 1000;
}

/** Reads whole seconds from a header; undefined if it is missing or something else. */
export const createSecondsReader =
  (header: string) =>
  (headers: ProviderResponseHeaders): number | undefined => {
    const text = headers[header];
    return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
  };
