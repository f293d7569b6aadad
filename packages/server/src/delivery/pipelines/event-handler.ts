import type { App } from '../../app.ts';
import type { SequencedEvent, EventHandler } from '../../events/events.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { listMainDestinations, enqueueDeliveries, type MainDestination } from './queue-store.ts';

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
    const byTenant = new Map(mains.map((main) => [`${main.team_id}/${main.environment}`, main]));
    const owed = events.flatMap((event) => {
      const main = byTenant.get(tenantKey(event.tenant));
      return main && acceptsType(main, event) ? [{ event, destinationId: main.id }] : [];
    });
    if (owed.length > 0) await enqueueDeliveries(tx, owed, app.clock.now());
  },
};

const tenantKey = ({ teamId, environment }: Tenant) => `${teamId}/${environment}`;

const acceptsType = ({ event_type_prefixes: prefixes }: MainDestination, { type }: SequencedEvent): boolean =>
  prefixes === null || prefixes.some((prefix) => type.startsWith(prefix));
