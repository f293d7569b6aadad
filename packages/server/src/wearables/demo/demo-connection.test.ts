import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { DAY, HOUR } from '../../platform/clock.ts';

let service: TestService;
let team: TestTeam;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
});
afterAll(() => service.close());
// A demo lasts for a week, and would generate data every few hours in later tests.
const shown: string[] = [];
afterEach(async () => {
  for (const user of shown.splice(0)) await team.delete(`/v2/user/${user}`);
});

/** A new user of the team. */
async function createUser(): Promise<string> {
  const user = await team.user();
  shown.push(user);
  return user;
}

const connect = async (userId: string, provider = 'freestyle_libre', of: TestTeam = team) =>
  of.post('/v2/link/connect/demo', { user_id: userId, provider });

describe('a demo', () => {
  it('generates the same person for the same seed, under the ids of each user', async () => {
    const users = [await createUser(), await createUser(), await createUser()];
    const seeds = ['one', 'one', 'other'];
    for (const [at, userId] of users.entries()) {
      const body = { user_id: userId, provider: 'oura', seed: seeds[at] };
      expect((await team.post('/v2/link/connect/demo', body)).status).toBe(200);
    }
    await service.settle();
    const nights = await Promise.all(
      users.map(async (userId) => {
        const path = `/v2/summary/sleep/${userId}?start_date=2026-02-10&end_date=2026-02-20`;
        return (await team.get(path)).json.sleep.map((night: Record<string, unknown>) => ({
          id: night['id'],
          values: [night['bedtime_start'], night['duration'], night['hr_average']],
        }));
      }),
    );
    const valuesOf = (at: number) => nights[at].map(({ values }: { values: unknown }) => values);
    expect(nights[0].length).toBeGreaterThan(5);
    expect(valuesOf(1)).toEqual(valuesOf(0));
    expect(valuesOf(2)).not.toEqual(valuesOf(0));
    expect(nights[1][0].id).not.toBe(nights[0][0].id);
  });

  it('ingests once at a time when it is connected again and again, and measures the last person', async () => {
    const [again, once] = [await createUser(), await createUser()];
    const connectAs = (userId: string, seed: string) =>
      team.post('/v2/link/connect/demo', { user_id: userId, provider: 'oura', seed });
    const runsOf = async () => {
      const { rows } = await service.ownerPool.query<{ count: number }>(
        `select count(*)::int as count from graphile_worker.jobs
         where task_identifier = 'wearables.demonstrate' and queue_name is not null`,
      );
      return rows[0]?.count;
    };
    for (const seed of ['one', 'two', 'three', 'four', 'last']) {
      expect((await connectAs(again, seed)).status).toBe(200);
      // One may run, and one waits for it. Where a run has ended, its timer places the next without a queue.
      expect(await runsOf()).toBeLessThanOrEqual(2);
    }
    await connectAs(once, 'last');
    await service.settle();
    const path = (userId: string) =>
      `/v2/timeseries/${userId}/heartrate/grouped?start_date=2026-02-27&end_date=2026-02-28`;
    const heartOf = async (userId: string) => (await team.get(path(userId))).json.groups.oura[0].data;
    const expected = await heartOf(once);
    expect(expected.length).toBeGreaterThan(10);
    // What earlier persons measured at other times stays.
    expect(await heartOf(again)).toEqual(expect.arrayContaining(expected));
  });

  it('ends after a week even if it is paused', async () => {
    const own = await service.team();
    const user = await own.user();
    await connect(user, 'oura', own);
    await service.settle();
    const paused = await own.post('/v2/link/bulk_pause', { provider: 'oura', user_ids: [user] });
    expect(paused.status).toBe(200);
    service.clock.move(7 * DAY);
    await service.settle();
    expect((await own.get(`/v2/user/providers/${user}`)).json.providers).toEqual([]);
  });

  it('generates a month at once, new data every few hours, and ends after a week', async () => {
    const own = await service.team();
    const receiver = await own.endpoint();
    const user = await own.user();
    expect((await connect(user, 'freestyle_libre', own)).json).toEqual({
      success: true,
      detail: expect.stringContaining('7 days'),
    });
    await service.settle();
    // The log has them in order; deliveries may overtake each other.
    const { rows } = await service.ownerPool.query(
      'select event_type from event where user_id = $1 order by position',
      [user],
    );
    const types = rows.map(({ event_type: type }) => type);
    // The last day follows the history at once. A note is not written every day.
    expect(types.filter((type) => !type.includes('note'))).toEqual([
      'provider.connection.created',
      'provider.device.created',
      'historical.data.carbohydrates.created',
      'historical.data.glucose.created',
      'historical.data.insulin_injection.created',
      'daily.data.carbohydrates.created',
      'daily.data.glucose.created',
      'daily.data.insulin_injection.created',
    ]);
    expect(receiver.events().toSorted()).toEqual(types.toSorted());
    const { providers } = (await own.get(`/v2/user/providers/${user}`)).json;
    expect(providers).toMatchObject([{ slug: 'freestyle_libre', status: 'connected', error_details: null }]);
    expect((await own.get(`/v2/user/${user}`)).json.connected_sources).toMatchObject([
      { provider: { slug: 'freestyle_libre', name: 'FreeStyle Libre' } },
    ]);
    const pulls = (await own.get(`/v2/introspect/historical_pull?user_id=${user}`)).json;
    expect(pulls.data[0].provider.freestyle_libre).toMatchObject({
      pulled: { glucose: { status: 'success', error_details: null } },
      not_pulled: [],
    });
    expect(pulls.data[0].provider.freestyle_libre.pulled.glucose.days_with_data).toBeGreaterThan(28);

    const first = receiver.events().length;
    service.clock.move(3 * HOUR);
    await service.settle();
    expect(receiver.events().slice(first)).toContain('daily.data.glucose.created');

    service.clock.move(7 * DAY);
    await service.settle();
    expect((await own.get(`/v2/user/providers/${user}`)).json).toEqual({ providers: [] });
    const heard = receiver.events().length;
    service.clock.move(DAY);
    await service.settle();
    expect(receiver.events().length).toBe(heard);
  });

  it('reports the days with data of each resource', async () => {
    const user = await createUser();
    await connect(user, 'fitbit');
    await service.settle();
    const { data } = (await team.get(`/v2/introspect/historical_pull?user_id=${user}`)).json;
    const { activity, workouts } = data[0].provider.fitbit.pulled;
    const days = (at: string) => Math.floor(Date.parse(at) / DAY);
    expect(activity.days_with_data).toBeGreaterThan(28);
    expect(activity.days_with_data).toBeLessThanOrEqual(
      days(activity.range_end) - days(activity.range_start) + 1,
    );
    const { json } = await team.get(`/v2/summary/workouts/${user}?start_date=${activity.range_start}`);
    // What came after the history, on the last day, is not of the pull.
    const pulled = json.workouts.filter(
      (one: { time_end: string }) => Date.parse(one.time_end) <= Date.parse(workouts.range_end),
    );
    const told = new Set(pulled.map((one: { calendar_date: string }) => one.calendar_date));
    expect(workouts.days_with_data).toBe(told.size);
  });

  it.each(['apple_health_kit', 'fitbit', 'oura', 'freestyle_libre'])(
    'of %s can be looked at with all that it tells, which may be more than the provider itself does',
    async (provider) => {
      const user = await createUser();
      expect((await connect(user, provider)).status).toBe(200);
      const answer = await team.get(`/v2/user/providers/${user}`);
      expect(answer.json).toMatchObject({ providers: [{ slug: provider, status: 'connected' }] });
      const states = Object.values(answer.json.providers[0].resource_availability);
      expect(states.length).toBeGreaterThan(0);
      expect(states.every((state) => JSON.stringify(state).includes('"available"'))).toBe(true);
    },
  );

  it('requires a sandbox, a known provider and a user of the team', async () => {
    const real = await service.team('production');
    const theirs = await real.user();
    expect((await connect(theirs, 'oura', real)).status).toBe(400);
    expect((await connect(theirs, 'oura')).status).toBe(404);
    expect((await connect(await createUser(), 'garmin')).status).toBe(422);
  });

  it('starts again when it is connected again', async () => {
    const user = await createUser();
    await connect(user);
    await service.settle();
    service.clock.move(6 * DAY);
    await service.settle();
    expect((await connect(user)).status).toBe(200);
    await service.settle();
    service.clock.move(2 * DAY);
    await service.settle();
    expect((await team.get(`/v2/user/providers/${user}`)).json.providers).toHaveLength(1);
  });

  it('stops when its user is deleted', async () => {
    const user = await createUser();
    await connect(user, 'apple_health_kit');
    await team.delete(`/v2/user/${user}`);
    await service.settle();
    const left = `select count(*)::int as rows from connection where user_id = $1`;
    expect((await service.ownerPool.query(left, [user])).rows).toEqual([{ rows: 0 }]);
    await team.post(`/v2/user/undo_delete?user_id=${user}`);
    expect((await team.get(`/v2/user/providers/${user}`)).json).toEqual({ providers: [] });
  });

  it('can be refreshed eight times an hour', async () => {
    const user = await createUser();
    await connect(user);
    await service.settle();
    for (let time = 0; time < 8; time += 1) {
      const { status, json } = await team.post(`/v2/user/refresh/${user}`);
      expect([status, json.refreshed_sources]).toEqual([200, ['freestyle_libre']]);
    }
    service.clock.move(HOUR / 2);
    const ninth = await team.post(`/v2/user/refresh/${user}`);
    expect([ninth.status, ninth.headers['retry-after']]).toEqual([429, '1800']);
    service.clock.move(HOUR / 2);
    const shouted = await team.post(`/v2/user/refresh/${user.toUpperCase()}`);
    expect([shouted.status, shouted.json.user_id]).toEqual([200, user]);
  });

  it('ingests everything when two refreshes overlap', async () => {
    const user = await createUser();
    await connect(user);
    await service.settle();
    const refresh = () => team.post(`/v2/user/refresh/${user}?timeout=5`);
    const holder = await service.ownerPool.connect();
    const waiting = (many: number) =>
      vi.waitUntil(async () => (await service.ownerPool.query(HELD_UP)).rows[0].n >= many, 50_000);
    try {
      // Either of the two may end first.
      for (let round = 0; round < 4; round += 1) {
        await holder.query('begin');
        await holder.query('select from connection where user_id = $1 for update', [user]);
        service.clock.move(HOUR / 2);
        const earlier = refresh();
        await waiting(1);
        service.clock.move(HOUR / 2);
        const later = refresh();
        await waiting(2);
        await holder.query('commit');
        expect([(await earlier).status, (await later).status]).toEqual([200, 200]);
        await service.settle();
      }
    } finally {
      holder.release(true);
    }
  });
});

/** The waiters for a database connection. */
const HELD_UP = `select count(*)::int as n from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query like '%"connection"%'`;
