/**
 * Where "now" comes from. The only file that asks the system for the time.
 * Everything else is given a Clock, or the moment itself (`work.now`), so that tests and the sandbox can move it.
 */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** A clock in hand: it stands still until it is moved. */
export function handClock(start: Date): Clock & { move(milliseconds: number): void } {
  let moment = start.getTime();
  return {
    now: () => new Date(moment),
    move: (milliseconds) => {
      moment += milliseconds;
    },
  };
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const later = (moment: Date, milliseconds: number): Date => new Date(moment.getTime() + milliseconds);

/** The later of two moments. */
export const latest = (one: Date, other: Date): Date => (other > one ? other : one);

/** The wire form of a moment: ISO 8601 in UTC with the offset written out, as the interface shows it. */
export const isoMoment = (moment: Date): string => `${moment.toISOString().slice(0, -1)}+00:00`;

/** The wire form of a day in UTC: `YYYY-MM-DD`. */
export const isoDay = (moment: Date): string => moment.toISOString().slice(0, 10);
