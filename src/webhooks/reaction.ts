import { z } from 'zod';
import type { App } from '../app.ts';
import { eventBody, type PlacedEvent, type Reaction } from '../events/events.ts';
import type { Tx } from '../platform/db/database.ts';
import { withWebhooks } from '../pipelines/status.ts';
import { newId } from '../platform/ids.ts';
import type { Tenant } from '../platform/tenant.ts';
import { bundled, newBundleId } from './bundle.ts';
import { insertBundles, type NewBundle } from './bundle-store.ts';
import { byIndexOnly, findEvent } from './delivery-store.ts';
import { OPERATIONAL } from './events.ts';
import { wants } from './filter.ts';
import * as store from './store.ts';

/**
 * Every event is owed to every enabled endpoint that wants its type. Part of the fan-out's transaction, so that
 * an event in the log is owed to all or not yet to anybody; a second run owes nothing twice.
 */
export const webhookReaction: Reaction<App> = {
  name: 'webhooks',
  take: async (app, tx, placed) => {
    await byIndexOnly(tx);
    const events = await withWebhooks(tx, placed);
    if (events.length === 0) return;
    const endpoints = await enabledByTenant(tx, events);
    if (endpoints.size === 0) return;
    const owed = new Map<store.EnabledEndpoint, string[]>();
    for (const event of events) {
      const own = endpoints.get(nameOf(event.tenant)) ?? [];
      const about = own.length > 0 ? await endpointOf(app, tx, event) : undefined;
      for (const endpoint of own) {
        if (endpoint.id === about || !wants(endpoint.filter_types, event.type)) continue;
        const ids = owed.get(endpoint);
        if (ids) ids.push(event.id);
        else owed.set(endpoint, [event.id]);
      }
    }
    await owe(tx, owed, app.clock.now());
  },
};

/** An endpoint that takes what comes is owed bundles of messages, any other, and what is left over, one by one. */
async function owe(
  tx: Tx,
  owed: ReadonlyMap<store.EnabledEndpoint, readonly string[]>,
  now: Date,
): Promise<void> {
  const packed: NewBundle[] = [];
  const singles: store.Owed[] = [];
  for (const [{ team_id, environment, id: endpoint_id, steady }, ids] of owed) {
    const { bundles, single } = steady ? bundled(ids) : { bundles: [], single: ids };
    for (const event_ids of bundles)
      packed.push({ team_id, environment, id: newBundleId(), endpoint_id, event_ids });
    for (const event_id of single) singles.push({ team_id, environment, id: newId(), endpoint_id, event_id });
  }
  if (packed.length > 0) await insertBundles(tx, packed, now);
  if (singles.length > 0) await store.insertDeliveries(tx, singles, now);
}

const nameOf = ({ teamId, environment }: Tenant) => `${teamId}/${environment}`;

async function enabledByTenant(
  tx: Tx,
  events: readonly PlacedEvent[],
): Promise<Map<string, store.EnabledEndpoint[]>> {
  const tenants = new Map(events.map(({ tenant }) => [nameOf(tenant), tenant]));
  const found = new Map<string, store.EnabledEndpoint[]>();
  for (const endpoint of await store.listEnabled(tx, [...tenants.values()])) {
    const name = `${endpoint.team_id}/${endpoint.environment}`;
    found.set(name, [...(found.get(name) ?? []), endpoint]);
  }
  return found;
}

const AboutEndpoint = z.object({ data: z.object({ endpoint_id: z.string() }) });

/** The endpoint that an event is about: the news of its own failures is not sent to it. */
async function endpointOf(app: App, tx: Tx, { tenant, id, type }: PlacedEvent): Promise<string | undefined> {
  if (!OPERATIONAL.has(type)) return undefined;
  const row = await findEvent(tx, { tenant, id });
  if (!row) return undefined;
  const cipher = app.keyring.atHand(tenant) ?? (await app.keyring.of(tenant, tx));
  return AboutEndpoint.parse(JSON.parse(eventBody({ cipher }, row))).data.endpoint_id;
}
