import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import {
  ingestReadings,
  MORNING,
  origin,
  sample,
  samplesReading,
  DAY_SUMMARIES,
  summaryReading,
} from '../../../test/wearable-data.ts';
import { MINUTE } from '../../platform/clock.ts';
import { SUMMARY_ENDPOINTS } from './summary-table.ts';

let service: TestService;
let team: TestTeam;
let user: string;
const UNKNOWN = '01900000-0000-7000-8000-000000000000';
const DAY = 'start_date=2026-03-02&end_date=2026-03-02';
const apple = origin({ provider: 'apple_health_kit', type: 'phone', appId: 'com.example', device: null });

beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
  user = await team.user();
  await ingestReadings({ service, team, userId: user }, DAY_SUMMARIES);
});
afterAll(() => service.close());

const summaries = async (path: string, query = DAY) => (await team.get(`/v2/summary/${path}?${query}`)).json;

describe('summaries of each resource', () => {
  it.each(SUMMARY_ENDPOINTS)('are listed by day: $path', async ({ path, list }) => {
    const [one, ...others] = (await summaries(`${path}/${user}`))[list];
    expect(others).toEqual([]);
    expect(one).toMatchObject({ user_id: user, source: { provider: 'fitbit', type: 'watch' } });
    expect(one.source.device_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await summaries(`${path}/${user}`, 'start_date=2026-03-01&end_date=2026-03-01')).toEqual({
      [list]: [],
    });
    expect(await summaries(`${path}/${user}`, `${DAY}&provider=oura`)).toEqual({ [list]: [] });
    expect((await summaries(`${path}/${user}`, 'start_date=2026-03-01&provider=fitbit'))[list]).toHaveLength(
      1,
    );
  });

  it.each(SUMMARY_ENDPOINTS.filter(({ raw }) => raw))(
    'are read as they were sent: $path',
    async ({ path, list }) => {
      const [one] = (await summaries(`${path}/${user}/raw`))[list];
      const [told] = (await summaries(`${path}/${user}`))[list];
      expect(one).toMatchObject({ id: told.id, user_id: user, source: { name: 'Fitbit', slug: 'fitbit' } });
      expect(one.source_device_id).toBe(told.source.device_id);
    },
  );

  it('have the raw payload verbatim, with the sport of a workout', async () => {
    expect((await summaries(`activity/${user}/raw`)).activity[0].data).toEqual({ stepCount: 8000 });
    const [workout] = (await summaries(`workouts/${user}/raw`)).workouts;
    expect(workout).toMatchObject({ data: { logId: 7 }, sport_id: 1, sport: { slug: 'running' } });
  });

  it('are filtered by the written day', async () => {
    const count = async (query: string) => (await summaries(`sleep/${user}`, query)).sleep.length;
    expect(await count('start_date=2026-03-02T23:59:59-08:00&end_date=2026-03-02T00:00:00Z')).toBe(1);
    expect(await count('start_date=2026-03-01&end_date=2026-03-01T23:59:59Z')).toBe(0);
  });

  // prettier-ignore
  const wrongs = [
    { path: 'sleep',       query: '',                                            at: 'start_date' },
    { path: 'sleep',       query: 'start_date=2026-02-30',                       at: 'start_date' },
    { path: 'sleep',       query: 'start_date=2026-03-02&end_date=2026-03-01',   at: 'end_date' },
    { path: 'sleep_cycle', query: 'start_date=2026-03-02T00:00:00Z',             at: 'start_date' },
    { path: 'sleep/raw',   query: 'start_date=2026-03-02&end_date=never',        at: 'end_date' },
  ];
  it.each(wrongs)('of $path with "$query" are rejected at $at', async ({ path, query, at }) => {
    const [resource, ...rest] = path.split('/');
    const { status, json } = await team.get(`/v2/summary/${[resource, user, ...rest].join('/')}?${query}`);
    expect([status, json.detail[0].loc]).toEqual([422, ['query', at]]);
  });
});

