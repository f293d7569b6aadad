import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hooksIn, numbersOf, somethingHappened, until, type Hook } from '../../test/hook.ts';
import { openHouse, type House, type TeamInHand } from '../../test/house.ts';
import { openRelease } from '../../test/receiver.ts';
import type { App } from '../app.ts';
import { DAY, HOUR, later, MINUTE, SECOND } from '../platform/clock.ts';
import { openKeyring } from '../platform/crypto/keyring.ts';
import { openPools } from '../platform/db/open.ts';
import { asSystem } from '../platform/db/transact.ts';
import { openBell } from '../platform/jobs/bell.ts';
import { claimQuery, type ClaimedRow } from './claim-store.ts';
import { byIndexOnly } from './delivery-store.ts';
import { openKnownEvents } from './known-events.ts';
import { webhookReaction } from './reaction.ts';
import { startSender } from './sender.ts';

let house: House;
let hooks: ReturnType<typeof hooksIn>;
beforeAll(async () => {
  house = await openHouse();
  hooks = hooksIn(house);
});
afterAll(async () => {
  // First who hangs, so that nobody waits for an answer.
  await hooks.close();
  await house.close();
});

/** Many messages that are due at once, without going through events one by one. */
async function fill(hook: Hook, count: number): Promise<void> {
  await house.owner.query(
    `with one as (select * from webhook_delivery where endpoint_id = $1 limit 1),
      more as (insert into event (team_id, environment, id, event_type, data, created_at, position)
        select e.team_id, e.environment, gen_random_uuid(), e.event_type, e.data, e.created_at,
          nextval('event_position_seq') from event e, one, generate_series(1, $2::int) where e.id = one.event_id
        returning *)
    insert into webhook_delivery (team_id, environment, id, endpoint_id, event_id, due_at, due_wall, created_at)
    select team_id, environment, gen_random_uuid(), $1, id, $3, $3, $3 from more`,
    [hook.id, count, house.clock.now()],
  );
}

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** Rows of the queue that a plan touched, those that it looked at and dropped included. */
function rowsRead(plan: Plan): number {
  const own =
    plan['Relation Name'] === 'webhook_delivery'
      ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
      : 0;
  return own + (plan.Plans ?? []).reduce((sum, each) => sum + rowsRead(each), 0);
}

/** A claim that reads through them reads two hundred times as much as it may. */
const LONG_QUEUE = 20_000;

describe('a queue of many thousands for one endpoint', () => {
  it('neither keeps others waiting nor is read through for a batch', async () => {
    const [crowded, quiet] = [await house.team(), await house.team()];
    const slow = await hooks.hook(crowded);
    const quick = await hooks.hook(quiet);
    const { release, released } = openRelease();
    slow.receiver.answer = () => ({ status: 200, after: released });
    // Nobody waits for an answer while the queue is filled: that takes long, and their time would run out.
    await hooks.whileNobodyTakes(async () => {
      await hooks.say(crowded, 0);
      await until(async () => (await hooks.statusOf(slow)).length === 1);
      await fill(slow, LONG_QUEUE);
    });
    house.app.bell.ring('deliveries');
    await until(() => slow.receiver.received.length >= 10);
    await hooks.say(quiet, 1);
    await until(() => quick.receiver.received.length === 1);
    expect(slow.receiver.received.length).toBeLessThanOrEqual(10);

    const claim = {
      now: house.clock.now(),
      sender: randomUUID(),
      flying: [],
      leasedUntil: later(house.clock.now(), MINUTE),
      limit: 512,
      ids: '{}',
      rooms: '{}',
      after: '00000000-0000-0000-0000-000000000000',
    };
    const plan = await asSystem(house.app.db, async (tx) => {
      await byIndexOnly(tx);
      const { rows } = await sql<{ 'QUERY PLAN': { Plan: Plan }[] }>`
        explain (analyze, format json) ${claimQuery(claim)}`.execute(tx);
      return rows[0]?.['QUERY PLAN'][0]?.Plan;
    });
    expect(plan).toBeDefined();
    // The ten that are leased, ten more, and the steps from endpoint to endpoint.
    const read = rowsRead(plan as Plan);
    expect(read).toBeGreaterThan(10);
    expect(read).toBeLessThan(100);
    await crowded.management.delete(slow.path);
    release();
    await house.settle();
  });

  it('of which hundreds hang at once leaves room for the others', async () => {
    const [TEAMS, HOOKS] = [4, 8];
    const teams = await Promise.all(Array.from({ length: TEAMS }, () => house.team()));
    const dead: Hook[] = [];
    const { release, released } = openRelease();
    for (const team of teams) {
      const here = await Promise.all(Array.from({ length: HOOKS }, () => hooks.hook(team)));
      for (const { receiver } of here) receiver.answer = () => ({ status: 200, after: released });
      dead.push(...here);
    }
    const team = await house.team();
    const quick = await hooks.hook(team);
    // From here on the time of those who hang runs.
    await Promise.all(teams.map((each) => hooks.say(each, ...Array.from({ length: 10 }, (_, n) => n))));
    const hanging = () => dead.reduce((sum, { receiver }) => sum + receiver.received.length, 0);
    await until(() => hanging() === TEAMS * HOOKS * 10);
    await hooks.say(team, 1);
    await until(() => quick.receiver.received.length === 1);
    // Nobody has run out of time yet.
    const { rows } = await house.owner.query('select from webhook_attempt where endpoint_id = any($1)', [
      dead.map(({ id }) => id),
    ]);
    expect(rows).toEqual([]);
    await Promise.all(
      dead.map(({ path }, index) => teams[Math.floor(index / HOOKS)]?.management.delete(path)),
    );
    release();
    await house.settle();
  });
});

