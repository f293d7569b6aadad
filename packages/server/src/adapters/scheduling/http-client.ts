import { request, type Dispatcher } from 'undici';
import { DomainError } from '../../platform/errors.ts';
import { ErrorResponseBody } from './wire.ts';

export interface SchedulerClient {
  /** Returns success and refusal responses; throws `unavailable` for failures that a retry may fix. */
  send(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<SchedulerResponse>;
  /** Throws `bad_request` for a refusal. */
  assertSuccess(answer: SchedulerResponse): void;
  createUnreadableError(why: string): DomainError;
}

export interface SchedulerResponse {
  readonly status: number;
  /** Parsed JSON; undefined if empty. */
  readonly body: unknown;
  /** The error of a refusal, if its body follows the protocol. */
  readonly error: { readonly code: string; readonly message: string } | undefined;
}

interface SchedulerClientOptions {
  readonly name: string;
  readonly url: string;
  readonly token: string;
  readonly timeoutMs: number;
}

/** Well above 20 locations with a month of slots. */
const RESPONSE_LIMIT_BYTES = 8 * 1024 * 1024;
const RETRY_AFTER_SECONDS = 30;
const RETRY_AFTER_MAX_SECONDS = 3600;
/** Final refusals: a retry would get the same response. */
const REFUSAL_STATUSES = new Set([400, 404, 409, 410, 422]);

export function createSchedulerClient({
  name,
  url,
  token,
  timeoutMs,
}: SchedulerClientOptions): SchedulerClient {
  const unavailable = (what: string, retryAfterSeconds = RETRY_AFTER_SECONDS) =>
    new DomainError('unavailable', `The scheduling provider ${name} ${what}`, retryAfterSeconds);
  const unreadable = (why: string) => unavailable(`sent a response that cannot be read: ${why}`);
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
  return {
    createUnreadableError: unreadable,
    send: async (method, path, body) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const sent =
        body === undefined
          ? { headers }
          : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
      const answer = await request(`${url}${path}`, { method, signal, ...sent }).catch(() => {
        throw unavailable(signal.aborted ? `did not answer within ${timeoutMs} ms` : 'cannot be reached');
      });
      const text = await readText(answer, signal).catch((error: unknown) => {
        if (error instanceof SchedulerResponseTooLong)
          throw unreadable(`it is longer than ${RESPONSE_LIMIT_BYTES} bytes`);
        throw unavailable(
          signal.aborted
            ? `did not answer within ${timeoutMs} ms`
            : 'closed the connection before its response was complete',
        );
      });
      const { statusCode: status } = answer;
      if (status < 300) return { status, body: parseJson(text, unreadable), error: undefined };
      if (!REFUSAL_STATUSES.has(status)) throw unavailable(`answered ${status}`, readRetryAfter(answer));
      return { status, body: undefined, error: parseErrorBody(text) };
    },
    assertSuccess: ({ status, error }) => {
      if (status < 300) return;
      throw new DomainError(
        'bad_request',
        `The scheduling provider ${name} refused: ${error?.message ?? `HTTP status ${status}`}`,
      );
    },
  };
}

class SchedulerResponseTooLong extends Error {}

async function readText({ body }: Dispatcher.ResponseData, signal: AbortSignal): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    signal.throwIfAborted();
    const bytes = Buffer.from(part);
    length += bytes.length;
    if (length > RESPONSE_LIMIT_BYTES) throw new SchedulerResponseTooLong();
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parseJson(text: string, unreadable: (why: string) => DomainError): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable('it is not JSON');
  }
}

function parseErrorBody(text: string): SchedulerResponse['error'] {
  try {
    return ErrorResponseBody.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** `Retry-After` in seconds, at most one hour; the date form of the header is ignored. */
function readRetryAfter({ headers }: Dispatcher.ResponseData): number | undefined {
  const wished = Number(headers['retry-after']);
  return Number.isInteger(wished) && wished > 0 ? Math.min(wished, RETRY_AFTER_MAX_SECONDS) : undefined;
}
