import { request, type Dispatcher } from 'undici';
import type { Clock } from '../../platform/clock.ts';
import { ProviderAway, ProviderBusy, ProviderSilent } from './port.ts';

export interface Outgoing {
  /** The provider's own address. */
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type AnswerHeaders = Readonly<Record<string, string | undefined>>;

export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly text: string;
}

export interface LineOptions {
  /** As people call the provider. */
  readonly name: string;
  /** The origin that is asked instead of the provider's own. */
  readonly at?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly answerLimitBytes?: number | undefined;
  readonly clock: Clock;
  /** How long to wait after a 429, where the provider says it in headers of its own. */
  readonly busySeconds?: ((headers: AnswerHeaders, now: Date) => number | undefined) | undefined;
}

/** For a whole exchange; the longest month of samples that a provider answers at once takes a few seconds. */
const TIMEOUT_MS = 30_000;
/** A day's ride second by second is below 3 MiB, a month of glucose below 4. */
const ANSWER_LIMIT_BYTES = 16 * 1024 * 1024;
const BUSY_SECONDS = 60;
const BUSY_MAX_SECONDS = 24 * 3600;

/**
 * The only way out to a provider. What time alone heals becomes an error here, whatever was asked; redirects are not
 * followed, for none of these APIs has any, and a token must not travel to where it was not meant to go.
 */
export type Line = (outgoing: Outgoing) => Promise<Answer>;

export function openLine(options: LineOptions): Line {
  const { name, at, clock, timeoutMs = TIMEOUT_MS, answerLimitBytes = ANSWER_LIMIT_BYTES } = options;
  return async ({ url, method, headers, body }) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const late = `${name} did not answer within ${timeoutMs} ms`;
    const sent = { method, signal, headers: { ...headers, 'user-agent': 'aliquot' }, body: body ?? null };
    const answer = await request(placed(url, at), sent).catch(() => {
      throw new ProviderSilent(signal.aborted ? late : `${name} cannot be reached`);
    });
    const text = await readText(answer, { signal, answerLimitBytes }).catch((error: unknown) => {
      if (error instanceof TooLong) throw new ProviderAway(`${name} answered more than can be taken in`);
      throw new ProviderSilent(signal.aborted ? late : `${name} broke off its answer`);
    });
    const { statusCode: status } = answer;
    const told = flat(answer.headers);
    if (status === 429 || (status === 503 && told['retry-after'] !== undefined)) {
      throw new ProviderBusy(waitOf(told, options, clock.now()), `${name} wants to be asked less often`);
    }
    if (status >= 500 || (status >= 300 && status < 400)) {
      throw new ProviderAway(`${name} answered ${status}`);
    }
    return { status, headers: told, text };
  };
}

/** The same path at another origin, where one is named. */
export function placed(url: string, at: string | undefined): URL {
  const own = new URL(url);
  return at === undefined ? own : new URL(`${own.pathname}${own.search}`, at);
}

class TooLong extends Error {}

interface Bounds {
  readonly signal: AbortSignal;
  readonly answerLimitBytes: number;
}

async function readText(
  { body }: Dispatcher.ResponseData,
  { signal, answerLimitBytes }: Bounds,
): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    signal.throwIfAborted();
    const bytes = Buffer.from(part);
    length += bytes.length;
    if (length > answerLimitBytes) throw new TooLong();
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
}

const flat = (headers: Dispatcher.ResponseData['headers']): AnswerHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([key, value]) => [key, Array.isArray(value) ? value[0] : value]),
  );

function waitOf(headers: AnswerHeaders, { busySeconds }: LineOptions, now: Date): number {
  const wished = retryAfter(headers, now) ?? busySeconds?.(headers, now) ?? BUSY_SECONDS;
  return Math.min(Math.max(Math.ceil(wished), 1), BUSY_MAX_SECONDS);
}

/** Seconds, or a date. */
function retryAfter({ 'retry-after': wish }: AnswerHeaders, now: Date): number | undefined {
  if (wish === undefined) return undefined;
  if (/^\d+$/.test(wish)) return Number(wish);
  const until = Date.parse(wish);
  return Number.isNaN(until) ? undefined : (until - now.getTime()) / 1000;
}

/** A header that says how many seconds are left; undefined where it says nothing of the kind. */
export const secondsIn =
  (header: string) =>
  (headers: AnswerHeaders): number | undefined => {
    const text = headers[header];
    return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
  };
