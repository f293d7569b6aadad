import { describe, expect, test } from 'vitest';
import type { ExtractorLine, PageWord } from './extractor.ts';
import { verifyLines } from './verify-lines.ts';

/** A page from lines of text: a word is 6 wide a letter, a line is 14 high. */
function page(lines: readonly string[], number = 1): PageWord[] {
  return lines.flatMap((line, row) =>
    [...line.matchAll(/\S+/g)].map((match) => ({
      text: match[0],
      page: number,
      box: {
        x0: (match.index ?? 0) * 6,
        y0: row * 14,
        x1: ((match.index ?? 0) + match[0].length) * 6,
        y1: row * 14 + 10,
      },
    })),
  );
}
const line = (name: string, value: string, rest: Partial<ExtractorLine> = {}): ExtractorLine => ({
  name,
  value,
  unit: null,
  referenceRange: null,
  flag: null,
  ...rest,
});

const REPORT = page([
  'Test                 Result   Flag  Unit     Range',
  'Glucose, Serum       105      H     mg/dL    70-99',
  'HDL Cholesterol      5.4            mmol/L   > 1.0',
  'Sodium               140            mmol/L   135-145',
]);

describe('extractor lines are verified against the page', () => {
  test('a line that is on the page is kept with its words', () => {
    const [kept] = verifyLines(
      [line('Glucose, Serum', '105', { unit: 'mg/dL', referenceRange: '70-99', flag: 'H' })],
      REPORT,
    );
    expect(kept).toMatchObject({
      name: 'Glucose, Serum',
      value: '105',
      unit: 'mg/dL',
      referenceRange: '70-99',
      flag: 'H',
      page: 1,
    });
    expect(kept?.valueWords.map(({ text }) => text)).toEqual(['105']);
    expect(kept?.nameWords.map(({ text }) => text)).toEqual(['Glucose,', 'Serum']);
  });

  test.each([
    ['a value with another decimal point', line('HDL Cholesterol', '54')],
    ['a value with a comparator that is not printed', line('Sodium', '<140')],
    ['a value that is not on the page', line('Glucose, Serum', '106')],
    ['a name that is not on the page', line('Ferritin', '105')],
    ['a name far away from the value', line('Glucose, Serum', '1.5')],
    ['no value', line('Sodium', ' ')],
    ['no name', line('-', '140')],
  ])('%s is dropped', (_, said) => {
    const far = page([...Array.from({ length: 12 }, () => ''), 'Index 1.5']);
    expect(verifyLines([said], [...REPORT, ...far])).toEqual([]);
  });

  test('unit, range and flag that are not on the page become null', () => {
    const [kept] = verifyLines(
      [line('Sodium', '140', { unit: 'mg/L', referenceRange: '1-2', flag: 'critical' })],
      REPORT,
    );
    expect(kept).toMatchObject({ unit: null, referenceRange: null, flag: null });
    expect(verifyLines([line('Sodium', '140', { flag: 'S' })], REPORT)[0]).toMatchObject({ flag: null });
  });

  test('one value is used by one line only, and two equal values by one line each', () => {
    expect(verifyLines([line('Sodium', '140'), line('Sodium', '140')], REPORT)).toHaveLength(1);
    const twins = page(['Alpha factor   7.1', '', '', 'Beta factor    7.1']);
    const kept = verifyLines([line('Beta factor', '7.1'), line('Alpha factor', '7.1')], twins);
    expect(kept.map(({ valueWords }) => valueWords[0]?.box.y0)).toEqual([42, 0]);
  });

  test('a value of several words must match as a whole', () => {
    const words = page(['Cast    None seen    /lpf']);
    expect(verifyLines([line('Cast', 'None seen')], words)).toHaveLength(1);
    expect(verifyLines([line('Cast', 'None found')], words)).toEqual([]);
  });
});
