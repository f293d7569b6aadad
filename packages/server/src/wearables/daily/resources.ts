import { DAY, MINUTE } from '../../platform/clock.ts';
import { type HealthSample, TIMESERIES } from '../../readings/readings.ts';
import type { AmountInterval } from './merge-intervals.ts';

/**
 * Resources that several devices can count at the same time, so that amounts must be deduplicated. What a user logs (a
 * meal, a glass of water, an injection) is not in the list: two entries at one time may be two things.
 */
export const COUNTED_RESOURCES = [
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
export type CountedResource = (typeof COUNTED_RESOURCES)[number];

export const getUnit = (resource: CountedResource): string => TIMESERIES[resource].sample.shape.unit.value;

/** Counts are whole numbers. */
export const getDigits = (resource: CountedResource): number => (getUnit(resource) === 'count' ? 0 : 3);

/**
 * If samples of a resource have no end, two devices rarely report the same instant for the same stairs. Each sample
 * therefore stands for the clock interval that contains it: an hour of basal energy, a quarter of an hour otherwise.
 */
const DEFAULT_DURATIONS_MS: { readonly [R in CountedResource]?: number } = {
  calories_basal: 60 * MINUTE,
  floors_climbed: 15 * MINUTE,
};

/** Longer intervals are clipped: their end is assumed to be wrong, and a read needs to look back only so far. */
export const INTERVAL_MAX_MS = DAY;

export function toInterval(resource: CountedResource, { at, until, value }: HealthSample): AmountInterval {
  const amount = value ?? 0;
  const span = DEFAULT_DURATIONS_MS[resource];
  if (until !== null || span === undefined) {
    return { from: at, until: Math.min(at + INTERVAL_MAX_MS, Math.max(at, until ?? at)), amount };
  }
  const from = Math.floor(at / span) * span;
  return { from, until: from + span, amount };
}
