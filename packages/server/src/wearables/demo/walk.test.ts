// In Node the package resolves to CommonJS.
// oxlint-disable-next-line import/default
import polyline from '@googlemaps/polyline-codec';
import tzLookup from '@photostructure/tz-lookup';
import { v5 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { DAY, isoDay, MINUTE } from '../../platform/clock.ts';
import { mergeIntervals } from '../daily/merge-intervals.ts';
import type {
  HealthReading,
  HealthSample,
  SampleReading,
  SummaryReading,
  WorkoutStreamReading,
} from '../../readings/readings.ts';
import { DEMO_PROVIDERS, generateDemoReadings, type DemoProvider } from './demo.ts';
import { createPerson } from './person.ts';
import { RARE_SERIES, type RareSeries } from './rare-series.ts';

/*
 * Thirty days of fifty people, across clock changes in their own or a given time zone: all readings are within
 * physiological bounds and consistent with each other.
 */

const [FROM, TO] = [new Date('2026-03-08T15:20:00Z'), new Date('2026-04-07T15:20:00Z')];
/** Fifty people; fewer for providers with many samples. */
const PEOPLE: readonly [DemoProvider, number][] = [
  ['apple_health_kit', 7],
  ['fitbit', 6],
  ['oura', 15],
  ['freestyle_libre', 22],
];
const ZONES = [undefined, undefined, 'Europe/Berlin', 'Asia/Kathmandu', 'America/New_York'];

// prettier-ignore
const BOUNDS: Record<string, [least: number, most: number]> = {
  heartrate: [38, 190], hrv: [8, 180], respiratory_rate: [9, 22], blood_oxygen: [92, 100], hypnogram: [1, 4],
  body_temperature_delta: [-0.5, 0.5], steps: [1, 2700], distance: [0.1, 3500], calories_active: [0.1, 260],
  calories_basal: [20, 110], floors_climbed: [1, 6], weight: [40, 130], fat: [8, 42], glucose: [3.2, 18],
  electrocardiogram_voltage: [-0.4, 1.3], workout_duration: [20, 80], workout_distance: [500, 45_000],
  heart_rate_recovery_one_minute: [15, 45],
};
/** Those of what is measured a few times a day or a month are in its table. */
const RARE = DEMO_PROVIDERS.flatMap((provider): readonly RareSeries[] => RARE_SERIES[provider]);
const boundsOf = (resource: string): readonly [least: number, most: number] => {
  const own = BOUNDS[resource] ?? RARE.find((series) => series.resource === resource)?.range;
  return own ?? [1, 0];
};
/** Resources whose samples have other fields than a number. */
const OTHER_FIELDS = new Set(['blood_pressure', 'note']);
/** Resources without an end in the contract. */
const MOMENTS = new Set([
  ...'heartrate hrv respiratory_rate blood_oxygen calories_basal floors_climbed weight fat glucose'.split(
    ' ',
  ),
  ...'blood_pressure cholesterol ige igg stress_level water electrocardiogram_voltage'.split(' '),
]);

interface DemoReadingsOfPerson {
  readonly provider: DemoProvider;
  readonly userId: string;
  readonly zone: string;
  readonly readings: readonly HealthReading[];
}

const samplesOf = (readings: readonly HealthReading[], resource: string, type?: string) =>
  readings
    .filter((reading): reading is SampleReading => reading.kind === 'samples')
    .filter(
      (reading) => reading.resource === resource && (type ?? reading.origin.type) === reading.origin.type,
    )
    .flatMap(({ samples }) => samples);
const summariesOf = (readings: readonly HealthReading[], resource: string) =>
  readings.filter(
    (reading): reading is SummaryReading => reading.kind === 'summary' && reading.resource === resource,
  );
const streamsOf = (readings: readonly HealthReading[]) =>
  readings.filter((reading): reading is WorkoutStreamReading => reading.kind === 'workout_stream');
/** By the offset of the sample itself. */
const dayOf = ({ at, offset }: HealthSample) => isoDay(new Date(at + (offset ?? 0) * 1000));
const byDay = (samples: readonly HealthSample[]) => {
  const days = new Map<string, number[]>();
  for (const sample of samples) {
    const values = days.get(dayOf(sample)) ?? [];
    values.push(sample.value ?? 0);
    days.set(dayOf(sample), values);
  }
  return days;
};
const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);
const numberIn = (body: Readonly<Record<string, unknown>>, name: string) => Number(body[name]);
const momentIn = (body: Readonly<Record<string, unknown>>, name: string) => Date.parse(String(body[name]));