const attemptsOf = async (team: TeamInHand, { path }: Hook, message: string): Promise<number> => {
  const { json } = await team.management.get(`${path}/attempt?message_id=${message}`);
  return json.data.length;
};

/** A second service on the same database, with connections, keys and a bell of its own. */
async function second(): Promise<{ app: App; close(): Promise<void> }> {
  const pools = openPools(house.owner.options, 5, house.app.log);
  const keyring = openKeyring(pools.db, Buffer.alloc(32, 7).toString('base64'));
  const app = { ...house.app, db: pools.db, keyring, bell: openBell() };
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
  it('together send no more a second than the rate limit of an endpoint says, and nothing twice', async () => {
    const other = await second();
    const team = await house.team();
    const hook = await hooks.hook(team, { rate_limit: 20 });
    const at: number[] = [];
    hook.receiver.answer = () => {
      at.push(house.clock.now().getTime());
      return { status: 200 };
    };
    await hooks.say(team, ...Array.from({ length: 60 }, (_, n) => n));
    // As long as it takes until the next one may go, a little more: two senders want each at the same moment.
    await hooks.pass(hook, { count: 60, stepMs: 53, bells: [other.app.bell] });
    await house.settle();
    expect(new Set(numbersOf(hook)).size).toBe(60);
    expect(at).toHaveLength(60);
    for (const from of at) {
      expect(at.filter((moment) => moment >= from && moment < from + SECOND).length).toBeLessThanOrEqual(22);
    }
    await other.close();
  });

  it('send every message once', async () => {
    const other = await second();
    const team = await house.team();
    const hook = await hooks.hook(team);
    const rings = setInterval(() => other.app.bell.ring('deliveries'), 2);
    await hooks.say(team, ...Array.from({ length: 400 }, (_, n) => n));
    await house.settle();
    clearInterval(rings);
    expect(numbersOf(hook)).toHaveLength(400);
    expect(new Set(numbersOf(hook)).size).toBe(400);
    await other.close();
  });
});

