import { LRUCache } from 'lru-cache';
import { DAY, isoDay, MINUTE } from './clock.ts';

/*
 * Local times in a time zone, by the runtime's zone data. A local day is `YYYY-MM-DD`. A local time is in minutes of
 * the wall clock since midnight: 510 is 8:30, also on days of 23 or 25 hours.
 */

const FORMATS_MAX = 600;
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: FORMATS_MAX });

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  formats.set(zone, format);
  return format;
}

/** The local time as if it were a UTC timestamp. Throws a RangeError for an unknown zone. */
function localTimeAt(zone: string, moment: number): number {
  const parts = new Map<string, number>();
  for (const { type, value } of formatOf(zone).formatToParts(moment)) parts.set(type, Number(value));
  const part = (name: string) => parts.get(name) ?? 0;
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}

/** All zones change their offset at a quarter hour of UTC. */
const QUARTER_HOUR = 15 * MINUTE;
const OFFSETS_MAX = 20_000;
const offsets = new LRUCache<string, number>({ max: OFFSETS_MAX });

/**
 * The UTC offset of a zone at a timestamp, in milliseconds. Cached by quarter hour, because asking the zone data takes
 * a thousand times as long. Throws a RangeError for an unknown zone.
 */
export function offsetAt(zone: string, moment: number): number {
  const quarter = Math.floor(moment / QUARTER_HOUR) * QUARTER_HOUR;
  const key = `${quarter}/${zone}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const offset = localTimeAt(zone, quarter) - quarter;
  offsets.set(key, offset);
  return offset;
}

const cachedLocalTimeAt = (zone: string, moment: number): number => moment + offsetAt(zone, moment);

/** The local day at a timestamp. */
export const localDay = (zone: string, moment: Date): string =>
  isoDay(new Date(cachedLocalTimeAt(zone, moment.getTime())));

/** The local time at a timestamp, in minutes since midnight. */
export const localMinutes = (zone: string, moment: Date): number =>
  Math.floor((cachedLocalTimeAt(zone, moment.getTime()) % DAY) / MINUTE);

/** The day `days` later; counts calendar days, not hours. */
export const addDays = (day: string, days: number): string =>
  isoDay(new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY));

/** ISO weekday, from 1 (Monday) to 7. */
export const weekdayOf = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay() || 7;

/** Converts local times of one day to timestamps. Reads the zone data once for the day. */
export interface LocalDay {
  /**
   * The timestamp of a local time: the first one when it occurs twice, undefined when the clock skips it. Minutes
   * beyond 1440 belong to the following days.
   */
  at(minutes: number): Date | undefined;
  /** The same, but returns the timestamp of the change when the clock skips that time. */
  atOrAfterGap(minutes: number): Date;
}

/** Offsets change by hours, so a day and a half on both sides is surely enough. */
const MARGIN_MS = 1.5 * DAY;

export function openLocalDay(zone: string, day: string): LocalDay {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const [before, after] = [offsetAt(zone, midnight - MARGIN_MS), offsetAt(zone, midnight + DAY + MARGIN_MS)];
  // Offsets can be negative, so both sides are checked. If they agree, nothing changed in between.
  const offsets = [...new Set([before, after])];
  const momentAt = (minutes: number): number | undefined => {
    const wall = midnight + minutes * MINUTE;
    if (offsets.length === 1) return wall - before;
    const moments = offsets
      .map((offset) => wall - offset)
      .filter((moment) => cachedLocalTimeAt(zone, moment) === wall)
      .toSorted((one, other) => one - other);
    return moments[0];
  };
  return {
    at: (minutes) => dateOf(momentAt(minutes)),
    atOrAfterGap: (minutes) =>
      new Date(
        momentAt(minutes) ??
          findOffsetChange(zone, midnight - MARGIN_MS, midnight + minutes * MINUTE + MARGIN_MS + DAY),
      ),
  };
}

const dateOf = (moment: number | undefined): Date | undefined =>
  moment === undefined ? undefined : new Date(moment);

/** The first timestamp of the new offset between `from` and `until`. `until` already has the new offset. */
function findOffsetChange(zone: string, from: number, until: number): number {
  const old = offsetAt(zone, from);
  let [low, high] = [Math.floor(from / QUARTER_HOUR), Math.ceil(until / QUARTER_HOUR)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(zone, middle * QUARTER_HOUR) === old) low = middle;
    else high = middle;
  }
  return high * QUARTER_HOUR;
}