const people: DemoReadingsOfPerson[] = PEOPLE.flatMap(([provider, count]) =>
  Array.from({ length: count }, (_, index) => {
    const userId = v5(`${provider} ${index}`, v5.URL);
    const timeZone = ZONES[index % ZONES.length];
    const readings = [...generateDemoReadings({ userId, provider, from: FROM, to: TO, timeZone })];
    return { provider, userId, zone: createPerson(userId, timeZone).zone, readings };
  }),
);
const told = (...providers: DemoProvider[]) => people.filter(({ provider }) => providers.includes(provider));

describe('every sample', () => {
  it('is within the bounds of its resource and of the requested interval', () => {
    const wrong = people.flatMap(({ userId, readings }) =>
      readings.flatMap((reading) => {
        if (reading.kind !== 'samples') return [];
        const { resource, samples } = reading;
        const [least, most] = boundsOf(resource);
        return samples
          .filter(({ at, until, value }) => {
            const isNumber = value !== null && value >= least && value <= most;
            const fits = OTHER_FIELDS.has(resource) ? value === null : isNumber;
            const isTimely = at >= FROM.getTime() - 2 * DAY && (until ?? at) <= TO.getTime();
            return (
              !fits || !isTimely || (until === null) !== MOMENTS.has(resource) || (until ?? at + 1) <= at
            );
          })
          .map((sample) => ({ userId, resource, ...sample }));
      }),
    );
    expect(wrong.slice(0, 5)).toEqual([]);
  });

  it('is generated once, without overlapping the previous one', () => {
    const wrong = people.flatMap(({ readings, userId }) => {
      const ends = new Map<string, number>();
      return readings.flatMap((reading) => {
        if (reading.kind !== 'samples') return [];
        const name = `${userId} ${reading.resource} ${reading.origin.type}`;
        return reading.samples.flatMap(({ at, until }) => {
          const isLate = at < (ends.get(name) ?? 0);
          ends.set(name, until ?? at + 1);
          return isLate ? [`${name} ${at}`] : [];
        });
      });
    });
    expect(wrong.slice(0, 5)).toEqual([]);
  });
});

describe('a night', () => {
  const nights = told('apple_health_kit', 'fitbit', 'oura').flatMap(({ readings }) =>
    summariesOf(readings, 'sleep').map((sleep) => ({ sleep, readings })),
  );

  it('is as long as its parts, without steps or workouts', () => {
    expect(nights.length).toBeGreaterThan(800);
    for (const { sleep, readings } of nights) {
      const { body } = sleep;
      const [from, until] = [momentIn(body, 'bedtime_start'), momentIn(body, 'bedtime_stop')];
      const parts = ['deep', 'light', 'rem', 'awake'].map((part) => numberIn(body, part));
      expect(sumOf(parts)).toBe((until - from) / 1000);
      expect(body['duration']).toBe(sumOf(parts));
      expect(numberIn(body, 'total') + numberIn(body, 'awake')).toBe(body['duration']);
      expect((until - from) / (60 * MINUTE)).toBeGreaterThan(4.5);
      expect((until - from) / (60 * MINUTE)).toBeLessThan(11);
      const meets = (start: number, end: number) => start < until && end > from;
      const workouts = summariesOf(readings, 'workouts').map((workout) => workout.body);
      expect(
        workouts.some((workout) => meets(momentIn(workout, 'time_start'), momentIn(workout, 'time_end'))),
      ).toBe(false);
    }
  });

  it('follows its cycles: deep early, REM late', () => {
    for (const { readings } of told('oura', 'fitbit')) {
      const halves = { deep: [0, 0], rem: [0, 0] };
      const cycles: number[] = [];
      for (const { body } of summariesOf(readings, 'sleep_cycle')) {
        const [starts, ends, types] = [
          'stage_start_offset_second',
          'stage_end_offset_second',
          'stage_type',
        ].map((name) => body[name] as number[]) as [number[], number[], number[]];
        expect(starts[0]).toBe(0);
        expect(starts.slice(1)).toEqual(ends.slice(0, -1));
        expect(ends.at(-1)).toBe((momentIn(body, 'session_end') - momentIn(body, 'session_start')) / 1000);
        const night = ends.at(-1) ?? 1;
        types.forEach((type, index) => {
          const half = (starts[index] ?? 0) < night / 2 ? 0 : 1;
          const part = type === 1 ? halves.deep : type === 3 ? halves.rem : undefined;
          if (part) part[half] = (part[half] ?? 0) + (ends[index] ?? 0) - (starts[index] ?? 0);
        });
        const rem = types.flatMap((type, index) => (type === 3 ? [ends[index] ?? 0] : []));
        rem.slice(1, -1).forEach((end, index) => cycles.push((end - (rem[index] ?? 0)) / 60));
      }
      expect(halves.deep[0]).toBeGreaterThan(4 * (halves.deep[1] ?? 0));
      expect(halves.rem[1]).toBeGreaterThan(1.5 * (halves.rem[0] ?? 0));
      expect(sumOf(cycles) / cycles.length).toBeGreaterThan(80);
      expect(sumOf(cycles) / cycles.length).toBeLessThan(100);
    }
  });

  it('is also generated as stages', () => {
    for (const { readings } of told('apple_health_kit')) {
      const stages = samplesOf(readings, 'hypnogram');
      const deep = stages.filter(({ value }) => value === 1);
      expect(sumOf(deep.map(({ at, until }) => ((until ?? at) - at) / 1000))).toBe(
        sumOf(summariesOf(readings, 'sleep').map(({ body }) => numberIn(body, 'deep'))),
      );
    }
  });

  it('lowers the heart rate', () => {
    for (const { readings } of told('fitbit', 'oura')) {
      const days = summariesOf(readings, 'activity').map(
        ({ body }) => body['heart_rate'] as { avg_bpm: number },
      );
      const slept = summariesOf(readings, 'sleep').map(({ body }) => numberIn(body, 'hr_average'));
      const calm = sumOf(slept) / slept.length;
      expect(sumOf(days.map(({ avg_bpm }) => avg_bpm)) / days.length).toBeGreaterThan(calm + 4);
    }
  });
});