describe('the clock', () => {
  it('that jumps ahead while a message is on its way does not send it twice', async () => {
    const team = await house.team();
    const hook = await hooks.hook(team);
    const { release, released } = openRelease();
    hook.receiver.answer = () => ({ status: 200, after: released });
    await hooks.say(team, 1);
    await until(() => hook.receiver.received.length === 1);
    house.clock.move(HOUR);
    await hooks.lookedAgain();
    expect(hook.receiver.received).toHaveLength(1);
    release();
    await house.settle();
    expect(hook.receiver.received).toHaveLength(1);
    expect(await hooks.statusOf(hook)).toEqual([{ status: 'delivered', attempts: 1 }]);
  });

  it('that is set back does not strand what was leased or paused by then', async () => {
    const team = await house.team();
    const limited = await hooks.hook(team, { rate_limit: 1 });
    const leased = await hooks.hook(team);
    leased.receiver.answer = () => ({ status: leased.receiver.received.length < 2 ? 500 : 200 });
    await hooks.say(team, 1);
    await house.settle();
    const ahead = later(house.clock.now(), DAY);
    await house.owner.query('update webhook_endpoint set rate_free_at = $2 where id = $1', [
      limited.id,
      ahead,
    ]);
    await hooks.leaseAll(leased, ahead);
    await hooks.move(6 * SECOND);
    expect(numbersOf(leased)).toEqual([1, 1]);
    await hooks.say(team, 2);
    await hooks.move(2 * SECOND);
    expect(numbersOf(limited)).toEqual([1, 2]);
  });
});

