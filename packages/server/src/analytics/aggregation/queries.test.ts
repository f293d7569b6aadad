import { describe, expect, it } from 'vitest';
import { alignGroups } from './align.ts';
import { createEngine, type SourceComparator } from './engine.ts';
import { AggregationQuery } from './schema.ts';
import { planQuery } from './plan.ts';
import { toResultTableSchema, toResultTable } from './result-table.ts';
import type { AggregationRow, RowSource } from './row.ts';

const at = (text: string) => Date.parse(`${text}Z`);
const oura: RowSource = {
  provider: 'oura',
  type: 'ring',
  appId: null,
  deviceId: null,
  workoutId: null,
  sport: null,
};
const phone: RowSource = { ...oura, provider: 'apple_health_kit', type: 'phone' };
const byProvider: SourceComparator = (one, other) =>
  Number(one.provider !== 'oura') - Number(other.provider !== 'oura');

const row = (moment: string, fields: AggregationRow['fields'], source = oura): AggregationRow => ({
  at: at(moment),
  source,
  fields,
  toLocalTime: (other) => other,
});
const glucose = (moment: string, value: number | null, source = oura) => row(moment, { value }, source);

const planned = (query: unknown) => planQuery(AggregationQuery.parse(query), ['body', 'queries', 0]);
function answer(query: unknown, rows: readonly AggregationRow[], days?: [string, string]) {
  const plan = planned(query);
  const engine = createEngine(plan, byProvider);
  for (const one of rows) engine.addRow(one);
  const range = days && { from: at(`${days[0]}T00:00`), to: at(`${days[1]}T00:00`) };
  return toResultTable(plan, range ? alignGroups(plan, engine.finish(), range) : engine.finish());
}

const value = { timeseries: 'glucose', field: 'value' };
const every = (unit: string, amount = 1) => ({
  date_trunc: { value: amount, unit },
  arg: { index: 'timeseries' },
});

