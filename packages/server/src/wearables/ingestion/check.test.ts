import { describe, expect, it } from 'vitest';
import { MINIMAL_BODIES, origin, sample, samples, stream, summary } from '../../../test/readings.ts';
import type {
  ReadingOrigin,
  HealthReading,
  SampledResource,
  SummaryReading,
  StreamColumns,
} from '../../readings/readings.ts';
import { SUMMARY_RESOURCES } from '../records/records.ts';
import { SAMPLE_BOUNDS } from './bounds.ts';
import { checkBatch } from './check.ts';
import type { IngestionWindow } from './fault.ts';
import { TIMESERIES_PATHS, getResourceByPath, findSampleSpec } from './sample-specs.ts';

const NOW = '2026-03-02T15:00:00Z';
const window: IngestionWindow = { now: Date.parse(NOW), fromDay: null, toDay: null };
const checked = (readings: readonly HealthReading[], more: Partial<IngestionWindow> = {}) =>
  checkBatch(
    readings.map((reading, index) => ({ reading, index, before: 0 })),
    { ...window, ...more },
  );
const refusals = (readings: readonly HealthReading[], more: Partial<IngestionWindow> = {}) =>
  checked(readings, more).refused.map(({ loc, type }) => `${loc.join('.')} ${type}`);
const refused = (reading: HealthReading, more: Partial<IngestionWindow> = {}) => refusals([reading], more);

describe('a sample is rejected', () => {
  const at = '2026-03-02T09:00:00Z';
  // prettier-ignore
  const cases: [string, SampledResource, ReturnType<typeof sample>, string[]][] = [
    ['a day and a bit ahead',           'heartrate', sample('2026-03-03T15:00:01Z', 60),                    ['samples.0.timestamp in_future']],
    ['never, a day ahead',              'heartrate', sample('2026-03-03T15:00:00Z', 60),                    []],
    ['before 1970',                     'heartrate', sample('1969-12-31T23:59:59Z', 60),                    ['samples.0.timestamp too_early']],
    ['at no moment',                    'heartrate', sample(Number.NaN, 60),                                ['samples.0.timestamp datetime_format']],
    ['with an end before its start',    'steps',     sample(at, 6, { until: Date.parse(at) - 1 }),          ['samples.0.end value_error']],
    ['with an end in the far future',   'steps',     sample(at, 6, { until: Date.parse(at) + 1e12 }),       ['samples.0.end in_future']],
    ['over months',                     'steps',     sample('2026-01-01T00:00:00Z', 6, { until: Date.parse(at) }), ['samples.0.end value_error']],
    ['at an offset that is none',       'heartrate', sample(at, 60, { offset: 80_000 }),                    ['samples.0.timezone_offset value_error']],
    ['without a value',                 'heartrate', sample(at, null),                                      ['samples.0.value missing']],
    ['with a value that is no number',  'heartrate', sample(at, Number.NaN),                                ['samples.0.value implausible']],
    ['with glucose in mg/dL',           'glucose',   sample(at, 180),                                       ['samples.0.value implausible']],
    ['with body heat in Fahrenheit',    'body_temperature', sample(at, 98.6),                               ['samples.0.value implausible']],
    ['with a heart that stands still',  'heartrate', sample(at, 0),                                         ['samples.0.value implausible']],
    ['without the type it needs',       'cholesterol', sample(at, 3),                                       ['samples.0.type missing']],
    ['with a type that is none',        'cholesterol', sample(at, 3, { type: 'vldl' }),                     ['samples.0.type invalid_value']],
    ['with a NUL in its type',          'ige',       sample(at, 3, { type: 'a\0' }),                        ['samples.0.type value_error']],
    ['with one pressure of two',        'blood_pressure', sample(at, null, { more: { systolic: 120 } }),    ['samples.0.diastolic value_error']],
    ['with an absurd pressure',         'blood_pressure', sample(at, null, { more: { systolic: 1200, diastolic: 80 } }), ['samples.0.systolic implausible']],
    ['with an effort of no kind',       'workout_duration', sample(at, 3, { more: { intensity: 'brutal' } }), ['samples.0.intensity value_error']],
    ['with a note of half a character', 'note',      sample(at, null, { more: { value: 'a\ud800' } }),      ['samples.0.value value_error']],
    ['with a note that is too long',    'note',      sample(at, null, { more: { value: 'a'.repeat(10_001) } }), ['samples.0.value value_error']],
  ];
  it.each(cases)('%s', (_what, resource, one, expected) => {
    expect(refused(samples(resource, [one]))).toEqual(expected);
  });

  it('alone: the others of its reading are stored', () => {
    const list = [sample(at, 60), sample(at, 6000), sample('2026-03-02T09:01:00Z', 61)];
    const { samples: kept, refused: not } = checked([samples('heartrate', list)]);
    expect(kept[0]?.samples.map(({ value }) => value)).toEqual([60, 61]);
    expect(not).toMatchObject([{ reading: 0, resource: 'heartrate', loc: ['samples', 1, 'value'] }]);
    expect(not[0]?.msg).toBe('expected 10 to 400 bpm');
  });

  it('outside the ingestion bounds of its user, by local day', () => {
    const bounds = { fromDay: '2026-02-01', toDay: '2026-02-28' };
    const late = (offset: number) => samples('heartrate', [sample('2026-03-01T01:00:00Z', 60, { offset })]);
    expect(refused(late(-7200), bounds)).toEqual([]);
    expect(refused(late(0), bounds)).toEqual(['samples.0.timestamp out_of_bounds']);
  });

  // prettier-ignore
  const origins: [string, Partial<ReadingOrigin>, string][] = [
    ['no provider',          { provider: '' },                     'origin.provider value_error'],
    ['a type that is none',  { type: 'toaster' },                  'origin.type invalid_value'],
    ['a NUL in the app',     { appId: 'a\0b' },                    'origin.appId value_error'],
    ['a long device',        { device: { id: 'x'.repeat(201), manufacturer: null, model: null, version: null } }, 'origin.id value_error'],
  ];
  it.each(origins)('with all of its reading, of %s', (_what, changes, expected) => {
    const list = [sample(at, 60), sample(at, 61)];
    expect(refused(samples('heartrate', list, origin(changes)))).toEqual([
      `samples.0.${expected}`,
      `samples.1.${expected}`,
    ]);
    expect(refused(summary('activity', {}, { origin: origin(changes) }))).toEqual([expected]);
  });

  it('of an unknown resource', () => {
    expect(refused(samples('moods' as SampledResource, [sample(at, 1)]))).toEqual([
      'samples.0.resource value_error',
    ]);
  });
});

