import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import {
  useWebhookFixture,
  receivedNumbers,
  somethingHappened,
  waitUntil,
  type TestEndpoint,
} from '../../../test/webhook-fixture.ts';
import { reservePositions } from '../../../test/event-positions.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { createLatch } from '../../../test/receiver.ts';
import type { App } from '../../app.ts';
import { DAY, HOUR, later, MINUTE, SECOND } from '../../platform/clock.ts';
import { openKeyring } from '../../platform/crypto/keyring.ts';
import { openPools } from '../../platform/db/open.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { createNotifier } from '../../platform/jobs/notifier.ts';
import { claimQuery, type ClaimedRow } from './claim-store.ts';
import { forceIndexScans } from './delivery-store.ts';
import { openEventCache } from './event-cache.ts';
import { webhookEventHandler } from './event-handler.ts';
import { startSender } from './sender.ts';

const service = useTestService();
const hooks = useWebhookFixture(service);

/** Enqueues many due messages directly, without events. */
async function fill({ tenant }: TestTeam, hook: TestEndpoint, count: number): Promise<void> {
  const before = await reservePositions(service.ownerPool, tenant, count);
  await service.ownerPool.query(
    `with one as (select * from webhook_delivery where endpoint_id = $1 limit 1),
      more as (insert into event (team_id, environment, id, event_type, data, created_at, position)
        select e.team_id, e.environment, gen_random_uuid(), e.event_type, e.data, e.created_at,
          $4::bigint + n from event e, one, generate_series(1, $2::int) n where e.id = one.event_id
        returning *)
    insert into webhook_delivery (team_id, environment, id, endpoint_id, event_id, due_at, due_wall, created_at)
    select team_id, environment, gen_random_uuid(), $1, id, $3, $3, $3 from more`,
    [hook.id, count, service.clock.now(), before],
  );
}

interface QueryPlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: QueryPlanNode[];
}

/** The queue rows that a plan read, including those it discarded. */
function rowsRead(plan: QueryPlanNode): number {
  const own =
    plan['Relation Name'] === 'webhook_delivery'
      ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
      : 0;
  return own + (plan.Plans ?? []).reduce((sum, each) => sum + rowsRead(each), 0);
}

/** A claim that scans the queue would read two hundred times the limit. */
const LONG_QUEUE = 20_000;

describe('a queue of many thousands for one endpoint', () => {
  it('neither delays others nor is scanned for a batch', async () => {
    const [crowded, quiet] = [await service.team(), await service.team()];
    const slow = await hooks.hook(crowded);
    const quick = await hooks.hook(quiet);
    const { release, released } = createLatch();
    slow.receiver.respond = () => ({ status: 200, after: released });
    // No request is in flight while the queue is filled: that takes long, and requests would time out.
    await hooks.whileNobodyTakes(async () => {
      await hooks.say(crowded, 0);
      await waitUntil(async () => (await hooks.statusOf(slow)).length === 1);
      await fill(crowded, slow, LONG_QUEUE);
    });
    service.app.notifier.notify('deliveries');
    await waitUntil(() => slow.receiver.received.length >= 10);
    await hooks.say(quiet, 1);
    await waitUntil(() => quick.receiver.received.length === 1);
    expect(slow.receiver.received.length).toBeLessThanOrEqual(10);

    const claim = {
      now: service.clock.now(),
      sender: randomUUID(),
      flying: [],
      leasedUntil: later(service.clock.now(), MINUTE),
      limit: 512,
      ids: '{}',
      rooms: '{}',
      after: '00000000-0000-0000-0000-000000000000',
    };
    const plan = await asSystem(service.app.db, async (tx) => {
      await forceIndexScans(tx);
      const { rows } = await sql<{ 'QUERY PLAN': { Plan: QueryPlanNode }[] }>`
        explain (analyze, format json) ${claimQuery(claim)}`.execute(tx);
      return rows[0]?.['QUERY PLAN'][0]?.Plan;
    });
    expect(plan).toBeDefined();
    // The ten that are leased, ten more, and the steps from endpoint to endpoint.
    const read = rowsRead(plan as QueryPlanNode);
    expect(read).toBeGreaterThan(10);
    expect(read).toBeLessThan(100);
    await crowded.management.delete(slow.path);
    release();
    await service.settle();
  });

  it('of which hundreds hang at once leaves room for other endpoints', async () => {
    const [TEAMS, HOOKS] = [4, 8];
    const teams = await Promise.all(Array.from({ length: TEAMS }, () => service.team()));
    const dead: TestEndpoint[] = [];
    const { release, released } = createLatch();
    for (const team of teams) {
      const here = await Promise.all(Array.from({ length: HOOKS }, () => hooks.hook(team)));
      for (const { receiver } of here) receiver.respond = () => ({ status: 200, after: released });
      dead.push(...here);
    }
    const team = await service.team();
    const quick = await hooks.hook(team);
    // From here on the timeout of the hanging requests runs.
    await Promise.all(teams.map((each) => hooks.say(each, ...Array.from({ length: 10 }, (_, n) => n))));
    const hanging = () => dead.reduce((sum, { receiver }) => sum + receiver.received.length, 0);
    await waitUntil(() => hanging() === TEAMS * HOOKS * 10);
    await hooks.say(team, 1);
    await waitUntil(() => quick.receiver.received.length === 1);
    // No request has timed out yet.
    const { rows } = await service.ownerPool.query(
      'select from webhook_attempt where endpoint_id = any($1)',
      [dead.map(({ id }) => id)],
    );
    expect(rows).toEqual([]);
    await Promise.all(
      dead.map(({ path }, index) => teams[Math.floor(index / HOOKS)]?.management.delete(path)),
    );
    release();
    await service.settle();
  });
});

