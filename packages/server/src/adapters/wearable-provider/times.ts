import { DAY, HOUR, isoDay, isoTimestamp, MINUTE, SECOND } from '../../platform/clock.ts';
import { addDays, localDay, localMinutes, openLocalDay, type LocalDay } from '../../platform/time-zone.ts';
import type { ProviderTimeSpan } from './port.ts';

/** Splits a span into adjacent windows of at most `days` days, oldest first. */
export function* splitIntoWindows(
  { from, to }: ProviderTimeSpan,
  days: number | undefined,
): Iterable<ProviderTimeSpan> {
  if (days === undefined) {
    yield { from, to };
    return;
  }
  for (let at = from.getTime(); at < to.getTime(); at += days * DAY) {
    yield { from: new Date(at), to: new Date(Math.min(at + days * DAY, to.getTime())) };
  }
}

/** UTC offsets range from +14 to -12 hours. */
const UTC_OFFSET_MAX = 14 * HOUR;
const UTC_OFFSET_MIN = 12 * HOUR;

/** The first and the last calendar day of the span in any time zone. */
export const toCalendarDays = ({ from, to }: ProviderTimeSpan): { first: string; last: string } => ({
  first: isoDay(new Date(from.getTime() - UTC_OFFSET_MIN)),
  last: isoDay(new Date(to.getTime() - 1 + UTC_OFFSET_MAX)),
});

/** Every day from the first to the last, inclusive. */
export function* iterateDays({ first, last }: { first: string; last: string }): Iterable<string> {
  for (let day = first; day <= last; day = addDays(day, 1)) yield day;
}

export interface OffsetInstant {
  readonly at: number;
  /** Seconds east of UTC; null if the text has no offset. */
  readonly offset: number | null;
}

const INSTANT = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/;

/** Parses a timestamp with its offset; without an offset it is read as UTC. NaN if invalid. */
export function parseInstant(text: string): OffsetInstant {
  const parts = INSTANT.exec(text);
  if (!parts) return { at: Number.NaN, offset: null };
  const [, day = '', time = '', seconds = ':00', zone] = parts;
  const wall = Date.parse(`${day}T${time}${seconds}Z`);
  const offset = zone === undefined ? null : parseOffset(zone);
  return { at: wall - (offset ?? 0) * SECOND, offset };
}

/** Parses `+02:00` or `Z` to seconds east of UTC. */
export function parseOffset(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  const seconds = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60;
  return sign === '-' ? -seconds : seconds;
}

/** Converts a local time with its UTC offset (seconds) to UTC milliseconds. */
export const parseLocalTime = (text: string, offset: number | null): number =>
  parseInstant(text).at - (offset ?? 0) * SECOND;

/** The local calendar day at a UTC offset in seconds. */
export const toLocalDay = (at: number, offset: number | null): string =>
  isoDay(new Date(at + (offset ?? 0) * SECOND));

export const toIsoTimestamp = (at: number): string => isoTimestamp(new Date(at));
export const toUnixSeconds = (date: Date): number => Math.floor(date.getTime() / SECOND);

/** Whether a timestamp is in the span; the end is excluded. */
export const isWithin = ({ from, to }: ProviderTimeSpan, at: number): boolean =>
  at >= from.getTime() && at < to.getTime();

/** The UTC offset of a named zone at a timestamp, in seconds; null for an unknown zone. */
export function getZoneOffset(zone: string, at: number): number | null {
  try {
    const moment = new Date(at);
    const wall = Date.parse(`${localDay(zone, moment)}T00:00:00Z`) + localMinutes(zone, moment) * MINUTE;
    return (wall - Math.floor(at / MINUTE) * MINUTE) / SECOND;
  } catch {
    return null;
  }
}

/** Parses local times of one time zone. */
export interface LocalTimeParser {
  (text: string): OffsetInstant;
}

/** Uses the named zone; for an unknown zone the fixed offset; without either, UTC. */
export function createLocalTimeParser(zone: string | null, fixedOffset: number | null): LocalTimeParser {
  const fixed: LocalTimeParser = (text) => ({ at: parseLocalTime(text, fixedOffset), offset: fixedOffset });
  if (zone === null || getZoneOffset(zone, 0) === null) return fixed;
  const days = new Map<string, LocalDay>();
  return (text) => {
    const shown = parseInstant(text).at;
    const day = text.slice(0, 10);
    if (Number.isNaN(shown)) return { at: shown, offset: null };
    const local = days.get(day) ?? openLocalDay(zone, day);
    days.set(day, local);
    const since = shown - Date.parse(`${day}T00:00:00Z`);
    const minutes = Math.floor(since / MINUTE);
    const at = local.atOrAfterGap(minutes).getTime() + (since - minutes * MINUTE);
    return { at, offset: Math.round((shown - at) / SECOND) };
  };
}

/** About three years: longer than any real activity. */
const DURATION_MAX_SECONDS = 1e8;

/** Parses an ISO 8601 duration such as `PT2H44M10.5S`; null if invalid. */
export function parseDurationSeconds(text: string): number | null {
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] =
    /^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?$/.exec(text) ?? [];
  const all = Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return /\d/.test(text) && all < DURATION_MAX_SECONDS ? all : null;
}
