import { DAY } from '../../platform/clock.ts';
import { UNFIT_TEXT } from '../../platform/unfit-text.ts';
import type { Bounds } from './bounds.ts';

/** What is wrong with something that was brought, and where in it. */
export interface Fault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

export const fault = (loc: readonly (string | number)[], msg: string, type = 'value_error'): Fault => ({
  loc,
  msg,
  type,
});

/** When what is taken in may have happened: now, and the bounds of the user. */
export interface Window {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Days that the user's data are taken in from and to, both included; null is no bound. */
  readonly fromDay: string | null;
  readonly toDay: string | null;
}

/** Clocks of devices are wrong by hours and time zones, not by more. */
const AHEAD_MAX_MS = DAY;

/** Why a moment is not taken in. */
export function momentFault({ now }: Window, at: number): [msg: string, type: string] | undefined {
  if (!Number.isFinite(at)) return ['expected a moment', 'datetime_format'];
  if (at < 0) return ['expected a moment after 1970', 'too_early'];
  if (at > now + AHEAD_MAX_MS) return ['expected a moment no later than a day from now', 'in_future'];
  return undefined;
}

export function dayFault({ fromDay, toDay }: Window, day: string): [msg: string, type: string] | undefined {
  const isOutside = (fromDay !== null && day < fromDay) || (toDay !== null && day > toDay);
  if (!isOutside) return undefined;
  return [`data of this user are taken in from ${fromDay ?? 'ever'} to ${toDay ?? 'ever'}`, 'out_of_bounds'];
}

export const isWithin = (value: number, [least, most]: Bounds): boolean => value >= least && value <= most;

export const expectedWithin = ([least, most]: Bounds, unit = ''): string =>
  `expected ${least} to ${most}${unit === '' ? '' : ` ${unit}`}`;

const OFFSET_MAX_SECONDS = 18 * 3600;
export const isOffset = (seconds: number): boolean =>
  Number.isInteger(seconds) && Math.abs(seconds) <= OFFSET_MAX_SECONDS;

const NAME_LENGTH_MAX = 200;
/** Whether it can stand in a column of the database. */
export const isName = (text: string): boolean => text.length <= NAME_LENGTH_MAX && !UNFIT_TEXT.test(text);
