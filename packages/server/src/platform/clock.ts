/**
 * The source of the current time. Only this file reads the system clock. All other code takes a Clock or a timestamp
 * (`work.now`), so that tests and the sandbox can move the time.
 */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** A clock that stands still until it is moved. */
export function manualClock(start: Date): Clock & { move(milliseconds: number): void } {
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

/** The later of two timestamps. */
export const latest = (one: Date, other: Date): Date => (other > one ? other : one);

/** The earlier of two timestamps. */
export const earliest = (one: Date, other: Date): Date => (other < one ? other : one);

/** The wire format of a timestamp: ISO 8601 in UTC with the offset `+00:00`. */
export const isoTimestamp = (moment: Date): string => `${moment.toISOString().slice(0, -1)}+00:00`;

/** The wire format of a timestamp that may be absent. */
export const isoTimestampOrNull = (moment: Date | null): string | null => moment && isoTimestamp(moment);

/** The wire format of a UTC day: `YYYY-MM-DD`. */
export const isoDay = (moment: Date): string => moment.toISOString().slice(0, 10);
