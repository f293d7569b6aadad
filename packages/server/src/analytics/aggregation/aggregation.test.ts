import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import {
  ingestReadings,
  origin,
  sample,
  samplesReading,
  summaryReading,
} from '../../../test/wearable-data.ts';
import { dailyHeartRate, queries } from '../../../test/queries.ts';
import type { HealthReading } from '../../readings/readings.ts';

const service = useTestService();

const at = (text: string) => Date.parse(text);
const week = { type: 'relative', anchor: '2026-03-01', past: { unit: 'week' } };
const phone = origin({ provider: 'apple_health_kit', type: 'phone', device: null });

async function somebody(
  readings: HealthReading[] = [],
): Promise<{ team: TestTeam; userId: string; path: string }> {
  const team = await service.team();
  const userId = await team.user();
  await ingestReadings({ service, team, userId }, readings);
  return { team, userId, path: `/aggregate/v1/user/${userId}/query` };
}

const every = (unit: string, index = 'timeseries') => ({ date_trunc: { value: 1, unit }, arg: { index } });
const value = (timeseries: string) => ({ timeseries, field: 'value' });
const total = { func: 'sum', arg: value('steps') };
const keys = { group_key: '*' };

async function tableOf({ team, path }: { team: TestTeam; path: string }, query: object, more: object = {}) {
  const answer = await team.post(path, { timeframe: week, queries: [query], ...more });
  expect([answer.status, answer.json.detail]).toEqual([200, undefined]);
  return answer.json.results[0].table;
}

const walked = (from: string, until: string, value: number) =>
  sample({ at: at(from), until: at(until), value, offset: 0 });

describe('the merged sum of two devices', () => {
  const steps = () => [
    samplesReading('steps', [walked('2026-02-28T08:00Z', '2026-02-28T09:00Z', 600)]),
    samplesReading('steps', [walked('2026-02-28T08:00Z', '2026-02-28T10:00Z', 1000)], phone),
    samplesReading('steps', [walked('2026-02-28T23:00Z', '2026-03-01T01:00Z', 100)], phone),
  ];

  it('counts each instant once, by hour and by day', async () => {
    const user = await somebody(steps());
    expect(await tableOf(user, { select: [keys, total], group_by: [every('hour')] })).toEqual({
      'group_key.0': [
        '2026-02-28T08:00:00',
        '2026-02-28T09:00:00',
        '2026-02-28T23:00:00',
        '2026-03-01T00:00:00',
      ],
      'sum.value': [600, 500, 50, 50],
    });
    expect(await tableOf(user, { select: [keys, total], group_by: [every('day')] })).toEqual({
      'group_key.0': ['2026-02-28T00:00:00', '2026-03-01T00:00:00'],
      'sum.value': [1150, 50],
    });
    expect(await tableOf(user, { select: [total] })).toEqual({ 'sum.value': [1200] });
  });

  it('follows the source order of the query, then of the team', async () => {
    const user = await somebody(steps());
    const day = { select: [total], group_by: [every('day')] };
    const places = [{ data_type: 'timeseries', provider: 'apple_health_kit', priority: 1 }];
    await user.team.patch('/v2/team/source/priorities', places);
    expect(await tableOf(user, day)).toEqual({ 'sum.value': [1050, 50] });
    const config = { provider_priority_overrides: ['fitbit'] };
    expect(await tableOf(user, day, { config })).toEqual({ 'sum.value': [1150, 50] });
  });

  it('separates the devices if the query groups by them', async () => {
    const user = await somebody(steps());
    const bySource = [{ source: 'source_provider' }, { source: 'source_type' }];
    expect(await tableOf(user, { select: [keys, total], group_by: bySource })).toEqual({
      'group_key.0': ['apple_health_kit', 'fitbit'],
      'group_key.1': ['phone', 'watch'],
      'sum.value': [1100, 600],
    });
  });
});

describe('a sum of counted samples', () => {
  it('can be grouped by a field of the samples', async () => {
    const effort = (from: string, until: string, minutes: number, intensity: string) =>
      sample({ at: at(from), until: at(until), value: minutes, offset: 0, more: { intensity } });
    const user = await somebody([
      samplesReading('workout_duration', [
        effort('2026-02-28T08:00Z', '2026-02-28T08:10Z', 10, 'high'),
        effort('2026-02-28T08:10Z', '2026-02-28T08:30Z', 20, 'low'),
        effort('2026-02-28T09:00Z', '2026-02-28T09:05Z', 5, 'high'),
      ]),
    ]);
    const spent = (func: string) => ({ func, arg: value('workout_duration') });
    const byIntensity = [{ timeseries: 'workout_duration', field: 'intensity' }];
    expect(
      await tableOf(user, { select: [keys, spent('sum'), spent('count')], group_by: byIntensity }),
    ).toEqual({
      'group_key.0': ['high', 'low'],
      'sum.value': [15, 20],
      'count.value': [2, 1],
    });
  });

  it('is 0, not null, if a device reported 0', async () => {
    const moment = (text: string) => sample({ at: at(text), value: 0, offset: 0 });
    const user = await somebody([samplesReading('steps', [moment('2026-02-28T08:00Z')])]);
    expect(await tableOf(user, { select: [keys, total], group_by: [every('day')] })).toEqual({
      'group_key.0': ['2026-02-28T00:00:00'],
      'sum.value': [0],
    });
  });
});

