import { z } from 'zod';
import { Timestamp } from './timestamp.ts';

/*
 * Dates and timestamps in requests. ISO 8601 allows values that PostgreSQL and the wire format cannot represent: the
 * database has no year 0, and the last hours of 9999 in one zone are in a five-digit year in another.
 */

const RANGE_START = Date.parse('0001-01-01T00:00:00Z');
const RANGE_END = Date.parse('+010000-01-01T00:00:00Z');

const isInRange = (text: string): boolean => {
  const at = Date.parse(text);
  return at >= RANGE_START && at < RANGE_END;
};

const EXPECTED = 'expected a year from 0001 to 9999, in UTC';

/** A date such as `2026-01-31`. */
export const DateInput = z.iso.date().refine(isInRange, EXPECTED);

/** A timestamp such as `2026-01-31T09:30:00Z`, in UTC or with another offset. */
export const TimestampInput = Timestamp.refine(isInRange, EXPECTED);

const WITH_OFFSET = /(Z|[+-]\d\d:?\d\d)$/i;

/** Parses a timestamp. Without an offset it is UTC, whatever the time zone of the service. */
export const parseTimestamp = (text: string): Date => new Date(WITH_OFFSET.test(text) ? text : `${text}Z`);
