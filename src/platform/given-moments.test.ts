import { describe, expect, it } from 'vitest';
import { GivenDay, GivenMoment } from './given-moments.ts';

describe('a day or a moment that a caller gives', () => {
  // prettier-ignore
  it.each([
    ['2026-01-31',                 GivenDay,    true],
    ['0001-01-01',                 GivenDay,    true],
    ['9999-12-31',                 GivenDay,    true],
    ['0000-12-31',                 GivenDay,    false],
    ['2026-02-30',                 GivenDay,    false],
    ['2026-01-31T09:30:00+01:00',  GivenMoment, true],
    ['0001-01-01T00:00:00Z',       GivenMoment, true],
    ['9999-12-31T23:59:59.999Z',   GivenMoment, true],
    ['0000-01-01T00:00:00Z',       GivenMoment, false],
    ['0001-01-01T00:00:00+14:00',  GivenMoment, false],
    ['9999-12-31T23:59:59-12:00',  GivenMoment, false],
  ] as const)('%s is in a year that the database has: %#', (text, schema, fits) => {
    expect(schema.safeParse(text).success).toBe(fits);
  });

  it('is told what was expected', () => {
    const faults = GivenDay.safeParse('0000-01-01').error?.issues;
    expect(faults).toMatchObject([{ message: 'expected a year from 0001 to 9999, in UTC' }]);
  });
});
