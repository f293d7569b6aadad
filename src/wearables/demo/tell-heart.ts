import { MINUTE } from '../../platform/clock.ts';
import type { Reading, Sample } from '../readings.ts';
import { roundTo, wander } from './chance.ts';
import { bpmAt, breathsAt, hrvAt, oxygenAt } from './heart.ts';
import type { Day } from './life.ts';
import type { Night } from './night.ts';
import { gridOf, isOver, mainOrigin, sampleAt, told, type Telling } from './telling.ts';
import type { Workout } from './workout.ts';

const isWorn = (day: Day, moment: number): boolean =>
  day.slots[Math.floor((moment - day.start) / (5 * MINUTE))]?.worn ?? true;

/** A day of one telling is asked twice: for its samples, and for what its summary says of them. */
const beats = new WeakMap<Day, Sample[]>();

/** The beats of a day, closer together in a workout, none while the watch is on its charger. */
export function heartSamples(telling: Telling, day: Day): Sample[] {
  const known = beats.get(day) ?? measureHeart(telling, day);
  beats.set(day, known);
  return known;
}

function measureHeart({ life, teller }: Telling, day: Day): Sample[] {
  const { heartMinutes } = teller;
  if (heartMinutes === null) return [];
  const often = day.workout ? gridOf(1, day.workout) : [];
  const moments = new Set([...gridOf(heartMinutes, { from: day.start, until: day.end }), ...often]);
  return [...moments]
    .toSorted((one, other) => one - other)
    .filter((moment) => isWorn(day, moment))
    .map((moment) => sampleAt(day, moment, bpmAt(life, moment)));
}

/** The beats that a device took in a night, which begins on the day before. */
export const beatsIn = ({ life, teller }: Telling, night: Night): number[] =>
  gridOf(teller.heartMinutes ?? 5, night).map((moment) => bpmAt(life, moment));

export const beatsInWorkout = (workout: Workout): number[] => workout.ticks.map(({ bpm }) => bpm);

/** What of a day's nights lies on that day. */
function asleepOn(day: Day, minutes: number): number[] {
  const until = Math.min(day.end, Math.max(day.nextNight.from, day.start));
  return [
    ...gridOf(minutes, { from: Math.max(day.start, day.night.from), until: day.night.until }),
    ...gridOf(minutes, { from: until, until: day.end }),
  ];
}

export function* tellHeart(telling: Telling, day: Day): Iterable<Reading> {
  const { life, teller } = telling;
  const origin = mainOrigin(telling);
  const samplesOf = (moments: readonly number[], value: (moment: number) => number) =>
    moments.map((moment) => sampleAt(day, moment, value(moment)));
  yield* told(telling, { resource: 'heartrate', origin, samples: heartSamples(telling, day) });
  if (teller.hrv) {
    const { minutes, byDay } = teller.hrv;
    const moments = byDay
      ? gridOf(minutes, { from: day.start, until: day.end }).filter((moment) => isWorn(day, moment))
      : asleepOn(day, minutes);
    yield* told(telling, { resource: 'hrv', origin, samples: samplesOf(moments, (at) => hrvAt(life, at)) });
  }
  if (teller.breathMinutes !== null) {
    const samples = samplesOf(asleepOn(day, teller.breathMinutes), (at) => roundTo(breathsAt(life, at), 1));
    yield* told(telling, { resource: 'respiratory_rate', origin, samples });
  }
  if (teller.oxygenMinutes !== null) {
    const samples = samplesOf(asleepOn(day, teller.oxygenMinutes), (at) => oxygenAt(life, at));
    yield* told(telling, { resource: 'blood_oxygen', origin, samples });
  }
  if (teller.temperatureDelta) {
    const { from, until } = day.night;
    const sample = { ...sampleAt(day, from, temperatureDelta(telling, day.night)), until };
    const more = { sensor_location: teller.type === 'ring' ? 'finger' : 'wrist' };
    const samples = isOver(telling, sample)
      ? [{ ...sample, offset: life.at(from).offsetAt(from), more }]
      : [];
    yield* told(telling, { resource: 'body_temperature_delta', origin, samples });
  }
}

/** Degrees against what is usual. */
export const temperatureDelta = ({ life }: Telling, { until }: Night): number =>
  roundTo(0.45 * wander(life.person.chance.of('temperature'), until, 50 * 60 * MINUTE), 2);
