import type { App } from '../../app.ts';
import type { SequencedEvent, EventHandler } from '../../events/events.ts';
import { listMainDestinations, enqueueDeliveries, type MainDestination } from './queue-store.ts';
import { toTenant } from '../../platform/db/tenant-rows.ts';
import { toTenantKey } from '../../platform/tenant.ts';

/**
 * Enqueues every event for the main broker of its tenant, if it has one that accepts the type. Runs in the transaction
 * of the fan-out, as for webhooks, so that an event is enqueued for all its destinations or for none.
 */
export const pipelineEventHandler: EventHandler<App> = {
  name: 'pipelines',
  handle: async (app, tx, events) => {
    const mains = await listMainDestinations(
      tx,
      events.map(({ tenant }) => tenant),
    );
    if (mains.length === 0) return;
    const byTenant = new Map(mains.map((main) => [toTenantKey(toTenant(main)), main]));
    const owed = events.flatMap((event) => {
      const main = byTenant.get(toTenantKey(event.tenant));
      return main && acceptsType(main, event) ? [{ event, destinationId: main.id }] : [];
    });
    if (owed.length > 0) await enqueueDeliveries(tx, owed, app.clock.now());
  },
};

const acceptsType = ({ event_type_prefixes: prefixes }: MainDestination, { type }: SequencedEvent): boolean =>
  prefixes === null || prefixes.some((prefix) => type.startsWith(prefix));