const attemptsOf = async (team: TestTeam, { path }: TestEndpoint, message: string): Promise<number> => {
  const { json } = await team.management.get(`${path}/attempt?message_id=${message}`);
  return json.data.length;
};

/** A second service on the same database, with its own connections, keys and notifier. */
async function second(): Promise<{ app: App; close(): Promise<void> }> {
  const pools = openPools(
    service.ownerPool.options,
    { size: 5, driver: service.app.config.DATABASE_DRIVER },
    service.app.log,
  );
  const keyring = openKeyring(pools.db, Buffer.alloc(32, 7).toString('base64'));
  const app = { ...service.app, db: pools.db, keyring, notifier: createNotifier() };
  const sender = startSender(app);
  return {
    app,
    close: async () => {
      await sender.stop();
      await pools.close();
    },
  };
}

describe('two services', () => {
  it('together respect the rate limit of an endpoint, and send nothing twice', async () => {
    const other = await second();
    const team = await service.team();
    const hook = await hooks.hook(team, { rate_limit: 20 });
    const at: number[] = [];
    hook.receiver.respond = () => {
      at.push(service.clock.now().getTime());
      return { status: 200 };
    };
    await hooks.say(team, ...Array.from({ length: 60 }, (_, n) => n));
    // Slightly longer than the interval between messages: two senders want each at the same time.
    await hooks.pass(hook, { count: 60, stepMs: 53, notifiers: [other.app.notifier] });
    await service.settle();
    expect(new Set(receivedNumbers(hook)).size).toBe(60);
    expect(at).toHaveLength(60);
    for (const from of at) {
      expect(at.filter((moment) => moment >= from && moment < from + SECOND).length).toBeLessThanOrEqual(22);
    }
    await other.close();
  });

  it('send every message once', async () => {
    const other = await second();
    const team = await service.team();
    const hook = await hooks.hook(team);
    const rings = setInterval(() => other.app.notifier.notify('deliveries'), 2);
    await hooks.say(team, ...Array.from({ length: 400 }, (_, n) => n));
    await service.settle();
    clearInterval(rings);
    expect(receivedNumbers(hook)).toHaveLength(400);
    expect(new Set(receivedNumbers(hook)).size).toBe(400);
    await other.close();
  });
});

