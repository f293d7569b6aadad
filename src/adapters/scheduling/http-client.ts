import { request, type Dispatcher } from 'undici';
import { DomainError } from '../../platform/errors.ts';
import { ErrorAnswer } from './wire.ts';

export interface SchedulerClient {
  /** Whatever the scheduler answers, unless it is a failure that only time can heal. */
  ask(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<Answer>;
  /** Anything but success becomes a failure that a caller can act on. */
  requireDone(answer: Answer): void;
  unreadable(why: string): DomainError;
}

export interface Answer {
  readonly status: number;
  /** Parsed; undefined where there was none. */
  readonly body: unknown;
  /** What the scheduler says went wrong, where it says so in the form that was agreed. */
  readonly error: { readonly code: string; readonly message: string } | undefined;
}

export interface ClientOptions {
  readonly name: string;
  readonly url: string;
  readonly token: string;
  readonly timeoutMs: number;
}

/** Twenty places with all the slots of a month stay well below it. */
const ANSWER_LIMIT_BYTES = 8 * 1024 * 1024;
const RETRY_AFTER_SECONDS = 30;
const RETRY_AFTER_MAX_SECONDS = 3600;
/** The scheduler has understood us and says no: asking again would bring the same. */
const REFUSALS = new Set([400, 404, 409, 410, 422]);

export function openClient({ name, url, token, timeoutMs }: ClientOptions): SchedulerClient {
  const unavailable = (what: string, retryAfterSeconds = RETRY_AFTER_SECONDS) =>
    new DomainError('unavailable', `The scheduling provider ${name} ${what}`, retryAfterSeconds);
  const unreadable = (why: string) => unavailable(`answered what we cannot read: ${why}`);
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
  return {
    unreadable,
    ask: async (method, path, body) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const sent =
        body === undefined
          ? { headers }
          : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
      const answer = await request(`${url}${path}`, { method, signal, ...sent }).catch(() => {
        throw unavailable(signal.aborted ? `did not answer within ${timeoutMs} ms` : 'cannot be reached');
      });
      const text = await readText(answer, signal).catch((error: unknown) => {
        if (error instanceof TooLong) throw unreadable(`it is longer than ${ANSWER_LIMIT_BYTES} bytes`);
        throw unavailable(signal.aborted ? `did not answer within ${timeoutMs} ms` : 'broke off its answer');
      });
      const { statusCode: status } = answer;
      if (status < 300) return { status, body: parsedJson(text, unreadable), error: undefined };
      if (!REFUSALS.has(status)) throw unavailable(`answered ${status}`, retryAfter(answer));
      return { status, body: undefined, error: errorIn(text) };
    },
    requireDone: ({ status, error }) => {
      if (status < 300) return;
      throw new DomainError(
        'bad_request',
        `The scheduling provider ${name} refused: ${error?.message ?? `it answered ${status}`}`,
      );
    },
  };
}

class TooLong extends Error {}

async function readText({ body }: Dispatcher.ResponseData, signal: AbortSignal): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    signal.throwIfAborted();
    const bytes = Buffer.from(part);
    length += bytes.length;
    if (length > ANSWER_LIMIT_BYTES) throw new TooLong();
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parsedJson(text: string, unreadable: (why: string) => DomainError): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable('it is not JSON');
  }
}

function errorIn(text: string): Answer['error'] {
  try {
    return ErrorAnswer.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** In seconds, as the scheduler wishes it, within an hour; a date instead of a number is not looked at. */
function retryAfter({ headers }: Dispatcher.ResponseData): number | undefined {
  const wished = Number(headers['retry-after']);
  return Number.isInteger(wished) && wished > 0 ? Math.min(wished, RETRY_AFTER_MAX_SECONDS) : undefined;
}
