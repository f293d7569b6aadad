import { isoDay } from '../../platform/clock.ts';
import { localDay, openLocalDay } from '../../platform/time-zone.ts';

/**
 * The calendar day of an instant, for every format: by the offset that the file states (seconds east of UTC), else by
 * the time zone of the user, else in UTC.
 */
export function toLocalDay(at: number, offset: number | null, timeZone: string | null): string {
  if (offset !== null) return isoDay(new Date(at + offset * 1000));
  return timeZone === null ? isoDay(new Date(at)) : localDay(timeZone, new Date(at));
}

/** The instant at which such a day begins. */
export function toStartOfDay(day: string, offset: number | null, timeZone: string | null): number {
  if (offset === null && timeZone !== null) return openLocalDay(timeZone, day).atOrAfterGap(0).getTime();
  return Date.parse(`${day}T00:00:00Z`) - (offset ?? 0) * 1000;
}