describe('the clock', () => {
  it('that jumps ahead while a message is in flight does not send it twice', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    const { release, released } = createLatch();
    hook.receiver.respond = () => ({ status: 200, after: released });
    await hooks.say(team, 1);
    await waitUntil(() => hook.receiver.received.length === 1);
    service.clock.move(HOUR);
    await hooks.lookedAgain();
    expect(hook.receiver.received).toHaveLength(1);
    release();
    await service.settle();
    expect(hook.receiver.received).toHaveLength(1);
    expect(await hooks.statusOf(hook)).toEqual([{ status: 'delivered', attempts: 1 }]);
  });

  it('that is set back does not strand what was leased or paused by then', async () => {
    const team = await service.team();
    const limited = await hooks.hook(team, { rate_limit: 1 });
    const leased = await hooks.hook(team);
    leased.receiver.respond = () => ({ status: leased.receiver.received.length < 2 ? 500 : 200 });
    await hooks.say(team, 1);
    await service.settle();
    const ahead = later(service.clock.now(), DAY);
    await service.ownerPool.query('update webhook_endpoint set rate_free_at = $2 where id = $1', [
      limited.id,
      ahead,
    ]);
    await hooks.leaseAll(leased, ahead);
    await hooks.move(6 * SECOND);
    expect(receivedNumbers(leased)).toEqual([1, 1]);
    await hooks.say(team, 2);
    await hooks.move(2 * SECOND);
    expect(receivedNumbers(limited)).toEqual([1, 2]);
  });
});

describe('a message whose outcome cannot be recorded', () => {
  it('is sent again when its lease ends, and not before', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    const lost = vi.spyOn(service.app.log, 'error');
    await service.ownerPool.query(
      'alter table webhook_attempt add constraint nothing check (false) not valid',
    );
    try {
      await hooks.say(team, 1);
      await waitUntil(() => lost.mock.calls.some(([, said]) => said === 'an attempt could not be recorded'));
    } finally {
      await service.ownerPool.query('alter table webhook_attempt drop constraint nothing');
      lost.mockRestore();
    }
    await hooks.lookedAgain();
    expect(hook.receiver.received).toHaveLength(1);
    await hooks.move(MINUTE);
    expect(hook.receiver.received).toHaveLength(2);
    expect(new Set(hook.receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await hooks.statusOf(hook)).toEqual([{ status: 'delivered', attempts: 1 }]);
  });
});

/** Waits until a sender has this message in flight. */
const isLeased = async (id: string): Promise<boolean> =>
  (await service.ownerPool.query('select from webhook_lease where $1 = any(messages)', [id])).rows.length > 0;

const WAITING_FOR_A_ROW = `select from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query like '%webhook_delivery%'`;

/** An endpoint that failed a message about a user, which is pending. */
async function owedOf(team: TestTeam): Promise<{ hook: TestEndpoint; user: string }> {
  const hook = await hooks.hook(team);
  const user = await team.user();
  hook.receiver.respond = () => ({ status: 500 });
  await hooks.sayOf(team, user, 1);
  await service.settle();
  return { hook, user };
}

