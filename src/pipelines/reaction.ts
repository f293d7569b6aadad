import type { App } from '../app.ts';
import type { PlacedEvent, Reaction } from '../events/events.ts';
import type { Tenant } from '../platform/tenant.ts';
import { listMain, owe, type MainDestination } from './queue-store.ts';

/**
 * Every event is owed to the main broker of its tenant, if it has one and wants the type. Part of the fan-out's
 * transaction, as for webhooks: an event in the log is owed to all or not yet to anybody.
 */
export const pipelineReaction: Reaction<App> = {
  name: 'pipelines',
  take: async (app, tx, events) => {
    const mains = await listMain(
      tx,
      events.map(({ tenant }) => tenant),
    );
    if (mains.length === 0) return;
    const byTenant = new Map(mains.map((main) => [`${main.team_id}/${main.environment}`, main]));
    const owed = events.flatMap((event) => {
      const main = byTenant.get(nameOf(event.tenant));
      return main && wantsType(main, event) ? [{ event, destinationId: main.id }] : [];
    });
    if (owed.length > 0) await owe(tx, owed, app.clock.now());
  },
};

const nameOf = ({ teamId, environment }: Tenant) => `${teamId}/${environment}`;

const wantsType = ({ event_type_prefixes: prefixes }: MainDestination, { type }: PlacedEvent): boolean =>
  prefixes === null || prefixes.some((prefix) => type.startsWith(prefix));