describe('every resource', () => {
  it.each(TIMESERIES_PATHS)('%s has bounds that accept something', (path) => {
    const resource = getResourceByPath(path);
    const form = findSampleSpec(resource);
    const [least, most] = SAMPLE_BOUNDS[resource];
    expect(most).toBeGreaterThanOrEqual(least);
    const type = form?.type.isNeeded ? ([...(form.type.words ?? ['x'])][0] ?? null) : null;
    const more = resource === 'note' ? { value: 'x' } : { systolic: 120, diastolic: 80 };
    const edges = [least, most].map((value, index) =>
      sample(index, form?.hasNumber ? value : null, { type, more }),
    );
    expect(refused(samples(resource, edges))).toEqual([]);
  });

  it.each(SUMMARY_RESOURCES)('%s is accepted with its required fields', (resource) => {
    expect(refused(summary(resource, MINIMAL_BODIES[resource]))).toEqual([]);
  });
});

describe('samples of one batch', () => {
  const [early, late] = ['2026-03-02T09:00:00Z', '2026-03-02T09:05:00Z'];
  it('are sorted, and the last one of a timestamp wins', () => {
    const list = [sample(late, 61), sample(early, 60), sample(late, 99)];
    const { samples: kept } = checked([
      samples('heartrate', list),
      samples('heartrate', [sample(early, 77)]),
    ]);
    expect(kept).toHaveLength(1);
    expect(kept[0]?.samples.map(({ value }) => value)).toEqual([77, 99]);
  });

  it('are grouped by resource and origin, and cholesterol by type', () => {
    const types = ['ldl', 'hdl'].map((type) => sample(early, 2, { type }));
    const { samples: kept } = checked([
      samples('heartrate', [sample(early, 60)]),
      samples('heartrate', [sample(early, 60)], origin({ type: 'ring' })),
      samples('cholesterol', types),
    ]);
    expect(kept.map(({ resource, samples: list }) => `${resource} ${list.length}`)).toEqual([
      'cholesterol 2',
      'heartrate 1',
      'heartrate 1',
    ]);
  });

  it('lose fields that their resource does not have', () => {
    const one = sample(early, 60, { until: Date.parse(late), more: { systolic: 1 } });
    expect(checked([samples('heartrate', [one])]).samples[0]?.samples).toEqual([sample(early, 60)]);
  });
});

