import type { SequencedEvent } from '../../events/events.ts';
import type { Tx } from '../../platform/db/database.ts';
import { toTenant } from '../../platform/db/tenant-rows.ts';
import { toTenantKey } from '../../platform/tenant.ts';
import { lockSettings } from './settings-store.ts';

/**
 * The events of tenants that have not turned webhooks off. Locks the preferences until the transaction ends, so that an
 * event that skips webhooks is enqueued for a broker. A tenant that sets its first preferences concurrently still gets
 * webhooks, because they are handled before the brokers.
 */
export async function filterWebhookEvents(
  tx: Tx,
  events: readonly SequencedEvent[],
): Promise<readonly SequencedEvent[]> {
  const held = await lockSettings(
    tx,
    events.map(({ tenant }) => tenant),
  );
  const off = held.filter(({ enabled }) => !enabled.includes('svix'));
  if (off.length === 0) return events;
  const without = new Set(off.map((row) => toTenantKey(toTenant(row))));
  return events.filter(({ tenant }) => !without.has(toTenantKey(tenant)));
}
