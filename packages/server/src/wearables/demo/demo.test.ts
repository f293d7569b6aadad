import { v5 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../platform/clock.ts';
import { describeProvider, type HealthReading, hypnogram, TIMESERIES } from '../../readings/readings.ts';
import { findBodySchema } from '../records/records.ts';
import { toSampleView } from '../samples/samples.ts';
import { DEMO_PROVIDERS, generateDemoReadings, listDemoResources, type DemoReadingsInput } from './demo.ts';

const userId = v5('somebody', v5.URL);
const read = (ask: Partial<DemoReadingsInput> & { from: Date; to: Date }): HealthReading[] => [
  ...generateDemoReadings({ userId, provider: 'fitbit', ...ask }),
];
const at = (text: string): Date => new Date(text);

/** One line per sample and summary. Daily summaries grow, so only the last version counts. */
function saidOf(readings: readonly HealthReading[]): Map<string, string> {
  const said = new Map<string, string>();
  for (const reading of readings) {
    const { origin } = reading;
    if (reading.kind === 'samples') {
      for (const sample of reading.samples) {
        said.set(`${reading.resource} ${origin.type} ${sample.at}`, JSON.stringify({ origin, sample }));
      }
    } else if (reading.kind === 'summary') {
      said.set(`${reading.resource} ${reading.key}`, JSON.stringify(reading));
    } else said.set(`stream ${reading.workoutKey}`, JSON.stringify(reading));
  }
  return said;
}

const countOf = (readings: readonly HealthReading[]) =>
  readings.reduce((sum, reading) => sum + (reading.kind === 'samples' ? reading.samples.length : 0), 0);

describe.each(DEMO_PROVIDERS)('%s', (provider) => {
  const from = at('2026-05-04T00:00:00Z');
  const timeZone = 'UTC';

  it('is the same for every interval that contains a timestamp', () => {
    const whole = read({ provider, timeZone, from, to: at('2026-05-09T17:10:00Z') });
    const parts: HealthReading[] = [];
    const hours = [7, 3, 5.5, 11, 2, 24, 9.25, 31, 0.1, 13];
    let start = from.getTime();
    for (const [index, hour] of hours.entries()) {
      const end = index === hours.length - 1 ? Date.parse('2026-05-09T17:10:00Z') : start + hour * HOUR;
      // In steps of less than a day, like the timer.
      for (let step = start; step < end; step += 20 * HOUR) {
        parts.push(
          ...read({
            provider,
            timeZone,
            from: new Date(step),
            to: new Date(Math.min(end, step + 20 * HOUR)),
          }),
        );
      }
      start = end;
    }
    const [one, other] = [saidOf(whole), saidOf(parts)];
    expect([...other.keys()].toSorted()).toEqual([...one.keys()].toSorted());
    expect([...one].filter(([name, text]) => other.get(name) !== text)).toEqual([]);
    expect(countOf(parts)).toBe(countOf(whole));
  });

  it('differs between users', () => {
    const span = { provider, timeZone, from, to: new Date(from.getTime() + DAY) };
    const [one, other] = [saidOf(read(span)), saidOf(read({ ...span, userId: v5('another', v5.URL) }))];
    const same = [...one].filter(([name, text]) => other.get(name) === text);
    expect(same.length).toBeLessThan(one.size / 10);
  });

  it('has the resources of the provider, in the format of the contract', () => {
    const resources = new Set<string>([...listDemoResources(provider), 'hypnogram', 'workout_stream']);
    expect(describeProvider(provider).slug).toBe(provider);
    const readings = read({ provider, from, to: new Date(from.getTime() + 10 * DAY) });
    expect(new Set(readings.map(({ origin }) => origin.provider))).toEqual(new Set([provider]));
    const told = new Set(readings.map((one) => (one.kind === 'workout_stream' ? one.kind : one.resource)));
    expect([...told].filter((resource) => !resources.has(resource))).toEqual([]);
    expect(readings.flatMap(faultsOf)).toEqual([]);
  });
});

function faultsOf(reading: HealthReading): unknown[] {
  if (reading.kind === 'workout_stream') return [];
  const { resource } = reading;
  const results =
    reading.kind === 'summary'
      ? [findBodySchema(resource)?.safeParse(reading.body)]
      : reading.samples.slice(0, 5).map((sample) => {
          const { sample: schema } = resource in TIMESERIES ? TIMESERIES[resource as 'steps'] : hypnogram;
          return schema.safeParse(toSampleView(reading.resource, sample));
        });
  return results.flatMap((result) => (result?.success ? [] : [{ resource, error: result?.error }]));
}

describe('a measurement that has not ended', () => {
  const [from, to] = [at('2026-05-04T12:00:00Z'), at('2026-05-04T15:07:00Z')];

  it('is not generated yet, and nothing is generated twice', () => {
    const readings = read({ timeZone: 'UTC', from, to }).flatMap((reading) =>
      reading.kind === 'samples'
        ? reading.samples.map((sample) => ({ ...sample, of: reading.resource }))
        : [],
    );
    expect(readings.length).toBeGreaterThan(180);
    for (const { at: moment, until } of readings) {
      expect(until ?? moment).toBeLessThanOrEqual(to.getTime());
      expect(until ?? moment + HOUR).toBeGreaterThan(from.getTime());
    }
    expect(read({ timeZone: 'UTC', from: to, to })).toEqual([]);
    expect(read({ timeZone: 'UTC', from: to, to: from })).toEqual([]);
  });

  it('lets the summary of a day grow with its samples', () => {
    const dayAt = (time: string) =>
      read({ timeZone: 'UTC', from, to: at(time) }).find(
        (reading) => reading.kind === 'summary' && reading.resource === 'activity',
      );
    const [early, late] = [dayAt('2026-05-04T13:00:00Z'), dayAt('2026-05-04T22:00:00Z')];
    const steps = (reading: HealthReading | undefined) =>
      reading?.kind === 'summary' ? Number(reading.body['steps']) : NaN;
    expect(steps(late)).toBeGreaterThan(steps(early));
  });
});

describe('a day with a clock change', () => {
  // prettier-ignore
  const days = [
    { day: '2026-03-07', zone: 'America/New_York', hours: 24, offsets: [-18_000] },
    { day: '2026-03-08', zone: 'America/New_York', hours: 23, offsets: [-18_000, -14_400] },
    { day: '2026-11-01', zone: 'America/New_York', hours: 25, offsets: [-14_400, -18_000] },
    { day: '2026-10-25', zone: 'Europe/Berlin',    hours: 25, offsets: [7200, 3600] },
  ];

  it.each(days)('$day in $zone has $hours hours', ({ day, zone, hours, offsets }) => {
    const noon = at(`${day}T12:00:00Z`).getTime();
    const readings = read({ timeZone: zone, from: new Date(noon - 2 * DAY), to: new Date(noon + 2 * DAY) });
    const ofDay = (resource: string) =>
      readings
        .flatMap((reading) =>
          reading.kind === 'samples' && reading.resource === resource ? reading.samples : [],
        )
        .filter(({ at: moment, offset }) =>
          new Date(moment + (offset ?? 0) * 1000).toISOString().startsWith(day),
        );
    expect(ofDay('calories_basal')).toHaveLength(hours);
    const beats = ofDay('heartrate');
    expect([...new Set(beats.map(({ offset }) => offset))]).toEqual(offsets);
    // The watch is charging for a while.
    expect(beats.length).toBeGreaterThan((hours - 1) * 60);
    expect(beats.length).toBeLessThan(hours * 60);
    const night = readings.find((reading) => reading.kind === 'summary' && reading.key === `night-${day}`);
    const {
      duration,
      bedtime_start: start,
      bedtime_stop: stop,
    } = (night?.kind === 'summary' && night.body) || {};
    expect(Number(duration) * 1000).toBe(Date.parse(String(stop)) - Date.parse(String(start)));
    const [first, last] = [beats[0]?.at ?? 0, beats.at(-1)?.at ?? 0];
    expect(last - first).toBe(hours * HOUR - MINUTE);
  });
});
