import { DAY, HOUR, isoDay, MINUTE } from '../../platform/clock.ts';

/*
 * Arithmetic on local time: the user's wall-clock time, encoded as milliseconds since 1970 as if it were UTC. Buckets
 * are calendar periods of local time, so a day with a daylight saving change has 23 or 25 hours.
 */

export const PERIOD_UNITS = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const;
export type PeriodUnit = (typeof PERIOD_UNITS)[number];

export const DATE_PARTS = [...PERIOD_UNITS, 'weekday', 'week_of_year', 'day_of_year'] as const;
export type DatePart = (typeof DATE_PARTS)[number];

export interface BucketPeriod {
  readonly value: number;
  readonly unit: PeriodUnit;
}

const WEEK = 7 * DAY;
/** 1970-01-05, a Monday: the origin of week buckets. */
const FIRST_MONDAY = 4 * DAY;

type FixedUnit = Exclude<PeriodUnit, 'month' | 'year'>;
const UNIT_LENGTH_MS: Record<FixedUnit, number> = { minute: MINUTE, hour: HOUR, day: DAY, week: WEEK };

const isFixedUnit = (unit: PeriodUnit): unit is FixedUnit => unit in UNIT_LENGTH_MS;

/** The start of the bucket that contains this local time. */
export function truncateToBucket(wall: number, { value, unit }: BucketPeriod): number {
  if (isFixedUnit(unit)) {
    const origin = unit === 'week' ? FIRST_MONDAY : 0;
    const length = value * UNIT_LENGTH_MS[unit];
    return Math.floor((wall - origin) / length) * length + origin;
  }
  const months = toMonths({ value, unit });
  const date = new Date(wall);
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth();
  return monthStart(Math.floor(month / months) * months);
}

/** The start of the bucket that follows the one starting here. */
export function nextBucketStart(start: number, period: BucketPeriod): number {
  if (isFixedUnit(period.unit)) return start + period.value * UNIT_LENGTH_MS[period.unit];
  const date = new Date(start);
  return monthStart(date.getUTCFullYear() * 12 + date.getUTCMonth() + toMonths(period));
}

/** Subtracts a period. Days are clamped to the month: March 31 minus one month is the last day of February. */
export function subtractPeriod(wall: number, { value, unit }: BucketPeriod): number {
  if (isFixedUnit(unit)) return wall - value * UNIT_LENGTH_MS[unit];
  const date = new Date(wall);
  const start = monthStart(date.getUTCFullYear() * 12 + date.getUTCMonth() - toMonths({ value, unit }));
  const days = (nextMonthStart(start) - start) / DAY;
  return start + (Math.min(date.getUTCDate(), days) - 1) * DAY + (wall - Math.floor(wall / DAY) * DAY);
}

const toMonths = ({ value, unit }: BucketPeriod) => (unit === 'year' ? 12 * value : value);

function monthStart(month: number): number {
  const date = new Date(0);
  date.setUTCFullYear(Math.floor(month / 12), month - Math.floor(month / 12) * 12, 1);
  return date.getTime();
}

const nextMonthStart = (start: number) => nextBucketStart(start, { value: 1, unit: 'month' });

// prettier-ignore
const DATE_PART_READERS: Record<DatePart, (date: Date) => number> = {
  minute:       (date) => date.getUTCMinutes(),
  hour:         (date) => date.getUTCHours(),
  day:          (date) => date.getUTCDate(),
  week:         readIsoWeek,
  month:        (date) => date.getUTCMonth() + 1,
  year:         (date) => date.getUTCFullYear(),
  weekday:      (date) => date.getUTCDay() || 7,
  week_of_year: readIsoWeek,
  day_of_year:  (date) => 1 + Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0)) / DAY),
};

/** One part of a local time. Weekdays run from 1 (Monday) to 7; weeks follow ISO 8601. */
export const readDatePart = (wall: number, part: DatePart): number => DATE_PART_READERS[part](new Date(wall));

/** ISO 8601: week 1 is the week with the first Thursday of the year. */
function readIsoWeek(date: Date): number {
  const thursday = truncateToBucket(date.getTime(), { value: 1, unit: 'week' }) + 3 * DAY;
  const year = new Date(thursday).getUTCFullYear();
  return 1 + Math.floor((thursday - Date.UTC(year, 0)) / WEEK);
}

/** `2026-03-01T07:30:00`: without an offset, because it is local time. */
export const formatLocalTimestamp = (wall: number): string => new Date(wall).toISOString().slice(0, 19);
export const formatLocalDay = (wall: number): string => isoDay(new Date(wall));
