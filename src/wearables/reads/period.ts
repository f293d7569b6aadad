import { z } from 'zod';
import { DAY, isoDay } from '../../platform/clock.ts';
import { invalidField } from '../../platform/errors.ts';
import { GivenDay } from '../../platform/given-moments.ts';

/** From one moment up to another, which does not belong to it; milliseconds since 1970. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** From one day to another, which belongs to it. */
export interface Days {
  readonly fromDay: string;
  readonly toDay: string;
}

/** What callers ask for. The end belongs to it: a date whole, a moment itself; without one it goes on until now. */
export interface Asked {
  readonly start_date: string;
  readonly end_date?: string | null | undefined;
}

/** A work, which is asked what time it is only where that matters: in a sandbox the answer costs a query. */
interface Moment {
  readonly now: Date;
}

const EXPECTED = 'expected a date as 2026-01-31, or a date and time as 2026-01-31T09:30:00+01:00';

/**
 * A date, or a date and time as clients write it: with a space for the `T`, without a zone (then UTC), and with a space
 * for the `+` of the zone, which is what becomes of a `+` that nobody escaped.
 */
const WRITTEN = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+ -]\d\d:?\d\d)?)?$/i;

interface Written {
  readonly day: string;
  /** The moment of a date and time; null of a date alone. */
  readonly at: number | null;
}

function read(text: string): Written | undefined {
  const [, day, time, zone = 'Z'] = WRITTEN.exec(text) ?? [];
  if (day === undefined || !GivenDay.safeParse(day).success) return undefined;
  if (time === undefined) return { day, at: null };
  const at = Date.parse(`${day}T${time}${zoneOf(zone)}`);
  return Number.isNaN(at) ? undefined : { day, at };
}

const zoneOf = (zone: string): string =>
  zone.length === 1 ? 'Z' : zone.replace(' ', '+').replace(/(\d\d):?(\d\d)$/, '$1:$2');

/** What the contract calls a text, and is a date with a time or without. */
export const When = z.string().refine((text) => read(text) !== undefined, EXPECTED);

/** The clock of a watch may be ahead of ours, and somebody may note today what they take tomorrow. */
const AHEAD_MS = DAY;

/** The period of what was parsed by `When`. Days are those of UTC. 422 where the end is before the start. */
export function periodOf({ start_date, end_date }: Asked, moment: Moment): Period {
  const start = parsed(start_date);
  const from = start.at ?? startOf(start.day);
  if (!end_date) return { from, to: Math.max(from, moment.now.getTime() + AHEAD_MS) };
  const end = parsed(end_date);
  const to = end.at === null ? startOf(end.day) + DAY : end.at + 1;
  if (to <= from) throw outOfOrder();
  return { from, to };
}

/**
 * The days that are named, as they are written: a summary belongs to a day of the user's own calendar. 422 where the
 * end is before the start.
 */
export function daysOf({ start_date, end_date }: Asked, moment: Moment): Days {
  const fromDay = parsed(start_date).day;
  if (!end_date) {
    const tomorrow = isoDay(new Date(moment.now.getTime() + AHEAD_MS));
    return { fromDay, toDay: fromDay > tomorrow ? fromDay : tomorrow };
  }
  const toDay = parsed(end_date).day;
  if (toDay < fromDay) throw outOfOrder();
  return { fromDay, toDay };
}

const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const outOfOrder = () => invalidField(['query', 'end_date'], 'expected an end that is not before start_date');

function parsed(text: string): Written {
  const written = read(text);
  if (!written) throw invalidField(['query'], EXPECTED);
  return written;
}