describe('a query', () => {
  it('groups by hour with every aggregate function', () => {
    const funcs = ['mean', 'min', 'max', 'sum', 'count', 'median', 'stddev', 'oldest', 'newest'];
    const table = answer(
      {
        select: [{ group_key: '*' }, ...funcs.map((func) => ({ func, arg: value }))],
        group_by: [every('hour')],
      },
      [
        glucose('2026-03-01T08:50', 8),
        glucose('2026-03-01T08:10', 4),
        glucose('2026-03-01T08:20', 6),
        glucose('2026-03-01T08:30', null),
        glucose('2026-03-01T09:00', 5),
      ],
    );
    expect(table).toEqual({
      'group_key.0': ['2026-03-01T08:00:00', '2026-03-01T09:00:00'],
      'mean.value': [6, 5],
      'min.value': [4, 5],
      'max.value': [8, 5],
      'sum.value': [18, 5],
      'count.value': [3, 1],
      'median.value': [6, 5],
      'stddev.value': [2, null],
      'oldest.value': [4, 5],
      'newest.value': [8, 5],
    });
  });

  it('uses the first source of each group, or the next one that has data', () => {
    const rows = [
      glucose('2026-03-01T08:00', 100, phone),
      glucose('2026-03-01T09:00', 5),
      glucose('2026-03-02T09:00', 7, phone),
    ];
    const mean = { func: 'mean', arg: value };
    expect(answer({ select: [mean], group_by: [every('day')] }, rows)).toEqual({ 'mean.value': [5, 7] });
    const source = (name: string) => ({ source: name });
    const split = {
      select: [{ group_key: 0 }, mean],
      group_by: [source('source_provider'), source('source_type')],
    };
    expect(answer(split, rows)).toEqual({
      'group_key.0': ['apple_health_kit', 'oura'],
      'mean.value': [53.5, 5],
    });
  });

  it('uses another source if the first has no value for the aggregates', () => {
    const night = (score: number | null, duration: number, source: RowSource) =>
      row('2026-03-01T07:00', { score, duration }, source);
    const rows = [night(null, 28_800, oura), night(80, 27_000, phone)];
    const best = { func: 'max', arg: { sleep: 'score' } };
    const group_by = [{ date_trunc: { unit: 'day' }, arg: { index: 'sleep' } }];
    expect(answer({ select: [best], group_by }, rows)).toEqual({ 'max.score': [80] });
    const both = [best, { func: 'max', arg: { sleep: 'duration_second' } }];
    expect(answer({ select: both, group_by }, rows)).toEqual({
      'max.score': [null],
      'max.duration_second': [28_800],
    });
    expect(answer({ select: [best], group_by }, rows.slice(0, 1))).toEqual({ 'max.score': [null] });
  });

  it('returns all rows without aggregates, and one row without groups', () => {
    const rows = [
      row('2026-03-02T06:30', { type: 'long_sleep', duration: 28_800, efficiency: 91 }),
      row('2026-03-01T07:00', { type: 'nap', duration: 1200, efficiency: 60 }, phone),
    ];
    expect(
      answer({ select: [{ index: 'sleep' }, { sleep: 'type' }, { source: 'source_type' }] }, rows),
    ).toEqual({
      index: ['2026-03-01T07:00:00', '2026-03-02T06:30:00'],
      type: ['nap', 'long_sleep'],
      source_type: ['phone', 'ring'],
    });
    const mean = { func: 'mean', arg: { sleep: 'efficiency' } };
    expect(answer({ select: [mean], where: "sleep.type = 'long_sleep'" }, rows)).toEqual({
      'mean.efficiency': [91],
    });
    expect(answer({ select: [mean, { func: 'count', arg: { index: 'sleep' } }] }, [])).toEqual({
      'mean.efficiency': [null],
      'count.index': [0],
    });
  });

  it('reads days, timestamps and nested fields of a summary in local time', () => {
    const rows = [row('2026-03-01T00:00', { calendar_date: '2026-03-01', low: 3, medium: 2, high: null })];
    const select = [
      { group_key: 0 },
      { group_key: 1 },
      { func: 'max', arg: { activity: 'date' } },
      { func: 'sum', arg: { activity: 'duration_active_second' } },
    ];
    const plan = {
      select,
      group_by: [
        { date_part: 'weekday', arg: { index: 'activity' } },
        { date_trunc: { unit: 'month' }, arg: { index: 'activity' } },
      ],
    };
    expect(answer(plan, rows)).toEqual({
      'group_key.0': [7],
      'group_key.1': ['2026-03-01T00:00:00'],
      'max.date': ['2026-03-01'],
      'sum.duration_active_second': [300],
    });
    expect(toResultTableSchema(planned(plan).outputs)).toEqual({
      'group_key.0': 'int64',
      'group_key.1': 'string',
      'max.date': 'string',
      'sum.duration_active_second': 'float64',
    });
  });

  it('computes asleep_at from the start and the latency', () => {
    const night = {
      bedtime_start: '2026-02-28T23:00:00+00:00',
      latency: 600,
      bedtime_stop: '2026-03-01T07:00:00Z',
    };
    const macro = (name: string) => ({ value_macro: name });
    expect(
      answer({ select: [macro('asleep_at'), macro('awake_at')] }, [row('2026-03-01T07:00', night)]),
    ).toEqual({ asleep_at: ['2026-02-28T23:10:00'], awake_at: ['2026-03-01T07:00:00'] });
  });

  // prettier-ignore
  it.each([
    ['slept through',                  [2, 1, 2, 3, 2],          0],
    ['lay awake at both ends',         [4, 2, 1, 4],             0],
    ['woke twice',                     [4, 2, 4, 1, 4, 3, 4],    2],
    ['woke once, told in two stages',  [2, 4, 4, 1],             1],
    ['woke once, with a gap within',   [2, 4, -1, 4, 1],         1],
    ['never slept',                    [4, 4],                   null],
    ['has nothing but gaps',           [-1, 5],                  null],
    ['has no stages',                  null,                     null],
  ])('counts the awakenings of one who %s', (_who, stages, awakenings) => {
    const query = { select: [{ value_macro: 'awakenings' }] };
    expect(answer(query, [row('2026-03-01T07:00', { stages })])).toEqual({ awakenings: [awakenings] });
  });

  it('aggregates the elements of a list, and the lists of a group', () => {
    const cycles = [
      row('2026-02-01T00:00', {
        menstrual_flow: [
          { date: '2026-02-01', flow: 'heavy' },
          { date: '2026-02-02', flow: 'none' },
        ],
        basal_body_temperature: [
          { date: '2026-02-01', value: 36.4 },
          { date: '2026-02-02', value: 36.8 },
        ],
      }),
      row('2026-03-01T00:00', { menstrual_flow: [], basal_body_temperature: null }),
    ];
    const unnest = (name: string) => ({ unnest: { menstrual_cycle: name } });
    const days = {
      select: { func: 'count' },
      from: unnest('menstrual_flow'),
      where: "flow != 'none'",
    };
    const warmest = {
      select: { func: 'max', arg: { basal_body_temperature: 'value' } },
      from: unnest('basal_body_temperature'),
    };
    expect(answer({ select: [days, warmest, { menstrual_cycle: 'period_start' }] }, cycles)).toEqual({
      'count.menstrual_flow': [1, 0],
      'max.basal_body_temperature.value': [36.8, null],
      period_start: [null, null],
    });
    expect(answer({ select: [{ func: 'sum', arg: days }] }, cycles)).toEqual({
      'sum.count.menstrual_flow': [1],
    });
  });
});