describe('a summary is rejected', () => {
  // prettier-ignore
  const cases: [string, SummaryReading, string[]][] = [
    ['with no key',                   summary('activity', {}, { key: '' }),                               ['key value_error']],
    ['with a key of a NUL',           summary('activity', {}, { key: 'a\0' }),                            ['key value_error']],
    ['in the future',                 summary('activity', {}, { at: Date.parse('2026-03-04T00:00:00Z') }), ['at in_future']],
    ['on a day to come',              summary('activity', {}, { day: '2026-03-05' }),                     ['day in_future']],
    ['on a day that there is not',    summary('activity', {}, { day: '2026-02-30' }),                     ['day date_format']],
    ['never, on the day of an islander', summary('activity', {}, { day: '2026-03-03' }),                  []],
    ['with steps as a text',          summary('activity', { steps: '4000' }),                             ['steps invalid_type']],
    ['with half a step',              summary('activity', { steps: 0.5 }),                                ['steps invalid_type']],
    ['with a million steps',          summary('activity', { steps: 1e6 }),                                ['steps implausible']],
    ['with several faults, all said', summary('activity', { steps: -1, heart_rate: { max_bpm: 1000 } }),  ['steps implausible', 'heart_rate.max_bpm implausible']],
    ['without what it needs',         summary('workouts', {}),                                            ['sport invalid_type', 'time_start invalid_type', 'time_end invalid_type']],
    ['that ends before it begins',    summary('workouts', { ...MINIMAL_BODIES.workouts, time_end: '2026-03-01T08:00:00Z' }), ['time_end value_error']],
    ['that ends in the future',       summary('workouts', { ...MINIMAL_BODIES.workouts, time_end: '2027-03-01T08:00:00Z' }), ['time_end in_future']],
    ['with stages of other lengths',  summary('sleep_cycle', { ...MINIMAL_BODIES.sleep_cycle, stage_type: [1] }),  ['stage_type value_error']],
    ['with a word that is none',      summary('profile', { sex: 'yes' }),                                 ['sex invalid_value']],
    ['that is a book',                summary('meal', { ...MINIMAL_BODIES.meal, name: 'x'.repeat(300_000) }),      ['body too_large']],
    ['with what was sent as a book',  summary('activity', {}, { raw: { all: 'x'.repeat(300_000) } }),     ['raw too_large']],
    ['never, of a predicted cycle',   summary('menstrual_cycle', { period_start: '2026-03-20', is_predicted: true }, { day: '2026-03-20', at: Date.parse('2026-03-20') }), []],
    ['of no resource',                summary('workout_stream' as 'activity', {}),                        ['resource value_error']],
  ];
  it.each(cases)('%s', (_what, one, expected) => {
    expect(refused(one)).toEqual(expected);
  });
});

describe('a stream', () => {
  const time = [1_772_355_600, 1_772_355_601, 1_772_355_602];
  // prettier-ignore
  const cases: [string, StreamColumns, string[]][] = [
    ['without points',             { time: [] },                                    ['time value_error']],
    ['with a column too short',    { time, power: [1] },                            ['power value_error']],
    ['of tomorrow next year',      { time: [1_900_000_000] },                       ['time.0 value_error']],
  ];
  it.each(cases)('is rejected %s', (_what, columns, expected) => {
    expect(refused(stream('a', columns))).toEqual(expected);
  });

  it('is sorted by time', () => {
    const { streams } = checked([stream('a', { time: time.toReversed(), power: [3, null, 1] })]);
    expect(streams[0]?.columns).toEqual({ time, power: [1, null, 3] });
  });

  it('loses implausible points, and reports each column once', () => {
    const columns = { time, heartrate: [80, 900, 901], lat: [52, 52.1, 91] };
    const { streams, refused: not } = checked([stream('a', columns)]);
    expect(streams[0]?.columns).toEqual({ time, heartrate: [80, null, null], lat: [52, 52.1, null] });
    expect(not.map(({ loc }) => loc.join('.'))).toEqual(['heartrate.1', 'lat.2']);
  });
});
