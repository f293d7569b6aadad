import { performance } from 'node:perf_hooks';
import { Agent, type Dispatcher } from 'undici';
import { openConnector, publicConnector } from './connect.ts';
import type { Resolve } from './resolve.ts';

/** What the other side said, or why nothing was heard. */
export interface Answered {
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  /** The beginning of the body. */
  readonly response: string;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly retryAfter: string | undefined;
}

export interface Letter {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly privateAllowed: boolean;
}

export interface Post {
  /** Sends once and answers within the time that was given, whatever happens; never throws. */
  send(letter: Letter): Promise<Answered>;
  close(): Promise<void>;
}

export const PATIENCE_MS = 15_000;
const RESPONSE_LIMIT_BYTES = 16 * 1024;
const KEEP_ALIVE_MS = 10_000;
const ERROR_LENGTH_MAX = 300;

/** Posts over connections that are kept; redirects are answers like any other and are not followed. */
export function openPost(patienceMs: number = PATIENCE_MS, resolve?: Resolve): Post {
  const agent = (connect: ReturnType<typeof openConnector>) =>
    new Agent({
      connect,
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: patienceMs,
      bodyTimeout: patienceMs,
      pipelining: 1,
    });
  const open = agent(openConnector(patienceMs, resolve));
  const guarded = agent(publicConnector(patienceMs, resolve));
  return {
    send: (letter) => send(letter.privateAllowed ? open : guarded, letter, patienceMs),
    close: async () => {
      await Promise.all([open.destroy(), guarded.destroy()]);
    },
  };
}

async function send(agent: Agent, letter: Letter, patienceMs: number): Promise<Answered> {
  const from = performance.now();
  const heard = { statusCode: null, headers: {}, retryAfter: undefined, response: '' };
  const took = () => Math.round(performance.now() - from);
  const abort = new AbortController();
  const timer = setTimeout(
    () => abort.abort(new Error(`No complete answer within ${patienceMs / 1000} s`)),
    patienceMs,
  );
  try {
    const answer = await ask(agent, letter, abort.signal);
    const { statusCode, headers } = answer;
    const status = { statusCode, headers, retryAfter: textOf(headers['retry-after']) };
    const { response, error } = await read(answer.body);
    return { ...status, response, error: error ?? complaint(statusCode), durationMs: took() };
  } catch (error) {
    return { ...heard, error: reasonOf(error), durationMs: took() };
  } finally {
    clearTimeout(timer);
  }
}

function ask(
  agent: Agent,
  { url, headers, body }: Letter,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const { origin, pathname, search } = new URL(url);
  return agent.request({ origin, path: `${pathname}${search}`, method: 'POST', headers, body, signal });
}

/** The first bytes of the body; the rest is not waited for. */
async function read(
  body: Dispatcher.ResponseData['body'],
): Promise<{ response: string; error: string | null }> {
  body.on('error', () => {});
  const chunks: Buffer[] = [];
  let length = 0;
  let error: string | null = null;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= RESPONSE_LIMIT_BYTES) break;
    }
  } catch (failure) {
    error = reasonOf(failure);
  }
  return { response: Buffer.concat(chunks).subarray(0, RESPONSE_LIMIT_BYTES).toString(), error };
}

function complaint(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400
    ? `Answered ${status}; redirects are not followed`
    : `Answered ${status}`;
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.replaceAll('\0', '').slice(0, ERROR_LENGTH_MAX);
}

const textOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;
