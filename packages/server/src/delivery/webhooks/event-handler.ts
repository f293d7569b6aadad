import { z } from 'zod';
import type { App } from '../../app.ts';
import { serializeEventBody, type SequencedEvent, type EventHandler } from '../../events/events.ts';
import type { Tx } from '../../platform/db/database.ts';
import { filterWebhookEvents } from '../pipelines/status.ts';
import { newId } from '../../platform/ids.ts';
import { distinctTenants, toTenantKey } from '../../platform/tenant.ts';
import { toTenant } from '../../platform/db/tenant-rows.ts';
import { groupIntoBundles, newBundleId } from './bundle.ts';
import { insertBundles, type NewBundle } from './bundle-store.ts';
import { forceIndexScans, findEvent } from './delivery-store.ts';
import { OPERATIONAL_EVENT_TYPES } from './events.ts';
import { matchesFilter } from './filter.ts';
import * as store from './store.ts';

/**
 * Enqueues every event for every enabled endpoint whose filter matches. Runs in the fan-out's transaction, so that an
 * event in the log is enqueued for all endpoints or none yet. Idempotent.
 */
export const webhookEventHandler: EventHandler<App> = {
  name: 'webhooks',
  handle: async (app, tx, placed) => {
    await forceIndexScans(tx);
    const events = await filterWebhookEvents(tx, placed);
    if (events.length === 0) return;
    const endpoints = await enabledByTenant(tx, events);
    if (endpoints.size === 0) return;
    const owed = new Map<store.EnabledEndpoint, string[]>();
    for (const event of events) {
      const own = endpoints.get(toTenantKey(event.tenant)) ?? [];
      const about = own.length > 0 ? await subjectEndpointOf(app, tx, event) : undefined;
      for (const endpoint of own) {
        if (endpoint.id === about || !matchesFilter(endpoint.filter_types, event.type)) continue;
        const ids = owed.get(endpoint);
        if (ids) ids.push(event.id);
        else owed.set(endpoint, [event.id]);
      }
    }
    await enqueueDeliveries(tx, owed, app.clock.now());
  },
};

/**
 * Enqueues deliveries: in bundles for healthy endpoints without a rate limit, otherwise and for the remainder one by
 * one.
 */
async function enqueueDeliveries(
  tx: Tx,
  owed: ReadonlyMap<store.EnabledEndpoint, readonly string[]>,
  now: Date,
): Promise<void> {
  const packed: NewBundle[] = [];
  const singles: store.NewDelivery[] = [];
  for (const [{ team_id, environment, id: endpoint_id, steady }, ids] of owed) {
    const { bundles, single } = steady ? groupIntoBundles(ids) : { bundles: [], single: ids };
    for (const event_ids of bundles)
      packed.push({ team_id, environment, id: newBundleId(), endpoint_id, event_ids });
    for (const event_id of single) singles.push({ team_id, environment, id: newId(), endpoint_id, event_id });
  }
  if (packed.length > 0) await insertBundles(tx, packed, now);
  if (singles.length > 0) await store.insertDeliveries(tx, singles, now);
}

async function enabledByTenant(
  tx: Tx,
  events: readonly SequencedEvent[],
): Promise<Map<string, store.EnabledEndpoint[]>> {
  const tenants = distinctTenants(events.map(({ tenant }) => tenant));
  const found = new Map<string, store.EnabledEndpoint[]>();
  for (const endpoint of await store.listEnabled(tx, tenants)) {
    const name = toTenantKey(toTenant(endpoint));
    found.set(name, [...(found.get(name) ?? []), endpoint]);
  }
  return found;
}

const AboutEndpoint = z.object({ data: z.object({ endpoint_id: z.string() }) });

/** The endpoint that an event is about: notifications of its own failures are not sent to it. */
async function subjectEndpointOf(
  app: App,
  tx: Tx,
  { tenant, id, type }: SequencedEvent,
): Promise<string | undefined> {
  if (!OPERATIONAL_EVENT_TYPES.has(type)) return undefined;
  const row = await findEvent(tx, { tenant, id });
  if (!row) return undefined;
  const cipher = app.keyring.cachedCipherOf(tenant) ?? (await app.keyring.cipherOf(tenant, tx));
  return AboutEndpoint.parse(JSON.parse(serializeEventBody({ cipher }, row))).data.endpoint_id;
}
