import { HOUR } from '../../platform/clock.ts';
import { addDays, openLocalDay } from '../../platform/time-zone.ts';

/** The start of a local day: midnight, or the instant when the clock skips midnight. */
const startOfDay = (zone: string, day: string): number => openLocalDay(zone, day).atOrAfterGap(0).getTime();

/**
 * The edges of the hours of a local day, counted from its start: 25 on most days, 24 or 26 on days with a clock change.
 * If the clock changes by half an hour, the last bucket is half an hour long.
 */
export function listHourEdges(zone: string, day: string): number[] {
  const [start, end] = [startOfDay(zone, day), startOfDay(zone, addDays(day, 1))];
  const edges = Array.from({ length: Math.ceil((end - start) / HOUR) }, (_, hour) => start + hour * HOUR);
  return [...edges, end];
}
