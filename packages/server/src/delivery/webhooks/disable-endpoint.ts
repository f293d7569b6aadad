import { inTenant, type App, type Work } from '../../app.ts';
import { emit } from '../../events/events.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { endpointDisabled, type DisableReason } from './events.ts';
import { NO_FAILURES } from './failure-store.ts';
import { moveQueue } from './move-queue.ts';
import * as store from './store.ts';

export const NO_SUBJECT = { userId: null, clientUserId: null };

interface DisableEndpointCommand {
  readonly id: string;
  readonly reason: DisableReason;
  /** The revision of the endpoint that caused the reason. A changed endpoint is not disabled. */
  readonly revision: number;
}

/**
 * Disables an endpoint that is still enabled, and emits an event. Its pending messages wait until it is enabled again.
 */
export function disableEndpoint(
  app: App,
  tenant: Tenant,
  { id, reason, revision }: DisableEndpointCommand,
): Promise<void> {
  return inTenant(app, tenant, async (work) => {
    const endpoint = await store.lockEndpoint(work, id);
    if (!endpoint || endpoint.disabled_at !== null || endpoint.revision !== revision) return;
    await markDisabled(work, id);
    await emit(work, endpointDisabled, {
      subject: NO_SUBJECT,
      data: { endpoint_id: id, url: endpoint.url, reason },
    });
  });
}

/** From now on no new messages are enqueued for it, and pending ones are held. */
export async function markDisabled(work: Work, id: string): Promise<void> {
  await store.updateEndpoint(work, id, { disabled_at: work.now });
  await moveQueue(work, { id, disabled: true });
}

/** Resets its failures, and releases held messages. */
export async function markEnabled(work: Work, id: string): Promise<void> {
  await store.updateEndpoint(work, id, { disabled_at: null, ...NO_FAILURES });
  await moveQueue(work, { id, disabled: false });
}
