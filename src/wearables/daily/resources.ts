import { DAY, MINUTE } from '../../platform/clock.ts';
import type { Sample } from '../readings.ts';
import { TIMESERIES } from '../timeseries/timeseries.ts';
import type { Interval } from './merge-intervals.ts';

/**
 * What is counted by devices that may be there at the same time, so that two of them can count the same. What a person
 * notes (a meal, a glass of water, an injection) is not: two notes of one time may well be two things.
 */
export const COUNTED = [
  'steps',
  'distance',
  'calories_active',
  'calories_basal',
  'floors_climbed',
  'wheelchair_push',
  'stand_duration',
  'mindfulness_minutes',
  'daylight_exposure',
  'workout_duration',
  'workout_distance',
  'workout_swimming_stroke',
] as const;
export type Counted = (typeof COUNTED)[number];

export const unitOf = (resource: Counted): string => TIMESERIES[resource].sample.shape.unit.value;

/** Steps are whole. */
export const digitsOf = (resource: Counted): number => (unitOf(resource) === 'count' ? 0 : 3);

/**
 * Where samples of a resource have no end, two devices hardly ever name the same moment for the same stairs. So each
 * stands for the part of the clock that it lies in: basal energy comes by the hour, the rest within a quarter of one.
 */
const STANDS_FOR: { readonly [R in Counted]?: number } = {
  calories_basal: 60 * MINUTE,
  floors_climbed: 15 * MINUTE,
};

/** Nothing is counted for longer at a time; who says so is wrong about its end, and costs no more than others. */
export const LONGEST_MS = DAY;

export function intervalOf(resource: Counted, { at, until, value }: Sample): Interval {
  const amount = value ?? 0;
  const span = STANDS_FOR[resource];
  if (until !== null || span === undefined) {
    return { from: at, until: Math.min(at + LONGEST_MS, Math.max(at, until ?? at)), amount };
  }
  const from = Math.floor(at / span) * span;
  return { from, until: from + span, amount };
}
