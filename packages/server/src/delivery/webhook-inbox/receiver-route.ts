import type { App } from '../../app.ts';
import { SECOND } from '../../platform/clock.ts';
import { createFairLimit, QueueFullError } from '../../platform/fair-limit.ts';
import type { Http } from '../../platform/http/http.ts';
import type { BrowserResponse } from '../../platform/http/serve-open.ts';
import { createTokenBuckets } from '../../platform/rate-limit/token-buckets.ts';
import { INBOX_PATH } from '../webhooks/webhooks.ts';
import { findInboxTenant, storeRequest } from './receive.ts';
import type { InboxAnswer } from './schema.ts';

const BODY_MAX_BYTES = 256 * 1024;
/** Requests of one inbox in a minute, in this process. */
const PER_MINUTE = 1200;
/** Requests of one inbox are stored one after the other, and those of all inboxes take few connections. */
const STORING = { concurrency: 4, concurrencyPerKey: 1, waitingMax: 2000, waitingPerKeyMax: 1000 };
const RETRY_SECONDS = 5;
/** Longer than the sender waits. */
const SILENCE_MS = 20 * SECOND;

/** Receives what the sender posts. A token that is not known gets the same answer as a path that does not exist. */
export function receiverRoute(http: Http, app: App): void {
  const take = createTokenBuckets(() => app.clock.now().getTime());
  const inTurn = createFairLimit(STORING);
  http.visit(`${INBOX_PATH}:token`, {
    methods: ['POST'],
    limitBytes: BODY_MAX_BYTES,
    handler: async ({ params, headers, body }) => {
      const token = params['token'] ?? '';
      const tenant = await findInboxTenant(app, token);
      if (!tenant) return NOT_FOUND;
      const bucket = { bucket: tenant.teamId, perMinute: PER_MINUTE };
      if (!take([bucket], 1).isTaken) return BUSY;
      try {
        const answer = await inTurn(tenant.teamId, () => storeRequest(app, tenant, { token, headers, body }));
        return answer === undefined ? NOT_FOUND : ANSWERS[answer];
      } catch (error) {
        if (error instanceof QueueFullError) return BUSY;
        throw error;
      }
    },
  });
}

const respond = (status: number, body: object, headers: Record<string, string> = {}): BrowserResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  text: JSON.stringify(body),
});

const NOT_FOUND = respond(404, { detail: 'Not found' });
const BUSY = respond(429, { detail: 'Too many requests' }, { 'retry-after': String(RETRY_SECONDS) });

const ANSWERS: Readonly<Record<InboxAnswer, BrowserResponse>> = {
  success: respond(200, { received: true }),
  failure: respond(500, { detail: 'The inbox is set to fail' }),
  timeout: { ...respond(504, { detail: 'The inbox is set to time out' }), silenceMs: SILENCE_MS },
};
