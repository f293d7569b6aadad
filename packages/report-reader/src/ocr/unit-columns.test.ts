import { describe, expect, it } from 'vitest';
import type { ReportWord } from '../reading/report-model.ts';
import { correctUnits } from './unit-columns.ts';

/** How wide letters are, in sizes of the print. */
const WIDE: Readonly<Record<string, number>> = { l: 0.22, I: 0.28, '/': 0.28, '.': 0.28, i: 0.22, '!': 0.28 };
const widthOf = (text: string): number => [...text].reduce((sum, sign) => sum + 10 * (WIDE[sign] ?? 0.55), 0);

/** A word in this line of a column, of what is printed and how it was read. */
const word = (read: string, line: number, printed = read, x0 = 200): ReportWord => ({
  text: read,
  box: { x0, x1: x0 + widthOf(printed), y0: 20 * line, y1: 20 * line + 10 },
  confidence: 0.7,
  page: 1,
  fontSize: 10,
});

/** What a word is taken for in a column of these units. */
const taken = (units: string, read: string, printed: string): string | undefined =>
  correctUnits([word(read, 0, printed), ...units.split(' ').map((unit, at) => word(unit, at + 1))])[0]?.text;

const GERMAN = '/nl g/dl % pg /nl mg/dl mmol/l U/l';

describe('a word in a column of units', () => {
  it.each([
    [GERMAN, 'g/d', 'g/dl'],
    [GERMAN, 'pl', '/pl'],
    [GERMAN, 'f', 'fl'],
    [GERMAN, '1/1', 'l/l'],
    [GERMAN, 'S', 's'],
    [GERMAN, '/n!', '/nl'],
    ['10^3/µL 10^6/µL g/dL % 10^3/µL fL', '103/', '10^3/µL'],
    ['10^3/µL 10^6/µL g/dL % 10^3/uL fL', '10^3/', '10^3/µL'],
    ['x10E3/uL g/dL % fL pg mg/dL', 'f', 'fL'],
    ['mg/dL mg/dL /µL /uL mg/dL %', 'L', '/µL'],
    ['mg/dL mg/dL g/dL uL mg/dL %', 'uL', '/µL'],
    ['mg/dL mg/dL /uL lµL kU/L', 'µL', '/µL'],
    ['mg/dL mg/dL /µL g/dL mg/dL %', '/L', '/µL'],
    ['mg/dL mg/dL g/dL g/dL mg/dL %', '1µL', '/µL'],
    ['mmol/L g/L % 10^9/L g/L pg', 'LL', 'L/L'],
    ['10^9/L 10^12/L g/L % 10^9/L fL', '109/', '10^9/L'],
  ])('is the unit that is printed there: among %s %s is %s', (units, read, printed) => {
    expect(taken(units, read, printed)).toBe(printed);
  });

  it.each([
    [GERMAN, 'g/d', 'is as wide as it was read'],
    [GERMAN, '8', 'is a number'],
    ['mg/dL mg/dL /µL /µL mg/dL %', 'L', 'is no wider than it was read'],
    ['10^9/L 10^12/L g/L % 10^9/L fL', '/L', 'is no wider than it was read'],
    [GERMAN, '1/160', 'is a titer'],
    [GERMAN, 'neg', 'looks like none of them'],
    ['Sodium g/dl % Potassium Chloride Calcium Iron Zinc', 'S', 'stands among names'],
    ['/nl g/dl % pg', 'f', 'stands among too few of them'],
  ])('is left alone, among %s %s, where it %s', (units, read) => {
    expect(taken(units, read, read)).toBe(read);
  });

  it('does not affect a word outside the column', () => {
    const [elsewhere] = correctUnits([
      word('S', 0, 'S', 90),
      ...GERMAN.split(' ').map((unit, at) => word(unit, at + 1)),
    ]);
    expect(elsewhere?.text).toBe('S');
  });
});