describe('a day', () => {
  // prettier-ignore
  const totals = [
    { resource: 'steps',           field: 'steps' },
    { resource: 'distance',        field: 'distance' },
    { resource: 'calories_active', field: 'calories_active' },
    { resource: 'floors_climbed',  field: 'floors_climbed' },
  ];

  it.each(totals)('of Fitbit has the $field that its samples add up to', ({ resource, field }) => {
    for (const { readings } of told('fitbit')) {
      const samples = byDay(samplesOf(readings, resource));
      for (const { day, body } of summariesOf(readings, 'activity')) {
        expect(sumOf(samples.get(day) ?? [])).toBeCloseTo(numberIn(body, field), 5);
      }
    }
  });

  it.each(totals)('of Apple has the $field of watch and phone merged', ({ resource, field }) => {
    const intervalsOf = (readings: readonly HealthReading[], type: string) =>
      samplesOf(readings, resource, type).map(({ at, until, value }) => ({
        from: at,
        until: until ?? at,
        amount: value ?? 0,
      }));
    for (const { readings } of told('apple_health_kit')) {
      const days = summariesOf(readings, 'activity');
      const edges = [...days.map(({ at }) => at), TO.getTime()];
      const layers = ['watch', 'phone'].map((source) => ({
        source,
        intervals: intervalsOf(readings, source),
      }));
      const merged = mergeIntervals(layers, edges);
      days.forEach(({ body }, index) => {
        const ofDay = sumOf(merged.contributions.map(({ amounts }) => amounts[index] ?? 0));
        expect(ofDay).toBeCloseTo(numberIn(body, field), 5);
      });
      const [watch, phone] = merged.contributions.map(({ amount }) => amount);
      expect(watch).toBeGreaterThan(5 * (phone ?? 0));
      // A phone measures no energy.
      expect(phone === 0).toBe(resource === 'calories_active');
    }
  });

  it('has the heart rates of its samples, and the basal energy of its hours', () => {
    for (const { readings } of told('fitbit')) {
      const beats = byDay(samplesOf(readings, 'heartrate'));
      const basal = byDay(samplesOf(readings, 'calories_basal'));
      for (const { day, body } of summariesOf(readings, 'activity')) {
        const values = beats.get(day) ?? [];
        expect(body['heart_rate']).toMatchObject({
          min_bpm: Math.min(...values),
          max_bpm: Math.max(...values),
        });
        expect(sumOf(basal.get(day) ?? [])).toBeCloseTo(
          numberIn(body, 'calories_total') - numberIn(body, 'calories_active'),
          1,
        );
      }
    }
  });

  it('is realistic', () => {
    for (const { readings } of told('apple_health_kit', 'fitbit', 'oura')) {
      const days = summariesOf(readings, 'activity').slice(0, -1);
      const steps = days.map(({ body }) => numberIn(body, 'steps'));
      expect(sumOf(steps) / steps.length).toBeGreaterThan(2500);
      expect(sumOf(steps) / steps.length).toBeLessThan(18_000);
      expect(Math.min(...steps)).toBeGreaterThan(500);
      expect(days.every(({ body }) => numberIn(body, 'calories_total') < 4500)).toBe(true);
    }
  });
});

