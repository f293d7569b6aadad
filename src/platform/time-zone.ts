import { LRUCache } from 'lru-cache';
import { DAY, isoDay, MINUTE } from './clock.ts';

/*
 * Local times of a place, by the zone data of the runtime. A local day is `YYYY-MM-DD`, a local time is counted in
 * minutes of the clock on the wall since midnight: 510 is half past eight, on a day of 23 or 25 hours, too.
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

/** What the clock on the wall shows there, as if it were a moment of UTC. Throws a RangeError for an unknown zone. */
function wallAt(zone: string, moment: number): number {
  const parts = new Map<string, number>();
  for (const { type, value } of formatOf(zone).formatToParts(moment)) parts.set(type, Number(value));
  const part = (name: string) => parts.get(name) ?? 0;
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}

/** A clock is changed at a quarter of an hour of UTC, everywhere, since long before anything here happened. */
const QUARTER = 15 * MINUTE;
const OFFSETS_MAX = 20_000;
const offsets = new LRUCache<string, number>({ max: OFFSETS_MAX });

/**
 * How far the wall there is ahead of UTC at this moment, in milliseconds. Kept by quarters of an hour: to ask the zone
 * data takes a thousand times as long.
 */
function offsetAt(zone: string, moment: number): number {
  const quarter = Math.floor(moment / QUARTER) * QUARTER;
  const key = `${quarter}/${zone}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const offset = wallAt(zone, quarter) - quarter;
  offsets.set(key, offset);
  return offset;
}

const shownAt = (zone: string, moment: number): number => moment + offsetAt(zone, moment);

/** The day that it is there. */
export const localDay = (zone: string, moment: Date): string =>
  isoDay(new Date(shownAt(zone, moment.getTime())));

/** What the clock on the wall shows there, in minutes since midnight. */
export const localMinutes = (zone: string, moment: Date): number =>
  Math.floor((shownAt(zone, moment.getTime()) % DAY) / MINUTE);

/** So many days after this one; days are counted, not hours. */
export const dayAfter = (day: string, days: number): string =>
  isoDay(new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY));

/** From 1 (Monday) to 7. */
export const weekdayOf = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay() || 7;

/** The times of one local day. Asked once for a day, it answers its times without asking the zone data again. */
export interface LocalDay {
  /**
   * The moment at which the wall shows this time: the first one where it shows it twice, undefined where the clock
   * is put forward over it. Minutes beyond 1440 belong to the days after.
   */
  at(minutes: number): Date | undefined;
  /** The same, but the moment of the change where the clock is put forward over that time. */
  reached(minutes: number): Date;
}

/** The clock there is put forward or back by hours, so a day and a half on both sides are surely far enough. */
const AROUND = 1.5 * DAY;

export function openLocalDay(zone: string, day: string): LocalDay {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const [before, after] = [offsetAt(zone, midnight - AROUND), offsetAt(zone, midnight + DAY + AROUND)];
  // West of Greenwich the offset is negative, so both sides are looked at; where they agree nothing changed between.
  const offsets = [...new Set([before, after])];
  const momentAt = (minutes: number): number | undefined => {
    const wall = midnight + minutes * MINUTE;
    if (offsets.length === 1) return wall - before;
    const moments = offsets
      .map((offset) => wall - offset)
      .filter((moment) => shownAt(zone, moment) === wall)
      .toSorted((one, other) => one - other);
    return moments[0];
  };
  return {
    at: (minutes) => dateOf(momentAt(minutes)),
    reached: (minutes) =>
      new Date(
        momentAt(minutes) ?? changeIn(zone, midnight - AROUND, midnight + minutes * MINUTE + AROUND + DAY),
      ),
  };
}

const dateOf = (moment: number | undefined): Date | undefined =>
  moment === undefined ? undefined : new Date(moment);

/** The first moment of the new offset between these two, of which the second is on it already. */
function changeIn(zone: string, from: number, until: number): number {
  const old = offsetAt(zone, from);
  let [low, high] = [Math.floor(from / QUARTER), Math.ceil(until / QUARTER)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(zone, middle * QUARTER) === old) low = middle;
    else high = middle;
  }
  return high * QUARTER;
}
