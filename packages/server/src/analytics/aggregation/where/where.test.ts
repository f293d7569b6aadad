import { describe, expect, it } from 'vitest';
import type { AggregationColumn, AggregationRow } from '../row.ts';
import { compileWhere } from './compile.ts';
import { parseWhere } from './parse.ts';
import { WhereSyntaxError } from './tokens.ts';

const column = (name: string, kind: AggregationColumn['kind']): AggregationColumn => ({
  name,
  kind,
  of: ({ fields }) => (fields[name] ?? null) as ReturnType<AggregationColumn['of']>,
});
const columns = [
  column('type', 'text'),
  column('efficiency', 'number'),
  column('napped', 'boolean'),
  column('session_end', 'moment'),
  column('tags', 'list'),
];
const find = (name: string) => columns.find((one) => one.name === name);

const night: AggregationRow = {
  at: 0,
  source: {
    provider: 'oura',
    type: 'ring',
    appId: null,
    deviceId: null,
    workoutId: null,
    sport: null,
  },
  fields: { type: "long'sleep", efficiency: 91.5, napped: false, session_end: Date.UTC(2026, 2, 1, 7, 30) },
  toLocalTime: (moment) => moment,
};
const unknown: AggregationRow = { ...night, fields: {} };
const fits = (text: string, row = night) => compileWhere(parseWhere(text), find)(row) === true;

// prettier-ignore
const rows: [text: string, fits: boolean][] = [
  ["type = 'long''sleep'", true],
  ["type != 'long''sleep'", false],
  ["type <> 'nap'", true],
  ['efficiency > 91', true],
  ['efficiency >= 91.5 AND efficiency <= 91.5', true],
  ['efficiency < -3', false],
  ['efficiency > 1e2 or napped = false', true],
  ['not efficiency > 90', false],
  ['NOT (efficiency > 100 OR napped = TRUE)', true],
  ["type = 'a' AND efficiency > 0 OR efficiency > 0", true],
  ["type = 'a' AND (efficiency > 0 OR efficiency > 0)", false],
  ['efficiency in (1, 91.5)', true],
  ["type NOT IN ('nap', 'rest')", true],
  ['efficiency BETWEEN 90 AND 92 AND napped = false', true],
  ['efficiency NOT BETWEEN 90 AND 92', false],
  ['napped IS NULL', false],
  ['napped IS NOT NULL', true],
  ["session_end >= '2026-03-01'", true],
  ["session_end < '2026-03-01 07:30'", false],
];

describe('a where clause', () => {
  it.each(rows)('%s: %s', (text, expected) => {
    expect(fits(text)).toBe(expected);
  });

  it('does not match null, with or without NOT', () => {
    for (const text of ['efficiency > 1', 'NOT efficiency > 1', "type != 'a'", 'efficiency IN (1)']) {
      expect(fits(text, unknown), text).toBe(false);
    }
    expect(fits('efficiency IS NULL', unknown)).toBe(true);
    expect(fits('efficiency > 1 OR type IS NULL', unknown)).toBe(true);
  });

  it.each([
    ['', 0, 'expected a column'],
    ['efficiency', 10, 'expected one of'],
    ['efficiency >', 12, 'expected a number'],
    ['efficiency > napped', 13, 'expected a number'],
    ["efficiency > '5'", 13, 'compared with a number'],
    ['type = 5', 7, 'compared with a string'],
    ['napped = 1', 9, 'compared with a boolean'],
    ["session_end > 'noon'", 14, 'a day or a local time'],
    ["session_end > '2026-02-31'", 14, 'a day or a local time'],
    ['tags = 1', 0, 'a list'],
    ['steps > 1', 0, 'unknown column steps'],
    ['efficiency > 1; drop table app_user', 14, 'unexpected ";"'],
    ["type = 'a", 7, 'does not end'],
    ['(efficiency > 1', 15, 'expected )'],
    ['efficiency > 1 efficiency', 15, 'expected AND'],
    ['efficiency = 1 AND', 18, 'expected a column'],
    ['efficiency IS 4', 14, 'expected NULL'],
    ['efficiency NOT 4', 15, 'expected IN'],
    ['efficiency + 1 > 4', 11, 'unexpected "+"'],
    ['max(efficiency) > 4', 3, 'expected one of'],
  ])('%s is invalid at %i', (text, at, why) => {
    const understand = () => compileWhere(parseWhere(text), find);
    expect(understand).toThrow(why);
    expect(understand).toThrow(expect.objectContaining({ at }));
  });

  it('limits its depth and length', () => {
    expect(() => parseWhere(`${'('.repeat(1000)}efficiency > 1`)).toThrow(WhereSyntaxError);
    expect(() => parseWhere(`${'not '.repeat(500)}efficiency > 1`)).toThrow('levels');
    expect(() => parseWhere(`efficiency IN (${Array.from({ length: 300 }, () => 1).join()})`)).toThrow('200');
  });
});
