import { DAY, MINUTE } from '../../platform/clock.ts';
import { localDay, localMinutes } from '../../platform/time-zone.ts';

const QUARTER = 15 * MINUTE;

/**
 * Converts UTC milliseconds to local time: by the measurement's own offset (seconds), else by the time zone, else UTC.
 */
export type LocalTimeConverter = (moment: number, offset?: number | null) => number;

export function createLocalTimeConverter(zone: string | null): LocalTimeConverter {
  const offsets = new Map<number, number>();
  const shift = (moment: number): number => {
    if (zone === null) return 0;
    const quarter = Math.floor(moment / QUARTER) * QUARTER;
    const known = offsets.get(quarter);
    if (known !== undefined) return known;
    const date = new Date(quarter);
    const shown = Date.parse(`${localDay(zone, date)}T00:00:00Z`) + localMinutes(zone, date) * MINUTE;
    offsets.set(quarter, shown - quarter);
    return shown - quarter;
  };
  return (moment, offset) =>
    moment + (offset === null || offset === undefined ? shift(moment) : offset * 1000);
}

/** An upper bound for every UTC offset. */
export const UTC_OFFSET_MAX_MS = DAY;
