import { expect, it } from 'vitest';
import { readRange } from './reference-range.ts';

// prettier-ignore
const ranges: [string | null, number | null, number | null, number, boolean | null, boolean | null][] = [
  // printed       min   max   value  above  below
  ['1-10',         1,    10,   10,    false, false],
  ['1-10',         1,    10,   1,     false, false],
  ['1-10',         1,    10,   10.1,  true,  false],
  ['-2.5-2.5',     -2.5, 2.5,  -3,    false, true],
  ['0.5 - 1.2',    0.5,  1.2,  0.4,   false, true],
  ['3 to 5',       3,    5,    4,     false, false],
  ['<5.7',         null, 5.7,  5.7,   true,  false],
  ['<5.7',         null, 5.7,  5.6,   false, false],
  ['< OR = 9.9',   null, 9.9,  9.9,   false, false],
  ['<= 9.9',       null, 9.9,  10,    true,  false],
  ['> OR = 2',     2,    null, 2,     false, false],
  ['>59',          59,   null, 59,    false, true],
  ['>59',          59,   null, 60,    false, false],
  ['Not detected', null, null, 1,     null,  null],
  [null,           null, null, 1,     null,  null],
];

it.each(ranges)('reads %s as %s to %s: %s', (...[text, min, max, value, above, below]) => {
  const range = readRange(text);
  expect([range.min, range.max, range.isAbove(value), range.isBelow(value)]).toEqual([
    min,
    max,
    above,
    below,
  ]);
});
