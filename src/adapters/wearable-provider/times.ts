import { DAY, HOUR, isoDay, isoMoment, MINUTE, SECOND } from '../../platform/clock.ts';
import { dayAfter, localDay, localMinutes, openLocalDay, type LocalDay } from '../../platform/time-zone.ts';
import type { Span } from './port.ts';

/** The parts of a span of at most so many days, oldest first, each beginning where the one before ends. */
export function* windows({ from, to }: Span, days: number | undefined): Iterable<Span> {
  if (days === undefined) {
    yield { from, to };
    return;
  }
  for (let at = from.getTime(); at < to.getTime(); at += days * DAY) {
    yield { from: new Date(at), to: new Date(Math.min(at + days * DAY, to.getTime())) };
  }
}

/** East of Greenwich a day begins up to 14 hours before it does there, west of it up to 12 hours later. */
const EASTERNMOST = 14 * HOUR;
const WESTERNMOST = 12 * HOUR;

/** The first and the last day that it is anywhere within the span. */
export const daysAnywhere = ({ from, to }: Span): { first: string; last: string } => ({
  first: isoDay(new Date(from.getTime() - WESTERNMOST)),
  last: isoDay(new Date(to.getTime() - 1 + EASTERNMOST)),
});

/** All the days from the first to the last. */
export function* eachDay({ first, last }: { first: string; last: string }): Iterable<string> {
  for (let day = first; day <= last; day = dayAfter(day, 1)) yield day;
}

export interface Instant {
  readonly at: number;
  /** Seconds east of UTC; null where the text has none. */
  readonly offset: number | null;
}

const INSTANT = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/;

/** A moment with its offset; without one it is taken for UTC. NaN for what is none. */
export function instantOf(text: string): Instant {
  const parts = INSTANT.exec(text);
  if (!parts) return { at: Number.NaN, offset: null };
  const [, day = '', time = '', seconds = ':00', zone] = parts;
  const wall = Date.parse(`${day}T${time}${seconds}Z`);
  const offset = zone === undefined ? null : offsetOf(zone);
  return { at: wall - (offset ?? 0) * SECOND, offset };
}

/** Seconds east of UTC of `+02:00` or `Z`. */
export function offsetOf(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  const seconds = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60;
  return sign === '-' ? -seconds : seconds;
}

/** What a clock on the wall showed, with so many seconds between it and UTC. */
export const atWall = (text: string, offset: number | null): number =>
  instantOf(text).at - (offset ?? 0) * SECOND;

/** The day on the calendar of who is so many seconds east of UTC. */
export const dayAt = (at: number, offset: number | null): string =>
  isoDay(new Date(at + (offset ?? 0) * SECOND));

export const isoAt = (at: number): string => isoMoment(new Date(at));
export const secondsAt = (date: Date): number => Math.floor(date.getTime() / SECOND);

/** Whether the moment lies in the span. */
export const within = ({ from, to }: Span, at: number): boolean => at >= from.getTime() && at < to.getTime();

/** How far a named zone is ahead of UTC at a moment, in seconds; null for a zone that nobody knows. */
export function offsetInZone(zone: string, at: number): number | null {
  try {
    const moment = new Date(at);
    const wall = Date.parse(`${localDay(zone, moment)}T00:00:00Z`) + localMinutes(zone, moment) * MINUTE;
    return (wall - Math.floor(at / MINUTE) * MINUTE) / SECOND;
  } catch {
    return null;
  }
}

/** The clock on the wall of a zone: when it showed what. */
export interface Wall {
  (text: string): Instant;
}

/** Of a named zone; of the fixed offset where nobody knows the zone, and of UTC where there is none either. */
export function wallOf(zone: string | null, fixedOffset: number | null): Wall {
  const fixed: Wall = (text) => ({ at: atWall(text, fixedOffset), offset: fixedOffset });
  if (zone === null || offsetInZone(zone, 0) === null) return fixed;
  const days = new Map<string, LocalDay>();
  return (text) => {
    const shown = instantOf(text).at;
    const day = text.slice(0, 10);
    if (Number.isNaN(shown)) return { at: shown, offset: null };
    const local = days.get(day) ?? openLocalDay(zone, day);
    days.set(day, local);
    const since = shown - Date.parse(`${day}T00:00:00Z`);
    const minutes = Math.floor(since / MINUTE);
    const at = local.reached(minutes).getTime() + (since - minutes * MINUTE);
    return { at, offset: Math.round((shown - at) / SECOND) };
  };
}

/** Three years: longer than anything that anybody did at a stretch. */
const DURATION_MAX_SECONDS = 1e8;

/** Seconds of `PT2H44M10.5S`; null for what is none. */
export function durationSeconds(text: string): number | null {
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] =
    /^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?$/.exec(text) ?? [];
  const all = Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return /\d/.test(text) && all < DURATION_MAX_SECONDS ? all : null;
}