describe('align', () => {
  const weights = [glucose('2026-03-02T08:00', 80), glucose('2026-03-05T08:00', 78)];
  const query = (carry: object) => ({
    select: [{ func: 'mean', arg: value }],
    group_by: [every('day')],
    align: { carry },
  });
  const week: [string, string] = ['2026-03-01', '2026-03-08'];
  it.each([
    [{ mode: 'carry_forward' }, [null, 80, 80, 80, 78, 78, 78]],
    [{ mode: 'carry_forward', max_age: { unit: 'day' } }, [null, 80, 80, null, 78, 78, null]],
    [{ mode: 'carry_backward' }, [80, 80, 78, 78, 78, null, null]],
    [{ mode: 'carry_backward', max_age: { unit: 'day' } }, [80, 80, null, 78, 78, null, null]],
    [{ mode: 'carry_nearest' }, [80, 80, 80, 78, 78, 78, 78]],
    [{ mode: 'carry_nearest', span: { unit: 'day' } }, [80, 80, 80, 78, 78, 78, null]],
  ])('by %j', (carry, expected) => {
    expect(answer(query(carry), weights, week)).toEqual({ 'mean.value': expected });
  });

  it('returns a row for every bucket even without data', () => {
    const select = [{ group_key: 0 }, { func: 'mean', arg: value }, { func: 'count', arg: value }];
    const empty = { ...query({ mode: 'carry_nearest' }), select };
    expect(answer(empty, [], ['2026-03-01', '2026-03-03'])).toEqual({
      'group_key.0': ['2026-03-01T00:00:00', '2026-03-02T00:00:00'],
      'mean.value': [null, null],
      'count.value': [null, null],
    });
    const bySource = { ...empty, group_by: [every('day'), { source: 'source_type' }] };
    expect(answer(bySource, [], ['2026-03-01', '2026-03-03'])['group_key.0']).toEqual([]);
  });

  it('fills the buckets for each combination of the other keys', () => {
    const rows = [...weights, glucose('2026-03-06T08:00', 90, phone)];
    const table = answer(
      {
        select: [{ group_key: 1 }, { func: 'max', arg: value }],
        group_by: [every('week'), { timeseries: 'glucose', field: 'source_provider' }],
        align: { carry: { mode: 'carry_forward' } },
      },
      rows,
      ['2026-02-23', '2026-03-09'],
    );
    expect(table['group_key.1']).toEqual(['apple_health_kit', 'oura', 'apple_health_kit', 'oura']);
    expect(table['max.value']).toEqual([null, null, 90, 80]);
  });
});

