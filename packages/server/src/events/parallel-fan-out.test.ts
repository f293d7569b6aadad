import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNodeStorage, openNode } from '../../test/nodes.ts';
import { seededRandom } from '../../test/seeded-random.ts';
import { somethingHappened } from '../../test/webhook-fixture.ts';
import { createOrganization, createTeam } from '../identity/management/management.ts';
import { inTenant } from '../platform/work.ts';
import { ENVIRONMENTS, type Tenant } from '../platform/tenant.ts';
import { execute } from '../platform/db/transact.ts';
import type { OpenedApp } from '../service.ts';
import { emit, type EventHandler } from './events.ts';
import { fanOut } from './fan-out.ts';
import type { App } from '../app.ts';

/** Processes without loops, on one database: the test alone places events. */
let nodes: OpenedApp[];
beforeAll(async () => {
  const storage = await createNodeStorage('template');
  nodes = [];
  for (const role of ['worker', 'worker', 'worker'] as const) nodes.push(await openNode(storage, role));
  await owner().query(
    'create table handled (event_id uuid not null, team_id uuid not null, environment text not null, position bigint)',
  );
  await owner().query('grant all on handled to aliquot_system');
}, 60_000);
afterAll(() => Promise.all(nodes.map((node) => node.close())));

const nodeAt = (index: number): OpenedApp => {
  const node = nodes[index % nodes.length];
  if (!node) throw new Error('There are no nodes');
  return node;
};
const owner = () => nodeAt(0).pools.ownerPool;

async function createTenants(count: number): Promise<Tenant[]> {
  const { app } = nodeAt(0);
  const org = await createOrganization(app, { name: 'Many teams' });
  const tenants: Tenant[] = [];
  for (let n = 0; n < count; n += 1) {
    const { id: teamId } = await createTeam(app, { orgId: org.id, name: `Team ${n}`, region: 'us' });
    tenants.push(...ENVIRONMENTS.map((environment) => ({ teamId, environment })));
  }
  return tenants;
}

const subject = { userId: null, clientUserId: null };

const say = (app: App, tenant: Tenant, ...numbers: number[]) =>
  inTenant(app, tenant, async (work) => {
    for (const n of numbers) await emit(work, somethingHappened, { subject, data: { n } });
  });

/** Records in the transaction of the fan-out what it is given. */
const recording: EventHandler<App> = {
  name: 'test.record',
  handle: async (_app, tx, events) => {
    for (const { id, tenant, position } of events)
      await sql`insert into handled values (${id}, ${tenant.teamId}, ${tenant.environment}, ${position})`.execute(
        tx,
      );
  },
};

/** Places events until none waits, and repeats after a killed connection. */
async function placeAll(app: App, isDone: () => boolean): Promise<void> {
  for (;;) {
    const wasDone = isDone();
    const placed = await fanOut(app, [recording]).catch(() => 'killed' as const);
    if (placed === 0 && wasDone && (await countWaiting()) === 0) return;
  }
}

const countWaiting = async (): Promise<number> =>
  (await owner().query('select count(*) as n from event where position is null')).rows[0].n;