describe('a workout', () => {
  const workouts = told('apple_health_kit', 'fitbit').flatMap(({ zone, readings }) =>
    streamsOf(readings).map(({ workoutKey, columns }) => ({
      zone,
      columns,
      body: summariesOf(readings, 'workouts').find(({ key }) => key === workoutKey)?.body ?? {},
    })),
  );
  const outside = workouts.filter(({ columns }) => columns.lat !== undefined);

  it('has a stream of equal columns that matches its summary', () => {
    expect(workouts.length).toBeGreaterThan(60);
    for (const { columns, body } of workouts) {
      const { time, heartrate = [], distance } = columns;
      for (const column of Object.values(columns)) expect(column).toHaveLength(time.length);
      expect([time[0], time.at(-1)]).toEqual(
        ['time_start', 'time_end'].map((name) => Math.floor(momentIn(body, name) / 1000)),
      );
      expect(Math.max(...heartrate.map(Number))).toBe(body['max_hr']);
      expect(sumOf(body['hr_zones'] as number[])).toBe(body['moving_time']);
      expect(distance?.at(-1) ?? null).toBe(body['distance']);
    }
  });

  it('is a closed loop at the stated speed', () => {
    expect(outside.length).toBeGreaterThan(20);
    for (const { columns, body, zone } of outside) {
      const { lat = [], lng = [], velocity_smooth: speed = [] } = columns;
      const points = lat.map((degrees, index): [number, number] => [degrees ?? 0, lng[index] ?? 0]);
      const hops = points.slice(1).map((point, index) => metersBetween(points[index] ?? point, point));
      expect(hops.filter((meters, index) => meters > 5 * (speed[index + 1] ?? 0) + 1)).toEqual([]);
      // A chord is slightly shorter than its arc.
      expect(sumOf(hops)).toBeGreaterThan(numberIn(body, 'distance') * 0.97);
      expect(metersBetween(points[0] ?? [0, 0], points.at(-1) ?? [0, 0])).toBeLessThan(1);
      const sketch = points.filter((_, index) => index % 40 === 0);
      expect(new Set(sketch.map(([north, east]) => tzLookup(north, east)))).toEqual(new Set([zone]));
      const map = body['map'] as { polyline: string; summary_polyline: string };
      const drawn = polyline.decode(map.polyline, 5);
      expect(drawn).toHaveLength(points.length);
      expect(metersBetween(drawn[7] ?? [0, 0], points[7] ?? [0, 0])).toBeLessThan(2);
      expect(polyline.decode(map.summary_polyline, 5).length).toBeLessThanOrEqual(102);
    }
  });

  it('raises the heart rate with the speed', () => {
    const pairs = outside.map(({ columns: { heartrate = [], velocity_smooth: speed = [] } }) =>
      correlation(
        heartrate.slice(0, -6).map((_, index) => heartrate[index + 6] ?? 0),
        speed.slice(0, -6).map(Number),
      ),
    );
    expect(Math.min(...pairs)).toBeGreaterThan(0.3);
    expect(sumOf(pairs) / pairs.length).toBeGreaterThan(0.7);
  });
});

describe('glucose', () => {
  it('is measured every 5 or 15 minutes, and rises after meals', () => {
    const steps = new Set<number>();
    for (const { readings } of told('freestyle_libre')) {
      const samples = samplesOf(readings, 'glucose');
      const gaps = new Set(
        samples.slice(1).map(({ at }, index) => (at - (samples[index]?.at ?? 0)) / MINUTE),
      );
      expect(gaps.size).toBe(1);
      for (const gap of gaps) steps.add(gap);
      const values = samples.map(({ value }) => value ?? 0);
      expect(Math.max(...values) - Math.min(...values)).toBeGreaterThan(2);
    }
    expect([...steps].toSorted((one, other) => one - other)).toEqual([5, 15]);
  });
});

function metersBetween([lat, lng]: readonly number[], [north, east]: readonly number[]): number {
  const [one, other] = [((lat ?? 0) * Math.PI) / 180, ((north ?? 0) * Math.PI) / 180];
  const x = (((east ?? 0) - (lng ?? 0)) * Math.PI * Math.cos((one + other) / 2)) / 180;
  return 6_371_000 * Math.hypot(other - one, x);
}

function correlation(one: readonly number[], other: readonly number[]): number {
  const [mean, otherMean] = [sumOf(one) / one.length, sumOf(other) / other.length];
  const both = sumOf(one.map((value, index) => (value - mean) * ((other[index] ?? 0) - otherMean)));
  const spread = (values: readonly number[], middle: number) =>
    sumOf(values.map((value) => (value - middle) ** 2));
  return both / Math.sqrt(spread(one, mean) * spread(other, otherMean));
}