describe('a profile', () => {
  it('is the latest one, or that of a provider', async () => {
    const height = async (query = '') =>
      (await team.get(`/v2/summary/profile/${user}${query}`)).json.height ?? null;
    expect(await height()).toBe(180);
    service.clock.move(MINUTE);
    await ingestReadings({ service, team, userId: user }, [
      summaryReading({ resource: 'profile', origin: apple, body: { height: 181 }, raw: { cm: '181' } }),
    ]);
    expect(await height()).toBe(181);
    expect(await height('?provider=fitbit')).toBe(180);
    const raw = await team.get(`/v2/summary/profile/${user}/raw`);
    expect(raw.json.profile).toMatchObject({ data: { cm: '181' }, source: { slug: 'apple_health_kit' } });
  });

  it('is a 404 if there is none', async () => {
    const other = await team.user();
    for (const path of [`${other}`, `${other}/raw`, `${user}?provider=oura`, UNKNOWN])
      expect((await team.get(`/v2/summary/profile/${path}`)).status).toBe(404);
  });
});

describe('devices', () => {
  it('are listed, read one by one, and in the older format', async () => {
    const all = (await team.get(`/v2/user/${user}/device`)).json;
    expect(all).toMatchObject([
      { user_id: user, provider: 'fitbit', device_id: 'SN-1', source_type: 'watch' },
    ]);
    const { id } = all[0];
    expect((await team.get(`/v2/user/${user}/device/${id}`)).json).toEqual(all[0]);
    const { devices } = (await team.get(`/v2/summary/devices/${user}/raw`)).json;
    expect(devices).toMatchObject([{ id, provider_id: 'SN-1', data: { device_model: 'Sense 2' } }]);
    expect(devices[0].source_id).toBeGreaterThan(0);
    expect((await team.get(`/v2/summary/devices/${user}/raw?provider=oura`)).json).toEqual({ devices: [] });
    const other = await team.user();
    expect((await team.get(`/v2/user/${other}/device/${id}`)).status).toBe(404);
    expect((await team.get(`/v2/user/${user}/device/${UNKNOWN}`)).status).toBe(404);
  });
});

const sleepOf = (day: string, key: string) => {
  const night = { bedtime_start: `${day}T00:00:00Z`, bedtime_stop: `${day}T06:00:00Z` };
  const stages = { duration: 21_600, total: 21_600, awake: 0, light: 21_600, rem: 0, deep: 0 };
  return summaryReading({
    resource: 'sleep',
    key,
    day,
    at: Date.parse(`${day}T00:00:00Z`),
    body: { ...night, ...stages },
  });
};
const withSamplesOfSeconds = (sleep: ReturnType<typeof sleepOf>) => [
  sleep,
  samplesReading(
    'heartrate',
    Array.from({ length: 20_000 }, (_, second) => sample({ at: sleep.at + second * 1000, value: 50 })),
  ),
];

