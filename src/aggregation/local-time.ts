import { DAY, HOUR, isoDay, MINUTE } from '../platform/clock.ts';

/*
 * Moments as the user's clock on the wall showed them, in milliseconds since 1970 as if that wall hung in Greenwich.
 * Buckets are counted on the wall: a day is what the user calls a day, of 23 or 25 hours now and then.
 */

export const UNITS = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const;
export type Unit = (typeof UNITS)[number];

export const DATE_PARTS = [...UNITS, 'weekday', 'week_of_year', 'day_of_year'] as const;
export type DatePart = (typeof DATE_PARTS)[number];

export interface Period {
  readonly value: number;
  readonly unit: Unit;
}

const WEEK = 7 * DAY;
/** 1970-01-05, a Monday: weeks are counted from it. */
const FIRST_MONDAY = 4 * DAY;

type Fixed = Exclude<Unit, 'month' | 'year'>;
const LENGTH: Record<Fixed, number> = { minute: MINUTE, hour: HOUR, day: DAY, week: WEEK };

const isFixed = (unit: Unit): unit is Fixed => unit in LENGTH;

/** The start of the bucket that holds this moment. */
export function truncated(wall: number, { value, unit }: Period): number {
  if (isFixed(unit)) {
    const origin = unit === 'week' ? FIRST_MONDAY : 0;
    const length = value * LENGTH[unit];
    return Math.floor((wall - origin) / length) * length + origin;
  }
  const months = monthsOf({ value, unit });
  const date = new Date(wall);
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth();
  return monthStart(Math.floor(month / months) * months);
}

/** The start of the bucket after the one that begins here. */
export function bucketAfter(start: number, period: Period): number {
  if (isFixed(period.unit)) return start + period.value * LENGTH[period.unit];
  const date = new Date(start);
  return monthStart(date.getUTCFullYear() * 12 + date.getUTCMonth() + monthsOf(period));
}

/** So much earlier; months before the 31st of March end on the last day of February. */
export function before(wall: number, { value, unit }: Period): number {
  if (isFixed(unit)) return wall - value * LENGTH[unit];
  const date = new Date(wall);
  const start = monthStart(date.getUTCFullYear() * 12 + date.getUTCMonth() - monthsOf({ value, unit }));
  const days = (monthAfter(start) - start) / DAY;
  return start + (Math.min(date.getUTCDate(), days) - 1) * DAY + (wall - Math.floor(wall / DAY) * DAY);
}

const monthsOf = ({ value, unit }: Period) => (unit === 'year' ? 12 * value : value);

function monthStart(month: number): number {
  const date = new Date(0);
  date.setUTCFullYear(Math.floor(month / 12), month - Math.floor(month / 12) * 12, 1);
  return date.getTime();
}

const monthAfter = (start: number) => bucketAfter(start, { value: 1, unit: 'month' });

// prettier-ignore
const PARTS: Record<DatePart, (date: Date) => number> = {
  minute:       (date) => date.getUTCMinutes(),
  hour:         (date) => date.getUTCHours(),
  day:          (date) => date.getUTCDate(),
  week:         isoWeek,
  month:        (date) => date.getUTCMonth() + 1,
  year:         (date) => date.getUTCFullYear(),
  weekday:      (date) => date.getUTCDay() || 7,
  week_of_year: isoWeek,
  day_of_year:  (date) => 1 + Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0)) / DAY),
};

/** One part of a moment. Weekdays go from 1 (Monday) to 7, weeks are those of ISO 8601. */
export const datePart = (wall: number, part: DatePart): number => PARTS[part](new Date(wall));

/** The first week of a year is the one with its first Thursday. */
function isoWeek(date: Date): number {
  const thursday = truncated(date.getTime(), { value: 1, unit: 'week' }) + 3 * DAY;
  const year = new Date(thursday).getUTCFullYear();
  return 1 + Math.floor((thursday - Date.UTC(year, 0)) / WEEK);
}

/** `2026-03-01T07:30:00`: without an offset, for it is the user's own clock. */
export const wallMoment = (wall: number): string => new Date(wall).toISOString().slice(0, 19);
export const wallDay = (wall: number): string => isoDay(new Date(wall));
