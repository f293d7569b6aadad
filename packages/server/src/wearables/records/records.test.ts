import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { MINIMAL_BODIES, origin, summary } from '../../../test/readings.ts';
import { inTenant, readTenant, type Work } from '../../app.ts';
import { DAY } from '../../platform/clock.ts';
import { type SummaryReading, type SummaryResource, SUMMARIES } from '../../readings/readings.ts';
import {
  findSummary,
  putSummary,
  putWorkoutStream,
  listRawSummaries,
  readSummaries,
  readWorkoutStream,
  SUMMARY_RESOURCES,
  deriveSummaryId,
  toSummaryView,
} from './records.ts';

let service: TestService;
let team: TestTeam;
let userId: string;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
  userId = await team.user();
});
afterAll(() => service.close());

const working = <T>(run: (work: Work) => Promise<T>, of = team) => inTenant(service.app, of.tenant, run);
const reading = <T>(run: (work: Work) => Promise<T>, of = team) => readTenant(service.app, of.tenant, run);
const put = (one: SummaryReading, user = userId) => working((work) => putSummary(work, user, one));
const always = { fromDay: '2000-01-01', toDay: '2100-01-01' };
const listed = (user: string, resource: SummaryResource, more: object = {}) =>
  reading((work) => readSummaries(work, { userId: user, resource, ...always, ...more }));

describe('a summary', () => {
  it.each(SUMMARY_RESOURCES)(
    'of %s is shown as its schema says, what was left out as null',
    async (resource) => {
      const user = await team.user();
      const { id, change } = await put(summary(resource, MINIMAL_BODIES[resource]), user);
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
      // An optional field, such as that of a derived summary, is absent where it does not apply.
      const always = Object.entries(shape.shape).filter(([, field]) => !field.isOptional());
      expect(Object.keys(view ?? {}).toSorted()).toEqual(always.map(([name]) => name).toSorted());
    },
  );

  it('that is ingested again keeps its id and is updated', async () => {
    const user = await team.user();
    const first = await put(summary('activity', { steps: 4000 }), user);
    const same = await put(summary('activity', { steps: 4000, distance: null }), user);
    expect(same).toEqual({ id: first.id, change: 'none', summary: null });
    service.clock.move(DAY);
    const grown = await put(summary('activity', { steps: 9000 }), user);
    expect(grown).toMatchObject({ id: first.id, change: 'updated', summary: { body: { steps: 9000 } } });
    const [view] = await listed(user, 'activity');
    expect(view).toEqual(grown.summary && toSummaryView(grown.summary));
    expect(Date.parse(String(view?.['updated_at'])) - Date.parse(String(view?.['created_at']))).toBe(DAY);
  });

  it('normalizes timestamps to UTC', async () => {
    const user = await team.user();
    await put(summary('sleep', MINIMAL_BODIES.sleep), user);
    const again = {
      ...MINIMAL_BODIES.sleep,
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
  it.each(others)('with %s has another id', async (_what, changes) => {
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
    await put(summary('workouts', { ...MINIMAL_BODIES.workouts, sport }), user);
    expect(await listed(user, 'workouts')).toMatchObject([{ sport: { ...sport, id } }]);
  });

  it('of another user has another id, even if all else is equal', async () => {
    const [one, other] = [await team.user(), await team.user()];
    const ids = await Promise.all([one, other].map((user) => put(summary('activity', { steps: 1 }), user)));
    expect(new Set(ids.map(({ id }) => id)).size).toBe(2);
  });

  it('is found by its id, which is known before it is ingested', async () => {
    const name = { userId, resource: 'workouts', provider: 'fitbit', key: 'run-1' };
    expect(await reading((work) => findSummary(work, 'workouts', deriveSummaryId(name)))).toBeUndefined();
    await put(summary('workouts', MINIMAL_BODIES.workouts, { key: 'run-1' }));
    expect(await reading((work) => findSummary(work, 'workouts', deriveSummaryId(name)))).toMatchObject({
      key: 'run-1',
    });
    expect(await reading((work) => findSummary(work, 'sleep', deriveSummaryId(name)))).toBeUndefined();
  });

  it('is listed by day, filtered by days and provider', async () => {
    const user = await team.user();
    for (const day of ['2026-02-27', '2026-02-25', '2026-02-26'])
      for (const provider of ['oura', 'fitbit'])
        await put(
          summary('body', MINIMAL_BODIES.body, { key: day, day, origin: origin({ provider }) }),
          user,
        );
    const days = async (more: object) =>
      (await listed(user, 'body', more)).map((view) => String(view['calendar_date']).slice(-2));
    expect(await days({ provider: 'oura' })).toEqual(['25', '26', '27']);
    expect(await days({ fromDay: '2026-02-26', toDay: '2026-02-26' })).toEqual(['26', '26']);
    expect(await days({ provider: 'garmin' })).toEqual([]);
  });

  it('has the raw payload, or its own fields instead', async () => {
    const user = await team.user();
    const raw = { summary: { stepCount: 4000 }, odd: ['ü', null] };
    await put(summary('activity', MINIMAL_BODIES.activity, { raw }), user);
    await put(summary('activity', MINIMAL_BODIES.activity, { key: 'b', day: '2026-03-02' }), user);
    const rows = await reading((work) =>
      listRawSummaries(work, { userId: user, resource: 'activity', ...always }),
    );
    expect(rows.map(({ data }) => data)).toEqual([
      raw,
      expect.objectContaining({ steps: 4000, distance: null }),
    ]);
  });

  it('is not visible to other tenants, or after its user was deleted', async () => {
    const user = await team.user();
    const { id } = await put(summary('sleep', MINIMAL_BODIES.sleep), user);
    const find = (of: TestTeam) => reading((work) => findSummary(work, 'sleep', id), of);
    expect(await find(await service.team())).toBeUndefined();
    expect(await find(team)).toBeDefined();
    await team.delete(`/v2/user/${user}`);
    expect(await find(team)).toBeUndefined();
    expect(await listed(user, 'sleep')).toEqual([]);
  });

  it('is never stored in plain text', async () => {
    const user = await team.user();
    const secret = `note-${randomUUID()}`;
    await put(summary('meal', { ...MINIMAL_BODIES.meal, name: secret }, { raw: { said: secret } }), user);
    const { rows } = await service.ownerPool.query(
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

  it('is stored per workout, and the newest wins', async () => {
    const { id } = await put(summary('workouts', MINIMAL_BODIES.workouts, { key: 'streamed' }));
    expect(await streamOf(id)).toBeUndefined();
    const keep = (given: typeof columns) => working((work) => putWorkoutStream(work, id, given));
    expect(await keep(columns)).toBe('created');
    expect(await keep(columns)).toBe('none');
    expect(await streamOf(id)).toEqual(columns);
    expect(await keep({ ...columns, heartrate: [80, 81, 82] })).toBe('updated');
    expect(await streamOf(id)).toEqual({ ...columns, heartrate: [80, 81, 82] });
    expect(await streamOf(id, await service.team())).toBeUndefined();
  });

  it('is erased with its user', async () => {
    const user = await team.user();
    const { id } = await put(summary('workouts', MINIMAL_BODIES.workouts), user);
    await working((work) => putWorkoutStream(work, id, columns));
    await service.ownerPool.query('delete from app_user where id = $1', [user]);
    const { rows } = await service.ownerPool.query(
      `select (select count(*) from wearable_summary where user_id = $1)
        + (select count(*) from workout_stream where workout_id = $2) as left`,
      [user, id],
    );
    expect(Number(rows[0].left)).toBe(0);
  });
});
