import { DAY } from '../../platform/clock.ts';
import { UNSTORABLE_TEXT } from '../../platform/unstorable-text.ts';
import type { ValueBounds } from './bounds.ts';

/** A validation fault, and its location in the reading. */
export interface IngestionFault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

export const createFault = (
  loc: readonly (string | number)[],
  msg: string,
  type = 'value_error',
): IngestionFault => ({
  loc,
  msg,
  type,
});

/** The accepted times: now, and the ingestion bounds of the user. */
export interface IngestionWindow {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The ingestion bounds of the user, both inclusive; null is unbounded. */
  readonly fromDay: string | null;
  readonly toDay: string | null;
}

/** Device clocks are off by hours or time zones, not by more than a day. */
const AHEAD_MAX_MS = DAY;

/** Validates a timestamp. */
export function findTimestampFault(
  { now }: IngestionWindow,
  at: number,
): [msg: string, type: string] | undefined {
  if (!Number.isFinite(at)) return ['expected a timestamp', 'datetime_format'];
  if (at < 0) return ['expected a timestamp after 1970', 'too_early'];
  if (at > now + AHEAD_MAX_MS) return ['expected a timestamp no later than a day from now', 'in_future'];
  return undefined;
}

export function findDayFault(
  { fromDay, toDay }: IngestionWindow,
  day: string,
): [msg: string, type: string] | undefined {
  const isOutside = (fromDay !== null && day < fromDay) || (toDay !== null && day > toDay);
  if (!isOutside) return undefined;
  const msg = `expected a date within the user's ingestion bounds: ${fromDay ?? 'any'} to ${toDay ?? 'any'}`;
  return [msg, 'out_of_bounds'];
}

export const isWithin = (value: number, [least, most]: ValueBounds): boolean =>
  value >= least && value <= most;

export const describeBounds = ([least, most]: ValueBounds, unit = ''): string =>
  `expected ${least} to ${most}${unit === '' ? '' : ` ${unit}`}`;

const OFFSET_MAX_SECONDS = 18 * 3600;
export const isOffset = (seconds: number): boolean =>
  Number.isInteger(seconds) && Math.abs(seconds) <= OFFSET_MAX_SECONDS;

const NAME_LENGTH_MAX = 200;
/** Whether a string fits into a database column. */
export const isValidName = (text: string): boolean =>
  text.length <= NAME_LENGTH_MAX && !UNSTORABLE_TEXT.test(text);
