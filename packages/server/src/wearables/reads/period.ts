import { z } from 'zod';
import { DAY, isoDay } from '../../platform/clock.ts';
import { invalidField } from '../../platform/errors.ts';
import { DateInput } from '../../platform/timestamp-input.ts';

/** A half-open interval [from, to) in milliseconds since 1970. */
interface ReadPeriod {
  readonly from: number;
  readonly to: number;
}

/** A range of days; both are inclusive. */
interface DayRange {
  readonly fromDay: string;
  readonly toDay: string;
}

/** The query of a caller. The end is inclusive: the whole day, or the timestamp itself. Default: until now. */
export interface PeriodQuery {
  readonly start_date: string;
  readonly end_date?: string | null | undefined;
}

/** A Work. `now` is read only if necessary: in a sandbox it costs a query. */
interface HasNow {
  readonly now: Date;
}

const DATE_EXPECTED = 'expected a date such as 2026-01-31, or a timestamp such as 2026-01-31T09:30:00+01:00';

/**
 * A date, or a date and time in the variants that clients send: with a space instead of the `T`, without a zone (UTC),
 * and with a space instead of the `+` of the zone, which results from an unescaped `+` in a URL.
 */
const DATE_PATTERN = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+ -]\d\d:?\d\d)?)?$/i;

/** The iOS SDK writes 2026/01/31. */
const SLASHED_DATE = /^(\d{4})\/(\d\d)\/(\d\d)(?=$|[T ])/;

interface ParsedDate {
  readonly day: string;
  /** The timestamp; null for a date without time. */
  readonly at: number | null;
}

function parseDate(text: string): ParsedDate | undefined {
  const [, day, time, zone = 'Z'] = DATE_PATTERN.exec(text.replace(SLASHED_DATE, '$1-$2-$3')) ?? [];
  if (day === undefined || !DateInput.safeParse(day).success) return undefined;
  if (time === undefined) return { day, at: null };
  const at = Date.parse(`${day}T${time}${normalizeZone(zone)}`);
  return Number.isNaN(at) ? undefined : { day, at };
}

const normalizeZone = (zone: string): string =>
  zone.length === 1 ? 'Z' : zone.replace(' ', '+').replace(/(\d\d):?(\d\d)$/, '$1:$2');

/** A string in the contract: a date with or without a time. */
export const DateOrTimestamp = z.string().refine((text) => parseDate(text) !== undefined, DATE_EXPECTED);

/** Device clocks may be ahead, and users may log entries for tomorrow. */
const AHEAD_MS = DAY;

/** The period of a query; dates are days in UTC. 422 if the end is before the start. */
export function toPeriod({ start_date, end_date }: PeriodQuery, moment: HasNow): ReadPeriod {
  const start = requireDate(start_date);
  const from = start.at ?? startOfUtcDay(start.day);
  if (!end_date) return { from, to: Math.max(from, moment.now.getTime() + AHEAD_MS) };
  const end = requireDate(end_date);
  const to = end.at === null ? startOfUtcDay(end.day) + DAY : end.at + 1;
  if (to <= from) throw endBeforeStart();
  return { from, to };
}

/**
 * The days of a query, as written: a summary belongs to a day of the user's local calendar. 422 if the end is before
 * the start.
 */
export function toDayRange({ start_date, end_date }: PeriodQuery, moment: HasNow): DayRange {
  const fromDay = requireDate(start_date).day;
  if (!end_date) {
    const tomorrow = isoDay(new Date(moment.now.getTime() + AHEAD_MS));
    return { fromDay, toDay: fromDay > tomorrow ? fromDay : tomorrow };
  }
  const toDay = requireDate(end_date).day;
  if (toDay < fromDay) throw endBeforeStart();
  return { fromDay, toDay };
}

const startOfUtcDay = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const endBeforeStart = () => invalidField(['query', 'end_date'], 'expected an end on or after start_date');

function requireDate(text: string): ParsedDate {
  const written = parseDate(text);
  if (!written) throw invalidField(['query'], DATE_EXPECTED);
  return written;
}