describe('deletions while messages are in flight', () => {
  it('of an endpoint delete its messages', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    const stays = await hooks.hook(team);
    const { release, released } = createLatch();
    hook.receiver.respond = () => ({ status: 500, after: released });
    await hooks.say(team, 1);
    await waitUntil(() => hook.receiver.received.length === 1);
    const { rows } = await service.ownerPool.query('select id from webhook_delivery where endpoint_id = $1', [
      hook.id,
    ]);
    expect(rows).toHaveLength(1);
    expect((await team.management.delete(hook.path)).status).toBe(204);
    release();
    // The outcome has been recorded, or could not be.
    await waitUntil(async () => !(await isLeased(rows[0].id)));
    await hooks.move(6 * SECOND);
    expect(hook.receiver.received).toHaveLength(1);
    expect(await hooks.statusOf(hook)).toEqual([]);
    expect(receivedNumbers(stays)).toEqual([1]);
  });

  it('of a user hold the messages until the user is restored', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    const stays = await hooks.hook(team, { disabled: true });
    await team.management.patch(stays.path, { disabled: false });
    const [gone, other] = [await team.user(), await team.user()];
    hook.receiver.respond = () => ({ status: 500 });
    await hooks.sayOf(team, gone, 1);
    await hooks.sayOf(team, other, 2);
    await service.settle();
    await team.delete(`/v2/user/${gone}`);
    hook.receiver.respond = () => ({ status: 200 });
    const before = hook.receiver.received.length;
    await hooks.move(DAY);
    expect(receivedNumbers(hook).slice(before)).toEqual([2]);
    const sent = hook.receiver.received.find(({ body }) => body.data['n'] === 1)?.headers['webhook-id'];
    const told = () => attemptsOf(team, hook, String(sent));
    expect((await team.management.post(`${hook.path}/message/${String(sent)}/resend`)).status).toBe(404);
    expect(await told()).toBe(0);
    await team.management.patch(hook.path, { disabled: true });
    await team.management.patch(hook.path, { disabled: false });
    await service.settle();
    expect(receivedNumbers(hook).slice(before)).toEqual([2]);
    expect((await team.post(`/v2/user/undo_delete?user_id=${gone}`)).status).toBe(200);
    await hooks.move(SECOND);
    expect(receivedNumbers(hook).slice(before)).toEqual([2, 1]);
    expect(await told()).toBe(2);
  });

  it('erase a message that is just due before it is sent', async () => {
    const team = await service.team();
    const { hook, user: gone } = await owedOf(team);
    await team.delete(`/v2/user/${gone}`);
    hook.receiver.respond = () => ({ status: 200 });
    // The sender finds the message and its user, and waits for the row until it is gone.
    const eraser = await service.ownerPool.connect();
    try {
      await eraser.query('begin');
      await eraser.query('delete from event where user_id = $1 and event_type = $2', [
        gone,
        somethingHappened.type,
      ]);
      service.clock.move(MINUTE);
      service.app.notifier.notify('deliveries');
      await waitUntil(async () => (await service.ownerPool.query(WAITING_FOR_A_ROW)).rows.length > 0);
      await eraser.query('commit');
    } finally {
      eraser.release();
    }
    await hooks.say(team, 2);
    await service.settle();
    expect(receivedNumbers(hook)).toEqual([1, 2]);
    expect(await hooks.statusOf(hook)).toHaveLength(1);
  });

  it('prevent erased events from being sent from the cache', async () => {
    const team = await service.team();
    const { user } = await owedOf(team);
    const { rows } = await service.ownerPool.query<ClaimedRow>(
      `select d.*, 1 as revision, false as troubled, 0 as clock_offset_ms from webhook_delivery d
       join event v on v.id = d.event_id where v.user_id = $1 and v.event_type = $2`,
      [user, somethingHappened.type],
    );
    const [row] = rows;
    if (!row) throw new Error('No message');
    const events = openEventCache();
    const known = () => asSystem(service.app.db, async (tx) => (await events.load(tx, rows)).known(row));
    const [first, again] = [await known(), await known()];
    expect(first).toBeDefined();
    expect(again).toBe(first);
    await service.ownerPool.query('delete from event where id = $1', [row.event_id]);
    expect(await known()).toBeUndefined();
  });

  it('by erasure of a user remove the messages', async () => {
    const team = await service.team();
    const { hook, user: gone } = await owedOf(team);
    await team.delete(`/v2/user/${gone}`);
    await hooks.move(8 * DAY);
    expect(hook.receiver.received).toHaveLength(1);
    expect(await hooks.statusOf(hook)).toEqual([]);
    const attempts = await team.management.get(`${hook.path}/attempt`);
    expect(attempts.json.data).toEqual([]);
  });
});

describe('the fan-out', () => {
  it('needs no second connection for an event about an endpoint', async () => {
    const team = await service.team();
    const one = await hooks.hook(team, { filter_types: ['test.*'] });
    const two = await hooks.hook(team);
    one.receiver.respond = () => ({ status: 410 });
    await hooks.say(team, 1);
    await service.settle();
    const { rows } = await service.ownerPool.query<{ id: string; position: number }>(
      `select id, position from event where team_id = $1 and event_type = 'endpoint.disabled'`,
      [team.tenant.teamId],
    );
    const [row] = rows;
    if (!row) throw new Error('No event');
    await service.ownerPool.query('delete from webhook_delivery where event_id = $1', [row.id]);
    // One connection in total, and no cached key.
    const pools = openPools(
      service.ownerPool.options,
      { size: 1, driver: service.app.config.DATABASE_DRIVER },
      service.app.log,
    );
    const keyring = openKeyring(pools.db, Buffer.alloc(32, 7).toString('base64'));
    const event = {
      tenant: team.tenant,
      id: row.id,
      type: 'endpoint.disabled',
      position: row.position,
      userId: null,
      createdAt: service.clock.now(),
    };
    await asSystem(pools.db, (tx) =>
      webhookEventHandler.handle({ ...service.app, db: pools.db, keyring }, tx, [event]),
    );
    await pools.close();
    await service.settle();
    expect(two.receiver.received.filter(({ body }) => body.event_type === 'endpoint.disabled').length).toBe(
      2,
    );
  });
});
