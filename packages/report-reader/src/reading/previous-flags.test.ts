import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

// prettier-ignore
const TABLES: readonly (readonly [story: string, lines: readonly string[], flags: readonly (string | null)[]])[] = [
  ['before the previous value',
    ['Test                 Result      Units     Previous', 'Glucose              92          mg/dL     ↑ 110', 'Sodium               140         mmol/L    ↓ 131'],
    [null, null]],
  ['behind the previous value',
    ['Test                 Result      Units     Previous 05/06/2024', 'Glucose              92          mg/dL     110 ↑', 'Sodium               140         mmol/L    131 L'],
    [null, null]],
  ['before the previous value, between result and unit',
    ['Test                 Result   Previous result   Units', 'Glucose              92       ↑ 110             mg/dL', 'Sodium               140      ↓ 131             mmol/L'],
    [null, null]],
  ['of today, next to a previous value',
    ['Test                 Result      Units     Previous', 'Glucose              192 ↑       mg/dL     110', 'Sodium               ↓ 130       mmol/L    141'],
    ['↑', '↓']],
];

describe('an arrow', () => {
  it.each(TABLES)('%s is a flag only of its own value', (_story, lines, flags) => {
    const { results } = readReport([pageOf(lines)]);
    expect(results.map(({ flag }) => flag)).toEqual(flags);
  });
});
