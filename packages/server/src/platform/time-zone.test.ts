import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, localDay, localMinutes, openLocalDay, weekdayOf } from './time-zone.ts';

const moment = (text: string) => new Date(text);

describe('the local day', () => {
  // prettier-ignore
  it.each([
    ['America/New_York',  '2026-03-02T04:59:59Z', '2026-03-01', 23 * 60 + 59],
    ['America/New_York',  '2026-03-02T05:00:00Z', '2026-03-02', 0],
    ['Pacific/Honolulu',  '2026-03-02T09:59:00Z', '2026-03-01', 23 * 60 + 59],
    ['Pacific/Honolulu',  '2026-03-02T10:00:00Z', '2026-03-02', 0],
    ['America/Phoenix',   '2026-07-01T06:59:00Z', '2026-06-30', 23 * 60 + 59],
    ['America/Anchorage', '2026-07-01T08:00:00Z', '2026-07-01', 0],
    ['UTC',               '2026-12-31T23:59:59Z', '2026-12-31', 23 * 60 + 59],
  ])('is at %s at %s the %s', (zone, at, day, minutes) => {
    expect(localDay(zone, moment(at))).toBe(day);
    expect(localMinutes(zone, moment(at))).toBe(minutes);
  });

  it('is counted in days, and has a weekday', () => {
    expect(addDays('2026-02-27', 2)).toBe('2026-03-01');
    expect(addDays('2028-02-28', 1)).toBe('2028-02-29');
    expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
    expect([weekdayOf('2026-03-02'), weekdayOf('2026-03-08')]).toEqual([1, 7]);
  });

  it('refuses a zone that does not exist', () => {
    expect(() => localDay('America/Atlantis', moment('2026-03-02T00:00:00Z'))).toThrow(RangeError);
  });
});

describe('a local time', () => {
  // prettier-ignore
  const rows: [string, string, string, string | undefined][] = [
    // The clock is put forward from two to three.
    ['America/New_York',  '2026-03-08', '01:59', '2026-03-08T06:59:00Z'],
    ['America/New_York',  '2026-03-08', '02:00', undefined],
    ['America/New_York',  '2026-03-08', '02:59', undefined],
    ['America/New_York',  '2026-03-08', '03:00', '2026-03-08T07:00:00Z'],
    ['America/Anchorage', '2026-03-08', '02:30', undefined],
    ['America/Anchorage', '2026-03-08', '03:00', '2026-03-08T11:00:00Z'],
    // The clock is put back from two to one: the first of two counts.
    ['America/New_York',  '2026-11-01', '00:59', '2026-11-01T04:59:00Z'],
    ['America/New_York',  '2026-11-01', '01:00', '2026-11-01T05:00:00Z'],
    ['America/New_York',  '2026-11-01', '01:59', '2026-11-01T05:59:00Z'],
    ['America/New_York',  '2026-11-01', '02:00', '2026-11-01T07:00:00Z'],
    ['America/Anchorage', '2026-11-01', '01:30', '2026-11-01T09:30:00Z'],
    ['America/Anchorage', '2026-11-01', '02:00', '2026-11-01T11:00:00Z'],
    // The days around, and zones that change nothing.
    ['America/New_York',  '2026-03-07', '08:00', '2026-03-07T13:00:00Z'],
    ['America/New_York',  '2026-03-09', '08:00', '2026-03-09T12:00:00Z'],
    ['America/New_York',  '2026-10-31', '08:00', '2026-10-31T12:00:00Z'],
    ['America/New_York',  '2026-11-02', '08:00', '2026-11-02T13:00:00Z'],
    ['America/Phoenix',   '2026-03-08', '02:30', '2026-03-08T09:30:00Z'],
    ['America/Phoenix',   '2026-11-01', '01:30', '2026-11-01T08:30:00Z'],
    ['Pacific/Honolulu',  '2026-03-08', '02:30', '2026-03-08T12:30:00Z'],
    ['Pacific/Honolulu',  '2026-11-01', '01:30', '2026-11-01T11:30:00Z'],
    ['America/Denver',    '2026-03-08', '02:15', undefined],
    // It is put forward by half an hour at two, and at midnight.
    ['Australia/Lord_Howe', '2026-10-04', '02:15', undefined],
    ['Australia/Lord_Howe', '2026-10-04', '02:30', '2026-10-03T15:30:00Z'],
    ['America/Santiago',    '2026-09-06', '00:30', undefined],
  ];
  it.each(rows)('in %s on %s at %s is %s', (zone, day, time, expected) => {
    const [hours = 0, minutes = 0] = time.split(':').map(Number);
    expect(openLocalDay(zone, day).at(hours * 60 + minutes)).toEqual(expected && moment(expected));
  });

  it('that is skipped is reached when the clock jumps', () => {
    for (const [zone, day, at] of [
      ['America/New_York', '2026-03-08', '2026-03-08T07:00:00Z'],
      ['America/Anchorage', '2026-03-08', '2026-03-08T11:00:00Z'],
    ] as const) {
      for (const minutes of [120, 150, 179]) {
        expect(openLocalDay(zone, day).atOrAfterGap(minutes)).toEqual(moment(at));
      }
    }
    expect(openLocalDay('America/Santiago', '2026-09-06').atOrAfterGap(0)).toEqual(
      moment('2026-09-06T04:00:00Z'),
    );
  });

  it('is the local time of the returned timestamp', () => {
    const zones = [
      'America/New_York',
      'America/Phoenix',
      'Pacific/Honolulu',
      'America/Anchorage',
      'America/Boise',
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: 0, max: 3652 }),
        fc.integer({ min: 0, max: 1439 }),
        (zone, days, minutes) => {
          const day = addDays('2024-01-01', days);
          const at = openLocalDay(zone, day).at(minutes);
          if (!at) return;
          expect([localDay(zone, at), localMinutes(zone, at)]).toEqual([day, minutes]);
        },
      ),
      { numRuns: 300 },
    );
  });
});
