import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHouse, type House, type TeamInHand } from '../../../test/house.ts';
import { LEAST, origin, summary } from '../../../test/readings.ts';
import { inTenant, readTenant, type Work } from '../../app.ts';
import { DAY } from '../../platform/clock.ts';
import type { SummaryReading, SummedResource } from '../readings.ts';
import { SUMMARIES } from '../summaries/summaries.ts';
import {
  findSummary,
  putSummary,
  putWorkoutStream,
  readRaw,
  readSummaries,
  readWorkoutStream,
  SUMMED_RESOURCES,
  summaryIdOf,
  viewSummary,
} from './records.ts';

let house: House;
let team: TeamInHand;
let userId: string;
beforeAll(async () => {
  house = await openHouse();
  team = await house.team();
  userId = await team.user();
});
afterAll(() => house.close());

const working = <T>(run: (work: Work) => Promise<T>, of = team) => inTenant(house.app, of.tenant, run);
const reading = <T>(run: (work: Work) => Promise<T>, of = team) => readTenant(house.app, of.tenant, run);
const put = (one: SummaryReading, user = userId) => working((work) => putSummary(work, user, one));
const always = { fromDay: '2000-01-01', toDay: '2100-01-01' };
const listed = (user: string, resource: SummedResource, more: object = {}) =>
  reading((work) => readSummaries(work, { userId: user, resource, ...always, ...more }));

describe('a summary', () => {
  it.each(SUMMED_RESOURCES)(
    'of %s is shown as its schema says, what was left out as null',
    async (resource) => {
      const user = await team.user();
      const { id, change } = await put(summary(resource, LEAST[resource]), user);
      expect(change).toBe('created');
      const [view, ...more] = await listed(user, resource);
      expect(more).toEqual([]);
      expect(view).toMatchObject({
        id,
        user_id: user,
        source: { provider: 'fitbit', type: 'watch', slug: 'fitbit' },
      });
      const shape = SUMMARIES[resource].view;
      expect(shape.strict().parse(view)).toEqual(view);
      expect(Object.keys(view ?? {}).toSorted()).toEqual(Object.keys(shape.shape).toSorted());
    },
  );

  it('that comes again is the same one, and the newest version of it', async () => {
    const user = await team.user();
    const first = await put(summary('activity', { steps: 4000 }), user);
    const same = await put(summary('activity', { steps: 4000, distance: null }), user);
    expect(same).toEqual({ id: first.id, change: 'none', summary: null });
    house.clock.move(DAY);
    const grown = await put(summary('activity', { steps: 9000 }), user);
    expect(grown).toMatchObject({ id: first.id, change: 'updated', summary: { body: { steps: 9000 } } });
    const [view] = await listed(user, 'activity');
    expect(view).toEqual(grown.summary && viewSummary(grown.summary));
    expect(Date.parse(String(view?.['updated_at'])) - Date.parse(String(view?.['created_at']))).toBe(DAY);
  });

  it('says the same moment whatever the offset it was written in', async () => {
    const user = await team.user();
    await put(summary('sleep', LEAST.sleep), user);
    const again = {
      ...LEAST.sleep,
      bedtime_start: '2026-02-28T22:10:00Z',
      bedtime_stop: '2026-03-01T06:10:00.000Z',
    };
    expect((await put(summary('sleep', again), user)).change).toBe('none');
    expect((await listed(user, 'sleep'))[0]).toMatchObject({
      bedtime_start: '2026-02-28T22:10:00.000+00:00',
      date: '2026-03-01T00:00:00+00:00',
    });
  });

  // prettier-ignore
  const others: [string, Partial<SummaryReading>][] = [
    ['another key',      { key: '2026-03-02', day: '2026-03-02' }],
    ['another provider', { origin: origin({ provider: 'oura' }) }],
  ];
  it.each(others)('with %s is another one', async (_what, changes) => {
    const user = await team.user();
    const one = await put(summary('activity', { steps: 1 }), user);
    const other = await put(summary('activity', { steps: 1 }, changes), user);
    expect(other.change).toBe('created');
    expect(other.id).not.toBe(one.id);
    expect(await listed(user, 'activity')).toHaveLength(2);
  });

  // prettier-ignore
  it.each([
    ['told without one',            { name: 'Trail running', slug: 'trail_running' },          2],
    ['told with another',           { id: 77, name: 'Trail running', slug: 'trail_running' },  2],
    ['of a sport of the provider',  { id: 77, name: 'Moon walk', slug: 'moon_walk' },          77],
    ['of a sport that nobody knows', { name: 'Moon walk', slug: 'moon_walk' },                 0],
  ])('of a workout has one number for its sport: %s', async (_what, sport, id) => {
    const user = await team.user();
    await put(summary('workouts', { ...LEAST.workouts, sport }), user);
    expect(await listed(user, 'workouts')).toMatchObject([{ sport: { ...sport, id } }]);
  });

  it('of another user is another one, though all else is equal', async () => {
    const [one, other] = [await team.user(), await team.user()];
    const ids = await Promise.all([one, other].map((user) => put(summary('activity', { steps: 1 }), user)));
    expect(new Set(ids.map(({ id }) => id)).size).toBe(2);
  });

  it('is found by its id, which is known before it comes', async () => {
    const name = { userId, resource: 'workouts', provider: 'fitbit', key: 'run-1' };
    expect(await reading((work) => findSummary(work, 'workouts', summaryIdOf(name)))).toBeUndefined();
    await put(summary('workouts', LEAST.workouts, { key: 'run-1' }));
    expect(await reading((work) => findSummary(work, 'workouts', summaryIdOf(name)))).toMatchObject({
      key: 'run-1',
    });
    expect(await reading((work) => findSummary(work, 'sleep', summaryIdOf(name)))).toBeUndefined();
  });

  it('comes in the order of days, of the days and the provider that were asked for', async () => {
    const user = await team.user();
    for (const day of ['2026-02-27', '2026-02-25', '2026-02-26'])
      for (const provider of ['oura', 'fitbit'])
        await put(summary('body', LEAST.body, { key: day, day, origin: origin({ provider }) }), user);
    const days = async (more: object) =>
      (await listed(user, 'body', more)).map((view) => String(view['calendar_date']).slice(-2));
    expect(await days({ provider: 'oura' })).toEqual(['25', '26', '27']);
    expect(await days({ fromDay: '2026-02-26', toDay: '2026-02-26' })).toEqual(['26', '26']);
    expect(await days({ provider: 'garmin' })).toEqual([]);
  });

  it('has beside it what the provider sent, or its own fields', async () => {
    const user = await team.user();
    const raw = { summary: { stepCount: 4000 }, odd: ['ü', null] };
    await put(summary('activity', LEAST.activity, { raw }), user);
    await put(summary('activity', LEAST.activity, { key: 'b', day: '2026-03-02' }), user);
    const rows = await reading((work) => readRaw(work, { userId: user, resource: 'activity', ...always }));
    expect(rows.map(({ data }) => data)).toEqual([
      raw,
      expect.objectContaining({ steps: 4000, distance: null }),
    ]);
  });

  it('is shown to nobody else, nor after its user was deleted', async () => {
    const user = await team.user();
    const { id } = await put(summary('sleep', LEAST.sleep), user);
    const find = (of: TeamInHand) => reading((work) => findSummary(work, 'sleep', id), of);
    expect(await find(await house.team())).toBeUndefined();
    expect(await find(team)).toBeDefined();
    await team.delete(`/v2/user/${user}`);
    expect(await find(team)).toBeUndefined();
    expect(await listed(user, 'sleep')).toEqual([]);
  });

  it('is nowhere in clear', async () => {
    const user = await team.user();
    const secret = `note-${randomUUID()}`;
    await put(summary('meal', { ...LEAST.meal, name: secret }, { raw: { said: secret } }), user);
    const { rows } = await house.owner.query(
      `select encode(body, 'escape') || encode(raw, 'escape') || s::text as all from wearable_summary s where user_id = $1`,
      [user],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0].all).not.toContain(secret);
  });
});