describe('an invalid query', () => {
  const mean = { func: 'mean', arg: { sleep: 'efficiency' } };
  // prettier-ignore
  it.each([
    [{ select: [{ sleep: 'dreams' }] }, ['select', 0, 'sleep'], 'has no column dreams'],
    [{ select: [{ timeseries: 'glucose', field: 'duration' }] }, ['select', 0, 'field'], 'no column duration'],
    [{ select: [{ derived_readiness: 'date' }] }, ['select', 0, 'derived_readiness'], 'not supported'],
    [{ select: [{ value_macro: 'chronotype' }] }, ['select', 0, 'value_macro'], 'not supported'],
    [{ select: [{ func: 'sum', arg: { value_macro: 'dreams' } }] }, ['select', 0, 'arg', 'value_macro'], 'expected asleep_at'],
    [{ select: [{ index: 'timeseries' }] }, ['select', 0, 'index'], 'needs a column of that timeseries'],
    [{ select: [{ source: 'source_type' }] }, ['select'], 'expected a column of a table'],
    [{ select: [mean, { sleep: 'type' }] }, ['select'], 'aggregates alone or columns alone'],
    [{ select: [mean, { func: 'max', arg: { activity: 'steps' } }] }, ['select', 1, 'arg'], 'to one table'],
    [{ select: [mean], group_by: [{ date_trunc: { unit: 'day' }, arg: { index: 'activity' } }] }, ['group_by', 0, 'arg', 'index'], 'the index of sleep'],
    [{ select: [{ func: 'sum', arg: { sleep: 'type' } }] }, ['select', 0, 'func'], 'sum does not accept a text column'],
    [{ select: [{ func: 'stddev', arg: { sleep: 'session_end' } }] }, ['select', 0, 'func'], 'stddev does not accept a timestamp column'],
    [{ select: [{ menstrual_cycle: 'menstrual_flow' }] }, ['select', 0], 'is a list'],
    [{ select: [mean, { group_key: 0 }] }, ['select', 1, 'group_key'], '0 expressions'],
    [{ select: [{ sleep: 'type' }], group_by: [{ sleep: 'type' }] }, ['select', 0], 'expected an aggregate'],
    [{ select: [mean], group_by: [{ date_trunc: { unit: 'month', value: 5 }, arg: { index: 'sleep' } }] }, ['group_by', 0, 'date_trunc', 'value'], 'divides a year'],
    [{ select: [mean], group_by: [{ date_trunc: { unit: 'day' }, arg: { placeholder: true } }] }, ['group_by', 0, 'arg'], 'placeholder'],
    [{ select: [mean], group_by: [{ date_trunc: { unit: 'day' }, arg: { index: 'sleep' } }, { date_trunc: { unit: 'week' }, arg: { index: 'sleep' } }] }, ['group_by', 1], 'at most one'],
    [{ select: [mean], align: { carry: { mode: 'carry_forward' } } }, ['align'], 'needs a date_trunc'],
    [{ select: [mean], where: 'efficiency > ten' }, ['where'], 'at character 14'],
    [{ select: [{ select: { func: 'mean' }, from: { unnest: { menstrual_cycle: 'menstrual_flow' } } }] }, ['select', 0, 'select', 'arg'], 'only count'],
    [{ select: [{ select: { func: 'count' }, from: { unnest: { sleep: 'type' } } }] }, ['select', 0, 'from', 'unnest'], 'expected a list column'],
  ])('%j', (query, loc, why) => {
    const detail = [{ loc: ['body', 'queries', 0, ...loc], msg: expect.stringContaining(why), type: 'value_error' }];
    expect(() => planned(query)).toThrow(expect.objectContaining({ kind: 'invalid', detail }));
  });

  it('includes one with too many result rows', () => {
    const rows = Array.from({ length: 10_001 }, (_, i) => row('2026-03-01T00:00', { value: i }));
    expect(() => answer({ select: [value] }, rows)).toThrow('more than 10000 rows');
    const carry = { mode: 'carry_forward' };
    const minutes = { select: [{ func: 'mean', arg: value }], group_by: [every('minute')], align: { carry } };
    expect(() => answer(minutes, rows.slice(0, 1), ['2026-01-01', '2026-03-01'])).toThrow('more than 10000');
  });
});