describe('a day', () => {
  const beats = (moments: [string, number | null][]) =>
    samplesReading(
      'heartrate',
      moments.map(([moment, offset], i) => sample({ at: at(moment), offset, value: 60 + i })),
    );
  const counted = { select: [keys, { func: 'count', arg: value('heartrate') }], group_by: [every('day')] };

  it('follows the offset of the sample', async () => {
    const user = await somebody([
      beats([
        ['2026-02-27T23:30Z', 3600],
        ['2026-02-28T00:30Z', -3600],
      ]),
    ]);
    expect(await tableOf(user, counted)).toEqual({
      'group_key.0': ['2026-02-27T00:00:00', '2026-02-28T00:00:00'],
      'count.value': [1, 1],
    });
  });

  it('otherwise follows the user’s time zone, or UTC without one', async () => {
    const user = await somebody([
      beats([
        ['2026-02-28T03:00Z', null],
        ['2026-02-28T06:00Z', null],
      ]),
    ]);
    expect((await tableOf(user, counted))['count.value']).toEqual([2]);
    await user.team.patch(`/v2/user/${user.userId}`, { fallback_time_zone: 'America/New_York' });
    expect(await tableOf(user, counted)).toEqual({
      'group_key.0': ['2026-02-27T00:00:00', '2026-02-28T00:00:00'],
      'count.value': [1, 1],
    });
  });

  it('includes the first and the last day of a timeframe in full', async () => {
    const user = await somebody([
      beats([
        ['2026-02-22T23:59:59Z', 0],
        ['2026-02-23T00:00Z', 0],
        ['2026-03-01T23:59:59Z', 0],
        ['2026-03-02T00:00Z', 0],
      ]),
    ]);
    expect((await tableOf(user, counted))['group_key.0']).toEqual([
      '2026-02-23T00:00:00',
      '2026-03-01T00:00:00',
    ]);
  });
});

describe('summaries', () => {
  const parts = { duration: 28_800, total: 27_000, awake: 1800, light: 15_000, rem: 6000, deep: 6000 };
  const night = (day: string, efficiency: number, more: object = {}) =>
    summaryReading({
      resource: 'sleep',
      key: `night-${day}`,
      day,
      body: {
        bedtime_start: `${day}T00:10:00-08:00`,
        bedtime_stop: `${day}T08:10:00-08:00`,
        timezone_offset: -28_800,
        type: 'long_sleep',
        efficiency,
        ...parts,
        ...more,
      },
    });

  it('are grouped, filtered and listed', async () => {
    const nap = night('2026-02-28', 40, { type: 'short_sleep' });
    const user = await somebody([night('2026-02-25', 80), night('2026-02-26', 90), { ...nap, key: 'nap' }]);
    const mean = { func: 'mean', arg: { sleep: 'efficiency' } };
    const query = { select: [keys, mean], group_by: [every('week', 'sleep')], where: "type = 'long_sleep'" };
    expect(await tableOf(user, query)).toEqual({
      'group_key.0': ['2026-02-23T00:00:00'],
      'mean.efficiency': [85],
    });
    expect(await tableOf(user, { select: [{ index: 'sleep' }, { sleep: 'efficiency' }] })).toEqual({
      index: ['2026-02-25T08:10:00', '2026-02-26T08:10:00', '2026-02-28T08:10:00'],
      efficiency: [80, 90, 40],
    });
  });

  it('can be queried from every table', async () => {
    const user = await somebody([
      summaryReading({ resource: 'activity', day: '2026-02-28', body: { steps: 8000 } }),
      summaryReading({ resource: 'body', day: '2026-02-28', body: { weight: 70.5 } }),
      summaryReading({
        resource: 'menstrual_cycle',
        day: '2026-02-28',
        body: { period_start: '2026-02-28' },
      }),
    ]);
    expect(await tableOf(user, { select: [{ activity: 'date' }, { activity: 'steps' }] })).toEqual({
      date: ['2026-02-28'],
      steps: [8000],
    });
    expect(await tableOf(user, { select: [{ body: 'measured_at' }, { body: 'weight_kilogram' }] })).toEqual({
      measured_at: ['2026-02-28T00:00:00'],
      weight_kilogram: [70.5],
    });
    for (const table of ['sleep', 'workout', 'meal', 'menstrual_cycle', 'profile']) {
      const count = { select: [{ func: 'count', arg: { index: table } }] };
      expect(await tableOf(user, count)).toEqual({ 'count.index': [Number(table === 'menstrual_cycle')] });
    }
  });
});

