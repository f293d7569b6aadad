import { request } from 'undici';
import { SECOND, systemClock } from '../platform/clock.ts';
import { messageId } from '../events/events.ts';
import { signatureHeaders } from '../delivery/webhooks/webhooks.ts';
import { pauseUnlessAborted, type LoggedEvent } from './event-log.ts';

interface ForwardOptions {
  readonly url: string;
  /** The signing key, such as `whsec_...`. */
  readonly secret: string;
  readonly signal: AbortSignal;
  /** Called after every attempt. */
  readonly onAttempt: (attempt: ForwardAttempt) => void;
}

export interface ForwardAttempt {
  /** The response status, or the reason why there was none. */
  readonly answer: number | string;
  readonly durationMs: number;
  /** Undefined after a success or after the last attempt. */
  readonly retryInMs: number | undefined;
}

/** A developer is watching: a few retries are enough, and order matters more than persistence. */
const RETRY_DELAYS_MS = [1 * SECOND, 3 * SECOND];
const TIMEOUT_MS = 15 * SECOND;

/**
 * Posts the event as an endpoint would get it: the same body and message id for every attempt, with a new signature
 * each time.
 */
export async function forwardEvent(
  event: LoggedEvent,
  { url, secret, signal, onAttempt }: ForwardOptions,
): Promise<void> {
  const body = JSON.stringify(event.body);
  for (let tries = 0; !signal.aborted; tries += 1) {
    const started = performance.now();
    const answer = await post({ url, body, signal, headers: headersOf(event, { body, secret }) });
    if (signal.aborted) return;
    const taken = typeof answer === 'number' && answer >= 200 && answer < 300;
    const againInMs = taken ? undefined : RETRY_DELAYS_MS[tries];
    onAttempt({ answer, durationMs: Math.round(performance.now() - started), retryInMs: againInMs });
    if (againInMs === undefined) return;
    await pauseUnlessAborted(againInMs, signal);
  }
}

const headersOf = (event: LoggedEvent, { body, secret }: { body: string; secret: string }) => ({
  'content-type': 'application/json',
  'user-agent': 'aliquot-listen',
  ...signatureHeaders({ id: messageId(event.id), at: systemClock.now(), body }, [secret]),
});

interface ForwardRequest {
  readonly url: string;
  readonly body: string;
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal;
}

async function post({ url, body, headers, signal }: ForwardRequest): Promise<number | string> {
  try {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const answer = await request(url, { method: 'POST', headers, body, signal: patience });
    await answer.body.dump();
    return answer.statusCode;
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError')
      return `no response in ${TIMEOUT_MS / SECOND} s`;
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}
