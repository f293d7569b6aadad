import { z } from 'zod';

/*
 * Days and moments that callers give. The wire can write some that what lies behind it cannot: the database has no year
 * 0, and the last hours of 9999 in one zone are the first of a year with five digits in another.
 */

const FIRST = Date.parse('0001-01-01T00:00:00Z');
const END = Date.parse('+010000-01-01T00:00:00Z');

const isInReach = (text: string): boolean => {
  const at = Date.parse(text);
  return at >= FIRST && at < END;
};

const EXPECTED = 'expected a year from 0001 to 9999, in UTC';

/** A day as `2026-01-31`. */
export const GivenDay = z.iso.date().refine(isInReach, EXPECTED);

/** A moment as `2026-01-31T09:30:00Z`, or with another offset. */
export const GivenMoment = z.iso.datetime({ offset: true }).refine(isInReach, EXPECTED);

const WITH_OFFSET = /(Z|[+-]\d\d:?\d\d)$/i;

/** The moment of a text with or without an offset; without one it is meant in UTC, wherever the service runs. */
export const momentIn = (text: string): Date => new Date(WITH_OFFSET.test(text) ? text : `${text}Z`);
