import { describe, expect, it } from 'vitest';
import {
  subtractPeriod,
  nextBucketStart,
  readDatePart,
  truncateToBucket,
  formatLocalTimestamp,
  type DatePart,
  type BucketPeriod,
} from './local-time.ts';

const at = (text: string) => Date.parse(`${text}Z`);
const period = (value: number, unit: BucketPeriod['unit']): BucketPeriod => ({ value, unit });

describe('a bucket', () => {
  it.each([
    ['2024-08-10T12:34:56', 30, 'minute', '2024-08-10T12:30:00', '2024-08-10T13:00:00'],
    ['2024-08-10T12:34:56', 1, 'hour', '2024-08-10T12:00:00', '2024-08-10T13:00:00'],
    ['2024-08-10T12:34:56', 6, 'hour', '2024-08-10T12:00:00', '2024-08-10T18:00:00'],
    ['2024-08-10T12:34:56', 1, 'day', '2024-08-10T00:00:00', '2024-08-11T00:00:00'],
    ['2024-08-11T23:59:59', 1, 'week', '2024-08-05T00:00:00', '2024-08-12T00:00:00'],
    ['1969-12-30T08:00:00', 1, 'week', '1969-12-29T00:00:00', '1970-01-05T00:00:00'],
    ['2024-12-31T12:00:00', 1, 'month', '2024-12-01T00:00:00', '2025-01-01T00:00:00'],
    ['2024-08-10T12:00:00', 3, 'month', '2024-07-01T00:00:00', '2024-10-01T00:00:00'],
    ['2024-08-10T12:00:00', 1, 'year', '2024-01-01T00:00:00', '2025-01-01T00:00:00'],
    ['2024-08-10T12:00:00', 10, 'year', '2020-01-01T00:00:00', '2030-01-01T00:00:00'],
  ] as const)('of %s by %i %s starts at %s', (moment, value, unit, start, next) => {
    expect(formatLocalTimestamp(truncateToBucket(at(moment), period(value, unit)))).toBe(start);
    expect(formatLocalTimestamp(nextBucketStart(at(start), period(value, unit)))).toBe(next);
  });
});

describe('subtracting a period', () => {
  it.each([
    ['2024-03-31T00:00:00', 1, 'month', '2024-02-29T00:00:00'],
    ['2024-03-31T06:30:00', 13, 'month', '2023-02-28T06:30:00'],
    ['2024-02-29T00:00:00', 1, 'year', '2023-02-28T00:00:00'],
    ['2024-03-01T00:00:00', 2, 'week', '2024-02-16T00:00:00'],
    ['2024-03-01T00:00:00', 90, 'minute', '2024-02-29T22:30:00'],
  ] as const)('from %s: %i %s gives %s', (moment, value, unit, earlier) => {
    expect(formatLocalTimestamp(subtractPeriod(at(moment), period(value, unit)))).toBe(earlier);
  });
});

describe('a date part', () => {
  it.each<[string, Partial<Record<DatePart, number>>]>([
    ['2026-03-01T07:45:00', { minute: 45, hour: 7, day: 1, month: 3, year: 2026, weekday: 7, week: 9 }],
    ['2026-01-01T00:00:00', { weekday: 4, week_of_year: 1, day_of_year: 1 }],
    ['2027-01-03T00:00:00', { weekday: 7, week_of_year: 53, day_of_year: 3 }],
    ['2024-12-31T00:00:00', { weekday: 2, week_of_year: 1, day_of_year: 366 }],
  ])('%s', (moment, parts) => {
    for (const [part, value] of Object.entries(parts)) {
      expect(readDatePart(at(moment), part as DatePart), part).toBe(value);
    }
  });
});