const KILL_FAN_OUTS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()
    and (query like '%handled%' or query like '%aliquot_lock_event_logs%' or query like '%event_log_head%')`;

interface PlacedRow {
  readonly tenant: string;
  readonly id: string;
  readonly position: number;
}

const placedRows = async (table: string, id: string): Promise<PlacedRow[]> =>
  (
    await owner().query(
      `select environment || team_id::text as tenant, ${id} as id, position from ${table} order by 1, position`,
    )
  ).rows;

function groupByTenant(rows: readonly PlacedRow[]): Map<string, PlacedRow[]> {
  const groups = new Map<string, PlacedRow[]>();
  for (const row of rows) groups.set(row.tenant, [...(groups.get(row.tenant) ?? []), row]);
  return groups;
}

describe('several fan-outs on one database', () => {
  it.each([1, 2, 3])(
    'place every event once, in commit order and without gaps, also when connections are killed (seed %d)',
    async (seed) => {
      const random = seededRandom(seed);
      const tenants = await createTenants(4);
      /** The last number that each writer has committed; it goes on only after its commit. */
      let writers = tenants.length;
      const writing = tenants.map(async (tenant, index) => {
        for (let n = 0; n < 40;) {
          const numbers = Array.from({ length: 1 + random.below(4) }, () => (n += 1));
          await say(nodeAt(index).app, tenant, ...numbers);
        }
        writers -= 1;
      });
      const placing = nodes.flatMap(({ app }) => [0, 1].map(() => placeAll(app, () => writers === 0)));
      const killing = (async () => {
        while (writers > 0) await owner().query(KILL_FAN_OUTS);
      })();
      await Promise.all([...writing, ...placing, killing]);

      const log = await placedRows('event', 'id');
      expect(await placedRows('handled', 'event_id')).toEqual(log);
      const byTenant = groupByTenant(log);
      for (const events of byTenant.values()) {
        expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => index + 1));
        // One writer for each tenant, whose ids grow: the order of ids is that of its commits.
        expect(events.map(({ id }) => id)).toEqual(events.map(({ id }) => id).toSorted());
      }
      const { rows: heads } = await owner().query(
        'select environment || team_id::text as tenant, last_position as n from event_log_head order by 1',
      );
      expect(heads).toEqual([...byTenant].map(([tenant, events]) => ({ tenant, n: events.length })));
    },
    60_000,
  );

  it('place events of other tenants while one is being placed, and its own events afterwards', async () => {
    const [first, second] = await createTenants(1);
    if (!first || !second) throw new Error('There are no tenants');
    const [one, two] = [nodeAt(0).app, nodeAt(1).app];
    await say(one, first, 1);
    let proceed = () => {};
    const allowed = new Promise<void>((resolve) => (proceed = resolve));
    let reached = () => {};
    const held = new Promise<void>((resolve) => (reached = resolve));
    const slow: EventHandler<App> = {
      name: 'test.slow',
      handle: async () => {
        reached();
        await allowed;
      },
    };
    const placing = fanOut(one, [slow]);
    await held;
    await say(one, first, 2);
    await say(one, second, 1, 2, 3);
    expect(await fanOut(two, [recording])).toBe(3);
    expect(await fanOut(two, [recording])).toBe(0);
    proceed();
    expect(await placing).toBe(1);
    expect(await fanOut(two, [recording])).toBe(1);
    expect(await fanOut(two, [recording])).toBe(0);
  });

  it('leave the logs of tenants that fill no batch to the others', async () => {
    const [busy, quiet] = await createTenants(1);
    if (!busy || !quiet) throw new Error('There are no tenants');
    const [one, two] = [nodeAt(0).app, nodeAt(1).app];
    await say(one, busy, ...Array.from({ length: 1200 }, (_, n) => n));
    await say(one, quiet, 1);
    let inner = 0;
    const meanwhile: EventHandler<App> = {
      name: 'test.meanwhile',
      handle: async () => {
        inner += await fanOut(two, []);
      },
    };
    expect(await fanOut(one, [meanwhile])).toBe(500);
    expect(inner).toBe(1);
    expect([await fanOut(one, []), await fanOut(one, []), await fanOut(one, [])]).toEqual([500, 200, 0]);
  });

  it('give the positions of an aborted fan-out to the same events again', async () => {
    const [tenant] = await createTenants(1);
    if (!tenant) throw new Error('There are no tenants');
    const { app } = nodeAt(0);
    await say(app, tenant, 1, 2);
    const failing: EventHandler<App> = {
      name: 'test.fail',
      handle: (_app, tx) => execute(tx, 'select 1 / 0'),
    };
    await expect(fanOut(app, [failing])).rejects.toThrow();
    const positions: number[] = [];
    const noting: EventHandler<App> = {
      name: 'test.note',
      handle: async (_app, _tx, events) => void positions.push(...events.map(({ position }) => position)),
    };
    await fanOut(app, [noting]);
    expect(positions).toEqual([1, 2]);
  });
});