describe('a stream', () => {
  const columns = { time: [1, 2, 3], heartrate: [80, null, 82], lat: [52.1, 52.2, 52.3] };
  const streamOf = (workoutId: string, of = team) =>
    reading((work) => readWorkoutStream(work, workoutId), of);

  it('is kept by its workout, and the newest wins', async () => {
    const { id } = await put(summary('workouts', LEAST.workouts, { key: 'streamed' }));
    expect(await streamOf(id)).toBeUndefined();
    const keep = (given: typeof columns) => working((work) => putWorkoutStream(work, id, given));
    expect(await keep(columns)).toBe('created');
    expect(await keep(columns)).toBe('none');
    expect(await streamOf(id)).toEqual(columns);
    expect(await keep({ ...columns, heartrate: [80, 81, 82] })).toBe('updated');
    expect(await streamOf(id)).toEqual({ ...columns, heartrate: [80, 81, 82] });
    expect(await streamOf(id, await house.team())).toBeUndefined();
  });

  it('goes with its user, as everything does', async () => {
    const user = await team.user();
    const { id } = await put(summary('workouts', LEAST.workouts), user);
    await working((work) => putWorkoutStream(work, id, columns));
    await house.owner.query('delete from app_user where id = $1', [user]);
    const { rows } = await house.owner.query(
      `select (select count(*) from wearable_summary where user_id = $1)
        + (select count(*) from workout_stream where workout_id = $2) as left`,
      [user, id],
    );
    expect(Number(rows[0].left)).toBe(0);
  });
});
