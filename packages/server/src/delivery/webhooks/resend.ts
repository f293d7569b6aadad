import type { App, Work } from '../../app.ts';
import { runAuditedChange, type TenantChangeContext } from '../../identity/management/management.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { unpackMessage } from './bundle-store.ts';
import { RESENDABLE_MS } from './cleaner.ts';
import { lockExistingEndpoint } from './endpoints.ts';
import { requeueMessage, requeueFailed } from './resend-store.ts';
import { eventOfMessage } from '../../events/events.ts';
import type { EndpointRow } from './store.ts';

/** Resends one message to one endpoint, regardless of earlier outcomes and of the filter. */
export const resendMessage = (
  app: App,
  acting: TenantChangeContext,
  { id, message }: { id: string; message: string },
): Promise<void> =>
  runAuditedChange(app, acting, async (work) => {
    const endpoint = await lockEnabledEndpoint(work, id);
    const eventId = requireFound(eventOfMessage(message), 'Message');
    await unpackMessage(work, { endpointId: endpoint.id, eventId });
    const owed = await requeueMessage(work, { id: newId(), endpointId: endpoint.id, eventId });
    if (!owed) throw new DomainError('not_found', 'Message not found');
    work.wakeups.add('deliveries');
    const deed = { action: 'webhook.message.resend', subject: endpoint.id, after: { message_id: message } };
    return { value: undefined, deed };
  });

/** More would take a request, and a transaction, of several seconds. */
const RECOVER_MAX = 10_000;

/** Resends messages that failed since a timestamp; at most 10,000 per call. */
export const recoverMessages = (
  app: App,
  acting: TenantChangeContext,
  { id, since }: { id: string; since: Date },
): Promise<{ recovered: number; has_more: boolean }> =>
  runAuditedChange(app, acting, async (work) => {
    const endpoint = await lockEnabledEndpoint(work, id);
    assertWithinRetention(work, since);
    const recovered = await requeueFailed(work, { endpointId: endpoint.id, since, limit: RECOVER_MAX });
    work.wakeups.add('deliveries');
    return {
      value: { recovered, has_more: recovered === RECOVER_MAX },
      deed: { action: 'webhook.recover', subject: endpoint.id, after: { since, recovered } },
    };
  });

/** Refuses a timestamp before the retention period. */
export function assertWithinRetention(work: Work, since: Date): void {
  if (work.now.getTime() - since.getTime() > RESENDABLE_MS) {
    throw new DomainError('bad_request', 'Messages can be resent for 30 days only; use a later timestamp');
  }
}

/** Locks the endpoint for this work; 400 if it is disabled. */
export async function lockEnabledEndpoint(work: Work, id: string): Promise<EndpointRow> {
  const endpoint = await lockExistingEndpoint(work, id);
  if (endpoint.disabled_at !== null) throw new DomainError('bad_request', 'The webhook is disabled');
  return endpoint;
}