describe('the operation', () => {
  it('returns Parquet files if the client accepts them', async () => {
    const { team, path } = await somebody();
    const type = 'application/vnd.vital.tar+gzip+parquet';
    const answer = await team.post(path, queries, { accept: type });
    expect([answer.status, answer.headers['content-type'], answer.headers['vary']]).toEqual([
      200,
      type,
      'accept',
    ]);
    const raw = await service.http.server.inject({
      method: 'POST',
      url: path,
      headers: { 'x-service-api-key': team.key, accept: type },
      payload: queries,
    });
    const archive = await promisify(gunzip)(raw.rawPayload);
    expect(archive.subarray(0, 9).toString()).toBe('0.parquet');
    expect(archive.subarray(512, 516).toString()).toBe('PAR1');
    const refused = await team.post(path, { ...queries, queries: [] }, { accept: type });
    expect([refused.status, refused.json.detail[0].loc]).toEqual([422, ['body', 'queries']]);
  });

  // prettier-ignore
  it.each([
    [{ timeframe: { placeholder: true } }, ['body', 'timeframe']],
    [{ timeframe: { ...week, past: { unit: 'year', value: 50 } } }, ['body', 'timeframe', 'past']],
    [{ timeframe: { ...week, past: { unit: 'year', value: 99_999 } } }, ['body', 'timeframe', 'past']],
    [{ timeframe: { ...week, anchor: '0001-01-01' } }, ['body', 'timeframe', 'anchor']],
    [{ timeframe: { ...week, anchor: 'today' } }, ['body', 'timeframe', 'anchor']],
    [{ queries: Array.from({ length: 21 }, () => dailyHeartRate) }, ['body', 'queries']],
    [{ queries: [dailyHeartRate, { ...dailyHeartRate, where: 'value >' }] }, ['body', 'queries', 1, 'where']],
    [{ queries: [{ select: [{ func: 'mode', arg: value('heartrate') }] }] }, ['body', 'queries', 0, 'select', 0, 'func']],
    [{ config: { provider_priority_overrides: ['fitbt'] } }, ['body', 'config', 'provider_priority_overrides', 0]],
  ])('refuses %j at its place', async (change, loc) => {
    const { team, path } = await somebody();
    const answer = await team.post(path, { ...queries, ...change });
    expect([answer.status, answer.json.detail[0]?.loc]).toEqual([422, loc]);
  });

  it('does not find users of another team', async () => {
    const { path } = await somebody();
    const stranger = await service.team();
    expect((await stranger.post(path, queries)).status).toBe(404);
  });
});

describe('a sleep and its stages', () => {
  const night = (key: string, day: string, score: number | null) => {
    const [from, until] = [`${day}T00:00:00+00:00`, `${day}T06:00:00+00:00`];
    const seconds = { duration: 21_600, total: 20_000, awake: 1600, light: 12_000, rem: 4000, deep: 4000 };
    const times = { bedtime_start: from, bedtime_stop: until, timezone_offset: 0 };
    return summaryReading({
      resource: 'sleep',
      key,
      day,
      at: at(from),
      body: { ...times, ...seconds, score },
    });
  };
  const cycle = (key: string, day: string, stages: number[]) =>
    summaryReading({
      resource: 'sleep_cycle',
      key,
      day,
      at: at(`${day}T00:00:00Z`),
      body: {
        session_start: `${day}T00:00:00+00:00`,
        session_end: `${day}T06:00:00+00:00`,
        stage_start_offset_second: stages.map((_stage, index) => index * 600),
        stage_end_offset_second: stages.map((_stage, index) => (index + 1) * 600),
        stage_type: stages,
      },
    });
  const macro = (name: string) => ({ value_macro: name });

  it('give the provider’s score and the number of awakenings', async () => {
    const user = await somebody([
      night('one', '2026-02-26', 80),
      cycle('one', '2026-02-26', [4, 2, 4, 1, 4, 2, 4]),
      night('two', '2026-02-27', null),
      cycle('two', '2026-02-27', [2, 3, 4, 2]),
      night('three', '2026-02-28', 70),
    ]);
    const columns = { select: [macro('sleep_score'), macro('awakenings')] };
    expect(await tableOf(user, columns)).toEqual({ sleep_score: [80, null, 70], awakenings: [2, 1, null] });
    const weekly = {
      select: [keys, ...['sleep_score', 'awakenings'].map((name) => ({ func: 'sum', arg: macro(name) }))],
      group_by: [every('week', 'sleep')],
    };
    expect(await tableOf(user, weekly)).toEqual({
      'group_key.0': ['2026-02-23T00:00:00'],
      'sum.sleep_score': [150],
      'sum.awakenings': [3],
    });
    const byCount = {
      select: [keys, { func: 'count', arg: { index: 'sleep' } }],
      group_by: [macro('awakenings')],
    };
    expect(await tableOf(user, byCount)).toEqual({ 'group_key.0': [1, 2, null], 'count.index': [1, 1, 1] });
  });
});
