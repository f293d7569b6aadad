import { later, SECOND } from '../src/platform/clock.ts';
import type { ClaimedMessage } from '../src/delivery/webhooks/claim.ts';
import type { AttemptOutcome } from '../src/delivery/webhooks/outcome.ts';

/** How an attempt ended: delivered, to be retried, with a 410, or failed for the last time. */
export type AttemptAnswer = 'ok' | 'retry' | 'gone' | 'exhausted';
export const STATUS_CODES = { ok: 200, retry: 500, gone: 410, exhausted: 503 };

/** The outcome of an attempt that ended at this time. */
export function outcomeOf(message: ClaimedMessage, answer: AttemptAnswer, endedAt: Date): AttemptOutcome {
  const status = { ok: 'delivered', retry: 'pending', gone: 'pending', exhausted: 'failed' } as const;
  return {
    claimed: message,
    response: {
      statusCode: STATUS_CODES[answer],
      error: answer === 'ok' ? null : `failed with ${STATUS_CODES[answer]}`,
      durationMs: 7,
      response: 'response',
      headers: {},
      retryAfter: undefined,
    },
    sent: { url: 'http://x', custom: [], user_agent: 'a', timestamp: '1', signature: 's', test: false },
    endedAt,
    status: status[answer],
    nextDueAt: status[answer] === 'pending' ? later(endedAt, 5 * SECOND) : null,
    gone: answer === 'gone',
  };
}
