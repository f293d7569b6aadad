import { inTenant, type App, type Work } from '../app.ts';
import { emit } from '../events/events.ts';
import type { Tenant } from '../platform/tenant.ts';
import { endpointDisabled, type DisableReason } from './events.ts';
import { NO_FAILURES } from './failure-store.ts';
import { moveQueue } from './move-queue.ts';
import * as store from './store.ts';

export const NOBODY = { userId: null, clientUserId: null };

export interface Disabling {
  readonly id: string;
  readonly reason: DisableReason;
  /** The endpoint as it was when it gave the reason. Changed since then it is another one, perhaps a better. */
  readonly revision: number;
}

/** Disables an endpoint that is still enabled, and says so. What it is owed waits until it is enabled again. */
export function disableEndpoint(
  app: App,
  tenant: Tenant,
  { id, reason, revision }: Disabling,
): Promise<void> {
  return inTenant(app, tenant, async (work) => {
    const endpoint = await store.lockEndpoint(work, id);
    if (!endpoint || endpoint.disabled_at !== null || endpoint.revision !== revision) return;
    await switchOff(work, id);
    await emit(work, endpointDisabled, {
      subject: NOBODY,
      data: { endpoint_id: id, url: endpoint.url, reason },
    });
  });
}

/** From now on nothing new is owed to it, and what is owed already is held. */
export async function switchOff(work: Work, id: string): Promise<void> {
  await store.updateEndpoint(work, id, { disabled_at: work.now });
  await moveQueue(work, { id, disabled: true });
}

/** It starts anew: its failures are forgotten, and what was held goes. */
export async function switchOn(work: Work, id: string): Promise<void> {
  await store.updateEndpoint(work, id, { disabled_at: null, ...NO_FAILURES });
  await moveQueue(work, { id, disabled: false });
}
