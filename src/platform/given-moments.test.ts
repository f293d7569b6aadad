import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
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

it('a moment without an offset is meant in UTC, also where the service runs in another zone', async () => {
  const given = [
    '2026-03-02T09:30',
    '2026-03-02T09:30:00',
    '2026-03-02T09:30:00Z',
    '2026-03-02T10:30:00+01:00',
  ];
  const module = new URL('given-moments.ts', import.meta.url).href;
  const script = `const { momentIn } = await import('${module}');
    console.log(JSON.stringify([new Date(2026, 0, 1).getTimezoneOffset(), ...${JSON.stringify(given)}.map(momentIn)]))`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
  const env = { ...process.env, TZ: 'America/New_York' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  expect(JSON.parse(stdout)).toEqual([300, ...given.map(() => '2026-03-02T09:30:00.000Z')]);
});
