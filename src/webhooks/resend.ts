import { readTenant, type App, type Work } from '../app.ts';
import { DomainError, found } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Tenant } from '../platform/tenant.ts';
import { audited, type Acting } from './acting.ts';
import { listAttempts, oweAgain, oweSince, type AttemptPage, type AttemptRow } from './attempt-store.ts';
import { ATTEMPTS_KEPT_MS } from './cleaner.ts';
import { getEndpoint, holdEndpoint } from './endpoints.ts';
import { OPERATIONAL } from './events.ts';
import { RESPONSE_PLACE } from './record.ts';
import { eventOfMessage } from './signature.ts';
import type { EndpointRow } from './store.ts';

/** The attempts of one endpoint, the newest first, each with the beginning of the answer. */
export const readAttempts = (
  app: App,
  tenant: Tenant,
  page: AttemptPage,
): Promise<{ row: AttemptRow; response: string }[]> =>
  readTenant(app, tenant, async (work) => {
    await getEndpoint(work, page.endpointId);
    const rows = await listAttempts(work, page);
    return rows.map((row) => ({
      row,
      response: row.response === null ? '' : work.cipher.open(row.response, RESPONSE_PLACE),
    }));
  });

/** Sends one message to one endpoint once more, whatever came of it before and whatever the filter says. */
export const resendMessage = (
  app: App,
  acting: Acting,
  { id, message }: { id: string; message: string },
): Promise<void> =>
  audited(app, acting, async (work) => {
    const endpoint = await holdEnabled(work, id);
    const eventId = found(eventOfMessage(message), 'Message');
    const owed = await oweAgain(work, { id: newId(), endpointId: endpoint.id, eventId });
    if (!owed) throw new DomainError('not_found', 'Message not found');
    work.rings.add('deliveries');
    const deed = { action: 'webhook.message.resend', subject: endpoint.id, after: { message_id: message } };
    return { value: undefined, deed };
  });

/** Sends again what failed since a moment, and what was never owed because the endpoint was disabled or not there. */
export const recoverMessages = (
  app: App,
  acting: Acting,
  { id, since }: { id: string; since: Date },
): Promise<number> =>
  audited(app, acting, async (work) => {
    const endpoint = await holdEnabled(work, id);
    if (work.now.getTime() - since.getTime() > ATTEMPTS_KEPT_MS) {
      throw new DomainError('bad_request', 'Messages can be recovered for 30 days');
    }
    const recovered = await oweSince(work, { endpoint, since, but: [...OPERATIONAL] });
    work.rings.add('deliveries');
    return {
      value: recovered,
      deed: { action: 'webhook.recover', subject: endpoint.id, after: { since, recovered } },
    };
  });

async function holdEnabled(work: Work, id: string): Promise<EndpointRow> {
  const endpoint = await holdEndpoint(work, id);
  if (endpoint.disabled_at !== null) throw new DomainError('bad_request', 'The webhook is disabled');
  return endpoint;
}