describe('streams', () => {
  it('of a workout are columns, empty if not measured', async () => {
    const [{ id }] = (await summaries(`workouts/${user}`)).workouts;
    const path = `/v2/timeseries/workouts/${id}/stream`;
    expect((await team.get(path)).json).toMatchObject({ time: [], heartrate: [], lat: [] });
    const time = [0, 1, 2].map((second) => MORNING / 1000 + second);
    const columns = { time, heartrate: [90, null, 92], lat: [52.1, 52.2, 52.3] };
    await ingestReadings({ service, team, userId: user }, [
      { kind: 'workout_stream', origin: origin(), workoutKey: 'workouts-1', columns },
    ]);
    expect((await team.get(path)).json).toMatchObject({ ...columns, power: [] });
    expect((await team.get(`/v2/timeseries/workouts/${UNKNOWN}/stream`)).status).toBe(404);
  });

  it('of a sleep are the samples of its provider in that night', async () => {
    const [{ id }] = (await summaries(`sleep/${user}`)).sleep;
    const asleep = Date.parse('2026-03-02T02:00:00+01:00');
    const at = (hours: number, value: number) => sample({ at: asleep + hours * 60 * MINUTE, value });
    await ingestReadings({ service, team, userId: user }, [
      samplesReading('heartrate', [at(-4, 80), at(0, 50), at(1, 48), at(8, 81)]),
      samplesReading('heartrate', [at(0.5, 99)], apple),
      samplesReading('hypnogram', [at(0, 1)]),
    ]);
    const { json } = await team.get(`/v2/timeseries/sleep/${id}/stream`);
    expect(json.heartrate.map(({ value }: { value: number }) => value)).toEqual([50, 48]);
    expect(json).toMatchObject({ hypnogram: [{ unit: 'sleep_stage', value: 1 }], hrv: [] });
    const [{ id: workout }] = (await summaries(`workouts/${user}`)).workouts;
    expect((await team.get(`/v2/timeseries/sleep/${workout}/stream`)).status).toBe(404);
  });

  it('of all sleeps of a period are listed with their summaries', async () => {
    const path = `/v2/summary/sleep/${user}/stream`;
    const [sleep, ...others] = (await team.get(`${path}?${DAY}`)).json.sleep;
    const [{ sleep_stream: none, ...summary }] = (await summaries(`sleep/${user}`)).sleep;
    expect([others, none]).toEqual([[], null]);
    expect(sleep).toEqual({
      ...summary,
      sleep_stream: (await team.get(`/v2/timeseries/sleep/${summary.id}/stream`)).json,
    });
    expect(sleep.sleep_stream.heartrate).toHaveLength(2);
    expect((await team.get(`${path}?${DAY}&provider=oura`)).json).toEqual({ sleep: [] });
    const other = await service.team();
    expect((await other.get(`${path}?${DAY}`)).status).toBe(404);
    expect((await team.get(path)).json.detail[0].loc).toEqual(['query', 'start_date']);
  });

  it('of more than 50,000 samples or 400 sleeps in one list are rejected at start_date', async () => {
    const list = async (userId: string, to: string) => {
      const path = `/v2/summary/sleep/${userId}/stream?start_date=2026-02-01&end_date=${to}`;
      const { status, json } = await team.get(path);
      return status === 200 ? json.sleep.length : [status, json.detail[0].loc, json.detail[0].msg];
    };
    const [busy, napping] = [await team.user(), await team.user()];
    const nights = ['2026-02-01', '2026-02-02', '2026-02-03'].map((day) => sleepOf(day, day));
    await ingestReadings({ service, team, userId: busy }, nights.flatMap(withSamplesOfSeconds));
    const naps = Array.from({ length: 401 }, (_, nap) => sleepOf('2026-02-01', `nap-${nap}`));
    await ingestReadings({ service, team, userId: napping }, naps);
    const at = ['query', 'start_date'];
    expect(await list(busy, '2026-02-02')).toBe(2);
    expect(await list(busy, '2026-02-03')).toEqual([
      422,
      at,
      'expected a period with at most 50000 samples in its sleeps; request fewer days',
    ]);
    expect(await list(napping, '2026-02-01')).toEqual([422, at, 'expected a period of at most 400 sleeps']);
  });

  it('are deleted with their user', async () => {
    const gone = await team.user();
    await ingestReadings({ service, team, userId: gone }, DAY_SUMMARIES);
    const [{ id }] = (await summaries(`workouts/${gone}`)).workouts;
    const [sleep] = (await summaries(`sleep/${gone}`)).sleep;
    await team.delete(`/v2/user/${gone}`);
    expect((await team.get(`/v2/timeseries/workouts/${id}/stream`)).status).toBe(404);
    expect((await team.get(`/v2/timeseries/sleep/${sleep.id}/stream`)).status).toBe(404);
  });
});
