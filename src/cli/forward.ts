import { request } from 'undici';
import { SECOND, systemClock } from '../platform/clock.ts';
import { messageId, signatureHeaders } from '../webhooks/webhooks.ts';
import { rest, type LoggedEvent } from './event-log.ts';

export interface Forwarding {
  readonly url: string;
  /** The key that signs, as `whsec_...`. */
  readonly secret: string;
  readonly signal: AbortSignal;
  /** Told of every attempt. */
  readonly told: (attempt: Attempt) => void;
}

export interface Attempt {
  /** The status that was answered, or why nothing was. */
  readonly answer: number | string;
  readonly tookMs: number;
  /** Undefined when the event was taken or this was the last try. */
  readonly againInMs: number | undefined;
}

/** A developer is watching: a couple of tries is enough, and order matters more than persistence. */
const AGAIN_AFTER_MS = [1 * SECOND, 3 * SECOND];
const PATIENCE_MS = 15 * SECOND;

/** Posts the event as an endpoint would get it: same body, same message id at every try, signed anew each time. */
export async function forwardEvent(
  event: LoggedEvent,
  { url, secret, signal, told }: Forwarding,
): Promise<void> {
  const body = JSON.stringify(event.body);
  for (let tries = 0; !signal.aborted; tries += 1) {
    const started = performance.now();
    const answer = await post({ url, body, signal, headers: headersOf(event, { body, secret }) });
    if (signal.aborted) return;
    const taken = typeof answer === 'number' && answer >= 200 && answer < 300;
    const againInMs = taken ? undefined : AGAIN_AFTER_MS[tries];
    told({ answer, tookMs: Math.round(performance.now() - started), againInMs });
    if (againInMs === undefined) return;
    await rest(againInMs, signal);
  }
}

const headersOf = (event: LoggedEvent, { body, secret }: { body: string; secret: string }) => ({
  'content-type': 'application/json',
  'user-agent': 'aliquot-listen',
  ...signatureHeaders({ id: messageId(event.id), at: systemClock.now(), body }, [secret]),
});

interface Post {
  readonly url: string;
  readonly body: string;
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal;
}

async function post({ url, body, headers, signal }: Post): Promise<number | string> {
  try {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    const answer = await request(url, { method: 'POST', headers, body, signal: patience });
    await answer.body.dump();
    return answer.statusCode;
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError')
      return `no answer in ${PATIENCE_MS / SECOND} s`;
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}
