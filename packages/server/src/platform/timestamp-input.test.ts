import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { DateInput, TimestampInput } from './timestamp-input.ts';

describe('a date or a timestamp of a caller', () => {
  // prettier-ignore
  it.each([
    ['2026-01-31',                 DateInput,    true],
    ['0001-01-01',                 DateInput,    true],
    ['9999-12-31',                 DateInput,    true],
    ['0000-12-31',                 DateInput,    false],
    ['2026-02-30',                 DateInput,    false],
    ['2026-01-31T09:30:00+01:00',  TimestampInput, true],
    ['0001-01-01T00:00:00Z',       TimestampInput, true],
    ['9999-12-31T23:59:59.999Z',   TimestampInput, true],
    ['0000-01-01T00:00:00Z',       TimestampInput, false],
    ['0001-01-01T00:00:00+14:00',  TimestampInput, false],
    ['9999-12-31T23:59:59-12:00',  TimestampInput, false],
  ] as const)('%s is in a year that the database supports: %#', (text, schema, fits) => {
    expect(schema.safeParse(text).success).toBe(fits);
  });

  it('is refused with what was expected', () => {
    const faults = DateInput.safeParse('0000-01-01').error?.issues;
    expect(faults).toMatchObject([{ message: 'expected a year from 0001 to 9999, in UTC' }]);
  });
});

it('a timestamp without an offset is UTC, also when the service runs in another zone', async () => {
  const given = [
    '2026-03-02T09:30',
    '2026-03-02T09:30:00',
    '2026-03-02T09:30:00Z',
    '2026-03-02T10:30:00+01:00',
  ];
  const module = new URL('timestamp-input.ts', import.meta.url).href;
  const script = `const { parseTimestamp } = await import('${module}');
    console.log(JSON.stringify([new Date(2026, 0, 1).getTimezoneOffset(), ...${JSON.stringify(given)}.map(parseTimestamp)]))`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
  const env = { ...process.env, TZ: 'America/New_York' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  expect(JSON.parse(stdout)).toEqual([300, ...given.map(() => '2026-03-02T09:30:00.000Z')]);
});
