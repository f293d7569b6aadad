import { describe, expect, it } from 'vitest';
import { splitIntoStrips } from './reading-order.ts';
import { readReport } from './read.ts';
import type { ReportPage, ReportWord } from './report-model.ts';

interface CardPrint {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

/** Adds the words of a line and returns its right edge. */
function printed(words: ReportWord[], { text, x, y, size }: CardPrint): number {
  let at = x;
  for (const word of text.split(' ')) {
    const x1 = at + word.length * size * 0.55;
    const box = { x0: at, x1, y0: y - 0.8 * size, y1: y + 0.2 * size };
    words.push({ text: word, box, confidence: 1, page: 1, fontSize: size });
    at = x1 + 0.3 * size;
  }
  return at;
}

/** Name (lines separated by " / "), range, amount, unit, flag; "_" before the amount places it lower. */
type ExpectedCard = readonly [name: string, range: string, amount: string, unit?: string, flag?: string];

interface CardForm {
  readonly columns: number;
  readonly isOver: boolean;
  readonly amountSize: number;
}

/** A portal page: names in 9 points, ranges in 7, and amounts in large print, above or below the range. */
function portal(cards: readonly ExpectedCard[], { columns, isOver, amountSize }: CardForm): ReportPage {
  const words: ReportWord[] = [];
  printed(words, { text: 'CHECKUP - Details', x: 40, y: 40, size: 12 });
  printed(words, {
    text: 'Collected on 1/9/2025 7:41 AM Resulted on 1/9/2025 9:02 AM Status: Final Result',
    x: 40,
    y: 50,
    size: 7,
  });
  let top = 75;
  for (let first = 0; first < cards.length; first += columns) {
    const bottoms = cards.slice(first, first + columns).map(([name, range, amount, unit, flag], column) => {
      const x = 46 + (column * 560) / columns;
      let y = top;
      const line = (text: string, size: number) => printed(words, { text, x, y, size });
      for (const part of name.split(' / ')) {
        line(part, 9);
        y += 10.3;
      }
      const amountLine = () => {
        y += amountSize - 3 + (amount.startsWith('_') ? 6 : 0);
        let at = line(amount.replace('_', ''), amountSize) + 2;
        if (unit) at = printed(words, { text: unit, x: at, y, size: 7 });
        if (flag) printed(words, { text: flag, x: at + 6, y, size: 7 });
        y += 3;
      };
      if (isOver) amountLine();
      if (isOver) y += 6;
      if (range) line(range, 7);
      y += 2;
      if (!isOver) amountLine();
      return y;
    });
    top = Math.max(...bottoms) + 18;
  }
  return { width: 612, height: 1200, words, source: 'text', imageShare: 0 };
}

const found = (page: ReportPage) =>
  readReport([page])
    .results.map((line) => [
      line.testName,
      line.printedValue,
      line.unit,
      line.referenceRange,
      line.flag,
      line.reviewReasons.length,
    ])
    .toSorted((a, b) => String(a[0]).localeCompare(String(b[0])));

const FORMS: readonly CardForm[] = [1, 2, 3, 4].flatMap((columns) =>
  [false, true].flatMap((isOver) => [9, 13, 18].map((amountSize) => ({ columns, isOver, amountSize }))),
);
// prettier-ignore
const NUMBERS: readonly ExpectedCard[] = [
  ['Sodium', 'Normal range: 135 - 145 mmol/L', '_137', 'mmol/L'],
  ['Thyroid Stimulating / Hormone', 'Normal range: 0.40 - 4.50 mIU/L', '_2.10', 'mIU/L'],
  ['eGFR', 'Normal range: >=60 mL/min', '>90', 'mL/min'],
  ['A/G Ratio', '', '1.4'],
  ['Potassium', 'Standard range: 3.5 - 5.1 mmol/L', '_3.3', 'mmol/L', 'Low'],
  ['WBC, Urine', 'Reference range: 0 - 5 /HPF', '6-10', '/HPF', 'Abnormal'],
  ['24 Hour Urine Protein', 'Normal range: <150 mg/24 h', '88', 'mg/24 h'],
];

// prettier-ignore
const WORDS: readonly ExpectedCard[] = [
  ['Color, Urine', 'Normal value: Yellow', 'Amber', '', 'Abnormal'],
  ['Clarity, Urine', 'Normal value: Clear', 'Clear'],
  ['Specific Gravity', 'Normal range: 1.005 - 1.030', '_1.031', '', 'High'],
  ['Ketones', 'Reference value: Negative', '2+', '', 'Abnormal'],
  ['Urobilinogen', 'Normal value: Normal', 'Normal'],
  ['Nitrito', 'Valor normal: Negativo', 'Negativo'],
  ['Protein', 'Normal value: Negative', 'Trace', '', 'Abnormal'],
];

const expected = (cards: readonly ExpectedCard[]) =>
  cards
    .map(([name, range, amount, unit, flag]) => [
      name.replace(' / ', ' '),
      amount.replace('_', ''),
      unit ?? '',
      range.replace(/^.*: /, '').replace(unit ? ` ${unit}` : /$^/, ''),
      flag ?? '',
      0,
    ])
    .map((fields) => fields.map((field) => (field === '' ? null : field)))
    .toSorted((a, b) => String(a[0]).localeCompare(String(b[0])));

describe('the grid of cards of a portal', () => {
  it.each(FORMS)(
    'has numbers and units in $columns columns (above the range: $isOver, $amountSize)',
    (form) => {
      expect(found(portal(NUMBERS, form))).toEqual(expected(NUMBERS));
    },
  );

  it.each(FORMS)(
    'has findings in words in $columns columns (above the range: $isOver, $amountSize)',
    (form) => {
      expect(found(portal(WORDS, form))).toEqual(expected(WORDS));
    },
  );

  it.each(FORMS)(
    'has a title above the cards in $columns columns (above the range: $isOver, $amountSize)',
    (form) => {
      const panels = new Set(readReport([portal(WORDS, form)]).results.map(({ panel }) => panel));
      expect([...panels]).toEqual(['CHECKUP - Details']);
    },
  );

  it.each([2, 3])('reads unknown words in %s columns only in the print of the amounts', (columns) => {
    const cards: readonly ExpectedCard[] = [
      ['Color, Urine', 'Normal value: Yellow', 'Tea-like', '', 'Abnormal'],
      ['Sodium', 'Normal range: 135 - 145 mmol/L', '_137', 'mmol/L'],
      ['Ketones', 'Normal value: Negative', '2+', '', 'Abnormal'],
      ['Crystals', 'Normal value: None', 'Uric acid'],
    ];
    for (const isOver of [false, true]) {
      expect(found(portal(cards, { columns, isOver, amountSize: 13 }))).toEqual(expected(cards));
      const inOnePrint = found(portal(cards, { columns, isOver, amountSize: 9 }));
      for (const line of inOnePrint) expect(expected(cards)).toContainEqual(line);
    }
  });
});

describe('print of another size next to cards', () => {
  it.each([64, 68, 70, 72, 76])('adds no duplicates, at %i points', (y) => {
    const cards: readonly ExpectedCard[] = [
      ['Sodium', 'Normal range: 135 - 145 mmol/L', '137', 'mmol/L'],
      ['Potassium', 'Normal range: 3.5 - 5.1 mmol/L', '4.1', 'mmol/L'],
    ];
    const { words, ...page } = portal(cards, { columns: 2, isOver: false, amountSize: 12 });
    const all = [...words];
    printed(all, { text: 'Talk with us', x: 10, y, size: 5 });
    const said = splitIntoStrips({ ...page, words: all }).flatMap(({ rows }) =>
      rows.flatMap((row) => row.words),
    );
    expect(said.filter(({ text }) => text === 'Talk').length).toBeLessThan(2);
  });
});
