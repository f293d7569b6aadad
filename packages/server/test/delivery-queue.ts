import { beforeAll, expect } from 'vitest';
import type { App } from '../src/app.ts';
import { HOUR, later } from '../src/platform/clock.ts';
import { asSystem } from '../src/platform/db/transact.ts';
import { newId } from '../src/platform/ids.ts';
import { insertBundles } from '../src/delivery/webhooks/bundle-store.ts';
import { newBundleId } from '../src/delivery/webhooks/bundle.ts';
import { insertDeliveries } from '../src/delivery/webhooks/store.ts';
import { lateBound } from './service-hooks.ts';
import { somethingHappened, type TestEndpoint, type WebhookFixture } from './webhook-fixture.ts';
import type { TestService, TestTeam } from './service.ts';

/** An endpoint of a team whose queue only the test fills and claims. */
export interface QueueEndpoint extends TestEndpoint {
  readonly team: TestTeam;
}

/** The delivery queue of a test service, for the tests of a file. */
export function useDeliveryQueue(
  service: TestService,
  hooks: WebhookFixture,
): ReturnType<typeof deliveryQueue> {
  let created: ReturnType<typeof deliveryQueue> | undefined;
  beforeAll(() => {
    created = deliveryQueue(service, hooks);
  });
  return lateBound(() => created, 'The delivery queue');
}

/**
 * Messages that are due an hour after the service's clock: its own sender leaves them alone, so that a test can claim
 * and record them step by step. `app` has the later clock.
 */
function deliveryQueue(service: TestService, hooks: WebhookFixture) {
  const now = () => later(service.clock.now(), HOUR);
  const app: App = { ...service.app, clock: { now } };
  const columns = ({ team, id }: QueueEndpoint) => ({
    team_id: team.tenant.teamId,
    environment: team.tenant.environment,
    endpoint_id: id,
  });
  return {
    app,
    now,
    /** An endpoint that no event of the test is enqueued for by itself. */
    async endpoint(team: TestTeam, options: Record<string, unknown> = {}): Promise<QueueEndpoint> {
      return { team, ...(await hooks.hook(team, { filter_types: ['labtest.*'], ...options })) };
    },
    /** Ids of new events, about a user or about none. */
    async events(team: TestTeam, count: number, userId?: string): Promise<string[]> {
      const known = await eventIds(service, team);
      for (let n = 0; n < count; n += 1)
        await (userId === undefined ? hooks.say(team, n) : hooks.sayOf(team, userId, n));
      await service.settle();
      const added = (await eventIds(service, team)).filter((id) => !known.includes(id));
      expect(added).toHaveLength(count);
      return added;
    },
    /** Enqueues a message for each event; returns their ids. */
    async enqueue(endpoint: QueueEndpoint, events: readonly string[], due = now()): Promise<string[]> {
      const rows = events.map((event_id) => ({ ...columns(endpoint), id: newId(), event_id }));
      await asSystem(app.db, (tx) => insertDeliveries(tx, rows, due));
      return rows.map(({ id }) => id);
    },
    /** Enqueues a bundle with a message for each event; returns its id. */
    async enqueueBundle(endpoint: QueueEndpoint, events: readonly string[], due = now()): Promise<string> {
      const bundle = { ...columns(endpoint), id: newBundleId(), event_ids: events };
      await asSystem(app.db, (tx) => insertBundles(tx, [bundle], due));
      return bundle.id;
    },
    /** Removes everything from the queue of all teams. */
    async clear(): Promise<void> {
      for (const table of ['webhook_delivery', 'webhook_bundle', 'webhook_lease'])
        await service.ownerPool.query(`delete from ${table}`);
    },
  };
}

const eventIds = async ({ ownerPool }: TestService, { tenant }: TestTeam): Promise<string[]> =>
  (
    await ownerPool.query<{ id: string }>(
      `select id from event where team_id = $1 and environment = $2 and event_type = $3 order by position`,
      [tenant.teamId, tenant.environment, somethingHappened.type],
    )
  ).rows.map(({ id }) => id);