describe('a message whose outcome cannot be written down', () => {
  it('goes again when its lease is over, and not before', async () => {
    const team = await house.team();
    const hook = await hooks.hook(team);
    const lost = vi.spyOn(house.app.log, 'error');
    await house.owner.query('alter table webhook_attempt add constraint nothing check (false) not valid');
    try {
      await hooks.say(team, 1);
      await until(() => lost.mock.calls.some(([, said]) => said === 'an attempt could not be recorded'));
    } finally {
      await house.owner.query('alter table webhook_attempt drop constraint nothing');
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

/** A sender has this message on its way. */
const isLeased = async (id: string): Promise<boolean> =>
  (await house.owner.query('select from webhook_lease where $1 = any(messages)', [id])).rows.length > 0;

const WAITING_FOR_A_ROW = `select from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query like '%webhook_delivery%'`;

/** An endpoint that has refused a message about a user, and is owed it. */
async function owedOf(team: TeamInHand): Promise<{ hook: Hook; user: string }> {
  const hook = await hooks.hook(team);
  const user = await team.user();
  hook.receiver.answer = () => ({ status: 500 });
  await hooks.sayOf(team, user, 1);
  await house.settle();
  return { hook, user };
}

describe('what goes away while messages are on their way', () => {
  it('an endpoint takes its messages with it', async () => {
    const team = await house.team();
    const hook = await hooks.hook(team);
    const stays = await hooks.hook(team);
    const { release, released } = openRelease();
    hook.receiver.answer = () => ({ status: 500, after: released });
    await hooks.say(team, 1);
    await until(() => hook.receiver.received.length === 1);
    const { rows } = await house.owner.query('select id from webhook_delivery where endpoint_id = $1', [
      hook.id,
    ]);
    expect(rows).toHaveLength(1);
    expect((await team.management.delete(hook.path)).status).toBe(204);
    release();
    // What came of it has been written down, or could not be.
    await until(async () => !(await isLeased(rows[0].id)));
    await hooks.move(6 * SECOND);
    expect(hook.receiver.received).toHaveLength(1);
    expect(await hooks.statusOf(hook)).toEqual([]);
    expect(numbersOf(stays)).toEqual([1]);
  });

  it('a deleted user is told of no more: the messages wait, and come when the user comes back', async () => {
    const team = await house.team();
    const hook = await hooks.hook(team);
    const stays = await hooks.hook(team, { disabled: true });
    await team.management.patch(stays.path, { disabled: false });
    const [gone, other] = [await team.user(), await team.user()];
    hook.receiver.answer = () => ({ status: 500 });
    await hooks.sayOf(team, gone, 1);
    await hooks.sayOf(team, other, 2);
    await house.settle();
    await team.delete(`/v2/user/${gone}`);
    hook.receiver.answer = () => ({ status: 200 });
    const before = hook.receiver.received.length;
    await hooks.move(DAY);
    expect(numbersOf(hook).slice(before)).toEqual([2]);
    const sent = hook.receiver.received.find(({ body }) => body.data['n'] === 1)?.headers['webhook-id'];
    const told = () => attemptsOf(team, hook, String(sent));
    expect((await team.management.post(`${hook.path}/message/${String(sent)}/resend`)).status).toBe(404);
    expect(await told()).toBe(0);
    await team.management.patch(hook.path, { disabled: true });
    await team.management.patch(hook.path, { disabled: false });
    await house.settle();
    expect(numbersOf(hook).slice(before)).toEqual([2]);
    expect((await team.post(`/v2/user/undo_delete?user_id=${gone}`)).status).toBe(200);
    await hooks.move(SECOND);
    expect(numbersOf(hook).slice(before)).toEqual([2, 1]);
    expect(await told()).toBe(2);
  });

  it('what is erased in the moment in which it is due is not sent', async () => {
    const team = await house.team();
    const { hook, user: gone } = await owedOf(team);
    await team.delete(`/v2/user/${gone}`);
    hook.receiver.answer = () => ({ status: 200 });
    // The sender finds the message, sees whom it is about, and waits for its row until the row is gone.
    const eraser = await house.owner.connect();
    try {
      await eraser.query('begin');
      await eraser.query('delete from event where user_id = $1 and event_type = $2', [
        gone,
        somethingHappened.type,
      ]);
      house.clock.move(MINUTE);
      house.app.bell.ring('deliveries');
      await until(async () => (await house.owner.query(WAITING_FOR_A_ROW)).rows.length > 0);
      await eraser.query('commit');
    } finally {
      eraser.release();
    }
    await hooks.say(team, 2);
    await house.settle();
    expect(numbersOf(hook)).toEqual([1, 2]);
    expect(await hooks.statusOf(hook)).toHaveLength(1);
  });

  it('what is erased is not sent from memory', async () => {
    const team = await house.team();
    const { user } = await owedOf(team);
    const { rows } = await house.owner.query<ClaimedRow>(
      `select d.*, 1 as revision, false as troubled, 0 as clock_offset_ms from webhook_delivery d
       join event v on v.id = d.event_id where v.user_id = $1 and v.event_type = $2`,
      [user, somethingHappened.type],
    );
    const [row] = rows;
    if (!row) throw new Error('No message');
    const events = openKnownEvents();
    const known = () => asSystem(house.app.db, async (tx) => (await events.of(tx, rows)).known(row));
    const [first, again] = [await known(), await known()];
    expect(first).toBeDefined();
    expect(again).toBe(first);
    await house.owner.query('delete from event where id = $1', [row.event_id]);
    expect(await known()).toBeUndefined();
  });

  it('an erased user takes the messages along', async () => {
    const team = await house.team();
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
    const team = await house.team();
    const one = await hooks.hook(team, { filter_types: ['test.*'] });
    const two = await hooks.hook(team);
    one.receiver.answer = () => ({ status: 410 });
    await hooks.say(team, 1);
    await house.settle();
    const { rows } = await house.owner.query<{ id: string; position: number }>(
      `select id, position from event where team_id = $1 and event_type = 'endpoint.disabled'`,
      [team.tenant.teamId],
    );
    const [row] = rows;
    if (!row) throw new Error('No event');
    await house.owner.query('delete from webhook_delivery where event_id = $1', [row.id]);
    // One connection in all, and no key at hand.
    const pools = openPools(house.owner.options, 1, house.app.log);
    const keyring = openKeyring(pools.db, Buffer.alloc(32, 7).toString('base64'));
    const event = {
      tenant: team.tenant,
      id: row.id,
      type: 'endpoint.disabled',
      position: row.position,
      userId: null,
      createdAt: house.clock.now(),
    };
    await asSystem(pools.db, (tx) =>
      webhookReaction.take({ ...house.app, db: pools.db, keyring }, tx, [event]),
    );
    await pools.close();
    await house.settle();
    expect(two.receiver.received.filter(({ body }) => body.event_type === 'endpoint.disabled').length).toBe(
      2,
    );
  });
});
