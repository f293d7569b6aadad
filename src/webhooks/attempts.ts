import { readTenant, type App, type Work } from '../app.ts';
import { eventBody } from '../events/events.ts';
import { found } from '../platform/errors.ts';
import type { Tenant } from '../platform/tenant.ts';
import { findAttempt, listAttempts, type AttemptPage, type AttemptRow } from './attempt-store.ts';
import { getEndpoint, isUuid } from './endpoints.ts';
import { openExchange, shownHeaders } from './exchange.ts';
import { viewAttempt } from './message-schema.ts';
import { messageId } from './signature.ts';

/** The attempts of one endpoint, the newest first, each with the beginning of the answer. */
export const readAttempts = (app: App, tenant: Tenant, page: AttemptPage) =>
  readTenant(app, tenant, async (work) => {
    await getEndpoint(work, page.endpointId);
    const rows = await listAttempts(work, page);
    return rows.map((row) => viewAttempt(row, responseOf(work, row)));
  });

/** One attempt with what was sent and what came back. */
export const readAttempt = (
  app: App,
  tenant: Tenant,
  { endpointId, id }: { endpointId: string; id: string },
) =>
  readTenant(app, tenant, async (work) => {
    await getEndpoint(work, endpointId);
    const row = found(isUuid(id) ? await findAttempt(work, { endpointId, id }) : undefined, 'Attempt');
    const { sent, response_headers } = openExchange(work.cipher, row.exchange);
    const request = sent && {
      url: sent.url,
      headers: shownHeaders(messageId(row.event_id), sent),
      body: beginning(eventBody(work, row)),
    };
    return { ...viewAttempt(row, responseOf(work, row)), request, response_headers };
  });

const RESPONSE_PLACE = 'webhook_attempt.response';

const responseOf = (work: Work, row: AttemptRow): string =>
  row.response === null
    ? (openExchange(work.cipher, row.exchange).response ?? '')
    : work.cipher.open(row.response, RESPONSE_PLACE);

const SHOWN_BYTES = 16 * 1024;

/** What was sent is the event's and is written again, not kept. */
const beginning = (text: string): string => Buffer.from(text).subarray(0, SHOWN_BYTES).toString();
