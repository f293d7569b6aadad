import { HOUR } from '../../platform/clock.ts';
import { dayAfter, openLocalDay } from '../../platform/time-zone.ts';

/** When a local day begins: at midnight, or when the clock is put forward over it. */
export const startOfDay = (zone: string, day: string): number => openLocalDay(zone, day).reached(0).getTime();

/**
 * The edges of the hours of a local day, counted from its start: 25 of them on most days, 24 or 26 on those that the
 * clock is changed on. Where it is changed by half an hour, the last one is that half.
 */
export function hoursOf(zone: string, day: string): number[] {
  const [start, end] = [startOfDay(zone, day), startOfDay(zone, dayAfter(day, 1))];
  const edges = Array.from({ length: Math.ceil((end - start) / HOUR) }, (_, hour) => start + hour * HOUR);
  return [...edges, end];
}
