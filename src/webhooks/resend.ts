import type { App, Work } from '../app.ts';
import { audited, type Acting } from '../management/management.ts';
import { DomainError, found } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { unpackMessage } from './bundle-store.ts';
import { ATTEMPTS_KEPT_MS } from './cleaner.ts';
import { holdEndpoint } from './endpoints.ts';
import { oweAgain, oweFailed } from './resend-store.ts';
import { eventOfMessage } from './signing/signature.ts';
import type { EndpointRow } from './store.ts';

/** Sends one message to one endpoint once more, whatever came of it before and whatever the filter says. */
export const resendMessage = (
  app: App,
  acting: Acting,
  { id, message }: { id: string; message: string },
): Promise<void> =>
  audited(app, acting, async (work) => {
    const endpoint = await holdEnabled(work, id);
    const eventId = found(eventOfMessage(message), 'Message');
    await unpackMessage(work, { endpointId: endpoint.id, eventId });
    const owed = await oweAgain(work, { id: newId(), endpointId: endpoint.id, eventId });
    if (!owed) throw new DomainError('not_found', 'Message not found');
    work.rings.add('deliveries');
    const deed = { action: 'webhook.message.resend', subject: endpoint.id, after: { message_id: message } };
    return { value: undefined, deed };
  });

/** More would make a request of seconds and a transaction of as long. */
const RECOVERED_MAX = 10_000;

/** Sends again what failed since a moment; 10,000 messages a call at most. */
export const recoverMessages = (
  app: App,
  acting: Acting,
  { id, since }: { id: string; since: Date },
): Promise<{ recovered: number; has_more: boolean }> =>
  audited(app, acting, async (work) => {
    const endpoint = await holdEnabled(work, id);
    keptSince(work, since);
    const recovered = await oweFailed(work, { endpointId: endpoint.id, since, limit: RECOVERED_MAX });
    work.rings.add('deliveries');
    return {
      value: { recovered, has_more: recovered === RECOVERED_MAX },
      deed: { action: 'webhook.recover', subject: endpoint.id, after: { since, recovered } },
    };
  });

/** Refuses a moment from before the messages that are still known. */
export function keptSince(work: Work, since: Date): void {
  if (work.now.getTime() - since.getTime() > ATTEMPTS_KEPT_MS) {
    throw new DomainError('bad_request', 'Messages can be sent again for 30 days');
  }
}

/** The endpoint, held for this work; 400 when it is disabled. */
export async function holdEnabled(work: Work, id: string): Promise<EndpointRow> {
  const endpoint = await holdEndpoint(work, id);
  if (endpoint.disabled_at !== null) throw new DomainError('bad_request', 'The webhook is disabled');
  return endpoint;
}
