import { describe, expect, it } from 'vitest';
import { toDayRange, toPeriod, DateOrTimestamp } from './period.ts';

const moment = { now: new Date('2026-03-02T15:00:00Z') };
const told = (start: string, end?: string) => {
  const { from, to } = toPeriod({ start_date: start, end_date: end }, moment);
  return [from, to].map((at) => new Date(at).toISOString());
};

// prettier-ignore
const periods = [
  { name: 'days',                            start: '2026-01-01',                     end: '2026-01-31',                from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' },
  { name: 'one day',                         start: '2026-01-31',                     end: '2026-01-31',                from: '2026-01-31T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' },
  { name: 'a leap day',                      start: '2024-02-29',                     end: '2024-02-29',                from: '2024-02-29T00:00:00.000Z', to: '2024-03-01T00:00:00.000Z' },
  { name: 'moments, the last one too',       start: '2026-01-01T08:00:00Z',           end: '2026-01-01T09:00:00Z',      from: '2026-01-01T08:00:00.000Z', to: '2026-01-01T09:00:00.001Z' },
  { name: 'one moment',                      start: '2026-01-01T08:00:00Z',           end: '2026-01-01T08:00:00Z',      from: '2026-01-01T08:00:00.000Z', to: '2026-01-01T08:00:00.001Z' },
  { name: 'moments with a zone',             start: '2026-01-01T08:00:00+02:00',      end: '2026-01-01T08:00:00-0800',  from: '2026-01-01T06:00:00.000Z', to: '2026-01-01T16:00:00.001Z' },
  { name: 'a plus that nobody escaped',      start: '2026-01-01T08:00:00 02:00',      end: '2026-01-02',                from: '2026-01-01T06:00:00.000Z', to: '2026-01-03T00:00:00.000Z' },
  { name: 'no zone',                         start: '2026-01-01T08:00:00',            end: '2026-01-01T08:00',          from: '2026-01-01T08:00:00.000Z', to: '2026-01-01T08:00:00.001Z' },
  { name: 'what Python prints',              start: '2026-01-01 08:00:00.123456+00:00', end: '2026-01-02',              from: '2026-01-01T08:00:00.123Z', to: '2026-01-03T00:00:00.000Z' },
  { name: 'no end',                          start: '2026-01-01',                     end: undefined,                   from: '2026-01-01T00:00:00.000Z', to: '2026-03-03T15:00:00.000Z' },
  { name: 'a start in the future, no end',   start: '2027-01-01',                     end: undefined,                   from: '2027-01-01T00:00:00.000Z', to: '2027-01-01T00:00:00.000Z' },
];

describe('a period', () => {
  it.each(periods)('of $name', ({ start, end, from, to }) => {
    expect([start, end ?? start].filter((text) => !DateOrTimestamp.safeParse(text).success)).toEqual([]);
    expect(told(start, end)).toEqual([from, to]);
  });

  it.each([
    ['2026-01-02', '2026-01-01'],
    ['2026-01-01T08:00:01Z', '2026-01-01T08:00:00Z'],
    ['2026-01-02T00:00:00+00:00', '2026-01-01'],
  ])('from %s to %s is rejected', (start, end) => {
    expect(() => told(start, end)).toThrow('on or after start_date');
  });

  it.each([
    '',
    'yesterday',
    '2026-1-1',
    '2026-02-30',
    '2025-02-29T00:00:00Z',
    '2026-13-01',
    '2026-01-01T25:00:00Z',
    '2026-01-01T08:00:00+99:99',
    '1767225600',
    '2026-01-01T08',
    "2026-01-01'; drop table app_user",
  ])('is not named by %j', (text) => expect(DateOrTimestamp.safeParse(text).success).toBe(false));
});

describe('days', () => {
  it.each([
    ['2026-01-01', '2026-01-31', '2026-01-01', '2026-01-31'],
    ['2026-01-01T23:30:00-08:00', '2026-01-31T01:00:00+05:00', '2026-01-01', '2026-01-31'],
    ['2026-01-01', undefined, '2026-01-01', '2026-03-03'],
    ['2027-01-01', undefined, '2027-01-01', '2027-01-01'],
  ])('from %s to %s are as they are written', (start_date, end_date, fromDay, toDay) => {
    expect(toDayRange({ start_date, end_date }, moment)).toEqual({ fromDay, toDay });
  });

  it('are rejected in the wrong order', () => {
    expect(() => toDayRange({ start_date: '2026-01-02', end_date: '2026-01-01' }, moment)).toThrow(
      'start_date',
    );
  });
});
