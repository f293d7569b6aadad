import { MINUTE } from '../../platform/clock.ts';
import type { HealthReading, HealthSample } from '../../readings/readings.ts';
import { roundTo, smoothNoise } from './random.ts';
import { bpmAt, respiratoryRateAt, hrvAt, oxygenAt } from './heart.ts';
import type { DemoDay } from './life.ts';
import type { DemoNight } from './night.ts';
import { listGrid, hasEnded, mainOrigin, sampleAt, yieldNewSamples, type DemoContext } from './context.ts';

const isWorn = (day: DemoDay, moment: number): boolean =>
  day.slots[Math.floor((moment - day.start) / (5 * MINUTE))]?.worn ?? true;

/** The samples of a day are needed twice: as samples and for the summary. */
const heartSampleCache = new WeakMap<DemoDay, HealthSample[]>();

/** The heart rates of a day: denser during a workout, none while the watch is charging. */
export function heartSamples(telling: DemoContext, day: DemoDay): HealthSample[] {
  const known = heartSampleCache.get(day) ?? computeHeartSamples(telling, day);
  heartSampleCache.set(day, known);
  return known;
}

function computeHeartSamples({ life, generator }: DemoContext, day: DemoDay): HealthSample[] {
  const { heartMinutes } = generator;
  if (heartMinutes === null) return [];
  const often = day.workout ? listGrid(1, day.workout) : [];
  const moments = new Set([...listGrid(heartMinutes, { from: day.start, until: day.end }), ...often]);
  return [...moments]
    .toSorted((one, other) => one - other)
    .filter((moment) => isWorn(day, moment))
    .map((moment) => sampleAt(day, moment, bpmAt(life, moment)));
}

/** The heart rates that a device measured in a night. */
export const heartRatesInNight = ({ life, generator }: DemoContext, night: DemoNight): number[] =>
  listGrid(generator.heartMinutes ?? 5, night).map((moment) => bpmAt(life, moment));

/** Timestamps within the parts of the night and the next night that fall on this day. */
function sleepTimestamps(day: DemoDay, minutes: number): number[] {
  const until = Math.min(day.end, Math.max(day.nextNight.from, day.start));
  return [
    ...listGrid(minutes, { from: Math.max(day.start, day.night.from), until: day.night.until }),
    ...listGrid(minutes, { from: until, until: day.end }),
  ];
}

export function* generateHeart(telling: DemoContext, day: DemoDay): Iterable<HealthReading> {
  const { life, generator } = telling;
  const origin = mainOrigin(telling);
  const samplesOf = (moments: readonly number[], value: (moment: number) => number) =>
    moments.map((moment) => sampleAt(day, moment, value(moment)));
  yield* yieldNewSamples(telling, { resource: 'heartrate', origin, samples: heartSamples(telling, day) });
  if (generator.hrv) {
    const { minutes, byDay } = generator.hrv;
    const moments = byDay
      ? listGrid(minutes, { from: day.start, until: day.end }).filter((moment) => isWorn(day, moment))
      : sleepTimestamps(day, minutes);
    yield* yieldNewSamples(telling, {
      resource: 'hrv',
      origin,
      samples: samplesOf(moments, (at) => hrvAt(life, at)),
    });
  }
  if (generator.breathMinutes !== null) {
    const samples = samplesOf(sleepTimestamps(day, generator.breathMinutes), (at) =>
      roundTo(respiratoryRateAt(life, at), 1),
    );
    yield* yieldNewSamples(telling, { resource: 'respiratory_rate', origin, samples });
  }
  if (generator.oxygenMinutes !== null) {
    const samples = samplesOf(sleepTimestamps(day, generator.oxygenMinutes), (at) => oxygenAt(life, at));
    yield* yieldNewSamples(telling, { resource: 'blood_oxygen', origin, samples });
  }
  if (generator.temperatureDelta) {
    const { from, until } = day.night;
    const sample = { ...sampleAt(day, from, temperatureDelta(telling, day.night)), until };
    const more = { sensor_location: generator.type === 'ring' ? 'finger' : 'wrist' };
    const samples = hasEnded(telling, sample)
      ? [{ ...sample, offset: life.at(from).offsetAt(from), more }]
      : [];
    yield* yieldNewSamples(telling, { resource: 'body_temperature_delta', origin, samples });
  }
}

/** Degrees Celsius relative to the baseline. */
export const temperatureDelta = ({ life }: DemoContext, { until }: DemoNight): number =>
  roundTo(0.45 * smoothNoise(life.person.chance.of('temperature'), until, 50 * 60 * MINUTE), 2);
