import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LINEAR_MAX, measureGrowth } from '../../../test/growth.ts';
import type { RangeBounds } from '../../adapters/lab-network/port.ts';
import { isAbove, isBelow, parseReferenceRange } from './reference-range.ts';

/** As mathematics writes it: `[1,10]` has both bounds inside, `(,5.7)` is all below 5.7, `-` has no bounds. */
function interval({ min, minInside, max, maxInside }: RangeBounds): string {
  if (min === null && max === null) return '-';
  return `${minInside ? '[' : '('}${min ?? ''},${max ?? ''}${maxInside ? ']' : ')'}`;
}

// prettier-ignore
const ranges: readonly [string, string][] = [
  // two bounds
  ['1-10',                       '[1,10]'],
  ['1 - 10',                     '[1,10]'],
  ['1 -10',                      '[1,10]'],
  ['1–10',                       '[1,10]'],
  ['1 – 10',                     '[1,10]'],
  ['1—10',                       '[1,10]'],
  ['1 to 10',                    '[1,10]'],
  ['1 TO 10',                    '[1,10]'],
  ['1~10',                       '[1,10]'],
  ['1..10',                      '[1,10]'],
  ['1 through 10',               '[1,10]'],
  ['from 1 to 10',               '[1,10]'],
  ['between 1 and 10',           '[1,10]'],
  ['  1-10  ',                   '[1,10]'],
  ['1 - 10',           '[1,10]'],
  ['0.5-1.2',                    '[0.5,1.2]'],
  ['.5-1.2',                     '[0.5,1.2]'],
  ['0.50 - 1.20',                '[0.5,1.2]'],
  ['0.0-0.0',                    '[0,0]'],
  ['0-0',                        '[0,0]'],
  ['1,5-2,5',                    '[1.5,2.5]'],
  ['0,40 - 4,50',                '[0.4,4.5]'],
  ['150,000-400,000',            '[150000,400000]'],
  ['1,234.5 - 2,345.6',          '[1234.5,2345.6]'],
  ['3.4E+02-5.0E+02',            '[340,500]'],
  ['1.5e3-2e3',                  '[1500,2000]'],
  ['4.0 x 10^3 - 1.1 x 10^4',    '[4000,11000]'],
  ['7.35 - 7.45',                '[7.35,7.45]'],
  // negatives
  ['-2.0 - 2.0',                 '[-2,2]'],
  ['-2.5-2.5',                   '[-2.5,2.5]'],
  ['-5--2',                      '[-5,-2]'],
  ['-5 - -2',                    '[-5,-2]'],
  ['-5 to -2',                   '[-5,-2]'],
  ['−2.0–2.0',                   '[-2,2]'],
  ['-3 to +3',                   '[-3,3]'],
  ['>-2.5',                      '(-2.5,]'],
  ['< -1',                       '[,-1)'],
  ['> OR = -2.0',                '[-2,]'],
  // one bound, by sign
  ['<5.7',                       '[,5.7)'],
  ['< 5.7',                      '[,5.7)'],
  ['<5,7',                       '[,5.7)'],
  ['<1,000',                     '[,1000)'],
  ['<0.01',                      '[,0.01)'],
  ['< OR = 9.9',                 '[,9.9]'],
  ['<OR=9.9',                    '[,9.9]'],
  ['< or = 9.9',                 '[,9.9]'],
  ['< or equal to 9.9',          '[,9.9]'],
  ['<= 9.9',                     '[,9.9]'],
  ['<=9.9',                      '[,9.9]'],
  ['=<9.9',                      '[,9.9]'],
  ['≤9.9',                       '[,9.9]'],
  ['≤ 9.9',                      '[,9.9]'],
  ['>59',                        '(59,]'],
  ['> 59',                       '(59,]'],
  ['> OR = 2',                   '[2,]'],
  ['>OR=60',                     '[60,]'],
  ['>=2',                        '[2,]'],
  ['=>2',                        '[2,]'],
  ['≥ 60',                       '[60,]'],
  ['&lt;5.7',                    '[,5.7)'],
  ['&gt;=60',                    '[60,]'],
  // one bound, in words
  ['up to 40',                   '[,40]'],
  ['Up To 40',                   '[,40]'],
  ['up to and including 40',     '[,40]'],
  ['at most 40',                 '[,40]'],
  ['no more than 40',            '[,40]'],
  ['not greater than 40',        '[,40]'],
  ['not to exceed 40',           '[,40]'],
  ['maximum 40',                 '[,40]'],
  ['max 40',                     '[,40]'],
  ['40 or less',                 '[,40]'],
  ['40 or lower',                '[,40]'],
  ['40 or below',                '[,40]'],
  ['40 and below',               '[,40]'],
  ['40 U/L or less',             '[,40]'],
  ['less than 5',                '[,5)'],
  ['Less than 5.0',              '[,5)'],
  ['less than or equal to 5',    '[,5]'],
  ['equal to or less than 5',    '[,5]'],
  ['lower than 5',               '[,5)'],
  ['under 5',                    '[,5)'],
  ['below 5',                    '[,5)'],
  ['at least 3',                 '[3,]'],
  ['no less than 3',             '[3,]'],
  ['not less than 3',            '[3,]'],
  ['minimum 3',                  '[3,]'],
  ['3 or more',                  '[3,]'],
  ['3 or greater',               '[3,]'],
  ['3 or above',                 '[3,]'],
  ['3 and above',                '[3,]'],
  ['60+',                        '[60,]'],
  ['greater than 59',            '(59,]'],
  ['greater than or equal to 60', '[60,]'],
  ['more than 59',               '(59,]'],
  ['over 59',                    '(59,]'],
  ['above 59',                   '(59,]'],
  // bounds of different kinds
  ['>=2.0 and <5.0',             '[2,5)'],
  ['>=2, <5',                    '[2,5)'],
  ['>2.0 - <5.0',                '(2,5)'],
  ['≥ 3.5 to ≤ 5.0',             '[3.5,5]'],
  ['0 - <5',                     '[0,5)'],
  ['[1.0, 2.0]',                 '[1,2]'],
  ['[1.0, 2.0)',                 '[1,2)'],
  ['(1.0, 2.0]',                 '(1,2]'],
  ['(1.0, 2.0)',                 '(1,2)'],
  ['(1.0; 2.0)',                 '(1,2)'],
  ['[1.0-2.0)',                  '[1,2)'],
  [']1.0, 2.0[',                 '(1,2)'],
  // a range in brackets is no open one
  ['(1.0-2.0)',                  '[1,2]'],
  ['(1.0 - 2.0)',                '[1,2]'],
  ['[1.0-2.0]',                  '[1,2]'],
  ['(<5.7)',                     '[,5.7)'],
  ['(-2.0-2.0)',                 '[-2,2]'],
  // units inside
  ['70-99 mg/dL',                '[70,99]'],
  ['70-99mg/dL',                 '[70,99]'],
  ['70 - 99 MG/DL',              '[70,99]'],
  ['4.0 % - 5.6 %',              '[4,5.6]'],
  ['4.0-5.6%',                   '[4,5.6]'],
  ['70 mg/dL - 99 mg/dL',        '[70,99]'],
  ['150-450 K/uL',               '[150,450]'],
  ['0-5 /HPF',                   '[0,5]'],
  // a power that is of something is the unit's
  ['3.4-10.8 x10E3/uL',          '[3.4,10.8]'],
  ['4.14 - 5.80 x10E6/uL',       '[4.14,5.8]'],
  ['150-450 x 10^9/L',           '[150,450]'],
  ['0.0-0.4 x10E3 /uL',          '[0,0.4]'],
  ['1.4-7.0 x10^3 cells/uL',     '[1.4,7]'],
  ['< 10.8 x10E3/uL',            '[,10.8)'],
  ['3.4 x10E3/uL - 10.8 x10E3/uL', '[3.4,10.8]'],
  ['> 59 mL/min/1.73m2',         '(59,]'],
  ['> OR = 60 mL/min/1.73m2',    '[60,]'],
  ['<130 mg/dL (calc)',          '[,130)'],
  ['0.40-4.50 mIU/L',            '[0.4,4.5]'],
  ['6.0-8.5 g/dL.',              '[6,8.5]'],
  ['40-190 (fasting)',           '[40,190]'],
  ['<150 (Desirable)',           '[,150)'],
  ['3.5-5.1 (mmol/L)',           '[3.5,5.1]'],
  ['Reference range: 3-5',       '[3,5]'],
  ['Ref Range: <5.7',            '[,5.7)'],
  // grades: the good one
  ['Normal: <5.7',               '[,5.7)'],
  ['Normal: <5.7; Prediabetes: 5.7-6.4; Diabetes: >6.4', '[,5.7)'],
  ['Negative: <0.9 Equivocal: 0.9-1.1 Positive: >1.1',   '[,0.9)'],
  ['Optimal: <100 Borderline high: 130-159 High: 160-189', '[,100)'],
  ['Desirable: < 200',           '[,200)'],
  ['Deficiency: <20; Insufficiency: 20-29; Optimal: > OR = 30', '[30,]'],
  // not to be told for certain
  ['10-1',                       '-'],
  ['5',                          '-'],
  ['-40',                        '-'],
  ['12-',                        '-'],
  ['<',                          '-'],
  ['1-2-3',                      '-'],
  ['70-99 is the target of the study', '-'],
  ['13-150 Male; 9-100 Female',  '-'],
  ['A.M.: 4-22 P.M.: 3-17',      '-'],
  ['6-8 AM: 10-20',              '-'],
  ['7 a.m.: 4-22; 4-6 pm: 3-17', '-'],
  ['Follicular: 3-8; Luteal: 2-5', '-'],
  ['10 x 20',                    '-'],
  ['2024-01-02',                 '-'],
  // words
  ['Negative',                   '-'],
  ['Not detected',               '-'],
  ['Non-Reactive',               '-'],
  ['See below',                  '-'],
  ['SEE NOTE:',                  '-'],
  ['None seen or Few',           '-'],
  ['',                           '-'],
];

it('walks a table of at least 120 forms', () => expect(ranges.length).toBeGreaterThanOrEqual(120));

it.each(ranges)('reads %s as %s', (printed, wanted) => {
  const range = parseReferenceRange(printed);
  expect(interval(range)).toBe(wanted);
  expect(range.isTiter).toBe(false);
});

// prettier-ignore
it.each([
  // printed                                   woman of 40  man of 40   girl of 9   nobody known
  ['M: 13-17 F: 12-15',                        '[12,15]',   '[13,17]',  '[12,15]',  '-'],
  ['F 12-15 M 13-17',                          '[12,15]',   '[13,17]',  '[12,15]',  '-'],
  ['Male: 13.2-17.1; Female: 11.7-15.5',       '[11.7,15.5]', '[13.2,17.1]', '[11.7,15.5]', '-'],
  ['Men: >40 Women: >50',                      '(50,]',     '(40,]',    '(50,]',    '-'],
  ['Females: <= 32, Males: <= 41',             '[,32]',     '[,41]',    '[,32]',    '-'],
  ['Male = 13-17 | Female = 12-15',            '[12,15]',   '[13,17]',  '[12,15]',  '-'],
  ['(M: 13-17) (F: 12-15)',                    '[12,15]',   '[13,17]',  '[12,15]',  '-'],
  ['Male: 3-5, Female: 3-5',                   '[3,5]',     '[3,5]',    '[3,5]',    '-'],
  ['Adult: 3-5; Child: 6-7',                   '[3,5]',     '[3,5]',    '[6,7]',    '-'],
  ['>18 years: 3-5; 0-17 years: 6-7',          '[3,5]',     '[3,5]',    '[6,7]',    '-'],
  ['0-17 y: 1-2; 18-60 y: 3-4; >60 y: 5-6',    '[3,4]',     '[3,4]',    '[1,2]',    '-'],
  ['0-12 months: 1-2; 1-17 yrs: 3-4; 18 years and older: 5-6', '[5,6]', '[5,6]', '[3,4]', '-'],
  ['Adult Male: 13-17, Adult Female: 12-15',   '[12,15]',   '[13,17]',  '-',        '-'],
  ['Male: 13-17 Female: 12-15 Child: 11-14',   '[12,15]',   '[13,17]',  '-',        '-'],
])('of %s takes the part of the patient', (printed, woman, man, girl, nobody) => {
  const read = (gender: string | null, ageYears: number | null) => interval(parseReferenceRange(printed, { gender, ageYears }));
  expect([read('female', 40), read('male', 40), read('female', 9), read(null, null)]).toEqual([woman, man, girl, nobody]);
});

// prettier-ignore
it.each([
  // printed                                        10 days old  20 days   8 months   18 months  40 years
  ['0-14 days: 1-2; 15 days - 5 months: 3-4',        '[1,2]',    '[3,4]',  '-',       '-',       '-'],
  ['0-5 months: 1-2; 6-11 months: 3-4; 1-17 y: 5-6', '[1,2]',    '[1,2]',  '[3,4]',   '[5,6]',   '-'],
  ['0-12 months: 1-2; 13-24 months: 3-4',            '[1,2]',    '[1,2]',  '[1,2]',   '[3,4]',   '-'],
  ['<2 weeks: 1-2; 2 weeks and older: 3-4',          '[1,2]',    '[3,4]',  '[3,4]',   '[3,4]',   '[3,4]'],
  ['6 months - 2 years: 1-2; >=3 years: 3-4',        '-',        '-',      '[1,2]',   '[1,2]',   '[3,4]'],
  ['Newborn: 1-2; Adult: 3-4',                       '[1,2]',    '[1,2]',  '-',       '-',       '[3,4]'],
])('of %s takes the part of the infant', (printed, ...wanted) => {
  const read = (ageYears: number, ageMonths: number, ageDays: number) => interval(parseReferenceRange(printed, { ageYears, ageMonths, ageDays }));
  expect([read(0, 0, 10), read(0, 0, 20), read(0, 8, 245), read(1, 18, 550), read(40, 480, 14_610)]).toEqual(wanted);
});

// prettier-ignore
it.each([
  ['<1:20',       '[,20)'],
  ['1:20-1:80',   '[20,80]'],
  ['< OR = 1:40', '[,40]'],
])('knows the dilutions of %s from numbers', (printed, wanted) => {
  const range = parseReferenceRange(printed);
  expect([interval(range), range.isTiter]).toEqual([wanted, true]);
});

// prettier-ignore
it.each([
  // printed         value  above  below
  ['1-10',           10,    false, false],
  ['1-10',           1,     false, false],
  ['1-10',           10.1,  true,  false],
  ['-2.5-2.5',       -3,    false, true],
  ['<5.7',           5.7,   true,  false],
  ['<5.7',           5.6,   false, false],
  ['< OR = 9.9',     9.9,   false, false],
  ['<= 9.9',         10,    true,  false],
  ['> OR = 2',       2,     false, false],
  ['>59',            59,    false, true],
  ['>59',            60,    false, false],
  ['0.0-0.0',        0,     false, false],
  ['(1.0, 2.0]',     1,     false, true],
  ['Not detected',   1,     null,  null],
] as const)('by %s, %d is above: %s, below: %s', (printed, value, above, below) => {
  const range = parseReferenceRange(printed);
  expect([range.isAbove(value), range.isBelow(value)]).toEqual([above, below]);
});

it('has words where there are no bounds', () => {
  expect(parseReferenceRange('Not detected').words).toBe('Not detected');
  expect(parseReferenceRange('1-10').words).toBeNull();
  expect(parseReferenceRange(null)).toMatchObject({ min: null, max: null, words: null });
});

describe('what is printed is what is read', () => {
  const number = fc
    .tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.integer({ min: 0, max: 3 }))
    .map(([digits, decimals]) => (digits / 10 ** decimals).toFixed(decimals));
  const LOW = ['', '>= ', '> OR = ', '≥', '>', 'greater than '];
  const HIGH = ['', '<= ', '< OR = ', '≤', '<', 'less than '];
  const isOutside = (sign: string) => /^(?:[<>]|(?:greater|less) than )$/.test(sign);

  it('of two bounds', () => {
    const drawn = fc.record({
      numbers: fc.tuple(number, number),
      low: fc.constantFrom(...LOW),
      high: fc.constantFrom(...HIGH),
      between: fc.constantFrom('-', ' - ', ' – ', ' to '),
      unit: fc.constantFrom('', ' mg/dL', ' %', ' K/uL', ' [IU]/mL'),
    });
    fc.assert(
      fc.property(drawn, ({ numbers, low, high, between, unit }) => {
        const [min = '', max = ''] = numbers.toSorted((a, b) => Number(a) - Number(b));
        const range = parseReferenceRange(`${low}${min}${between}${high}${max}${unit}`);
        expect(range).toMatchObject({ min: Number(min), max: Number(max) });
        expect([range.minInside, range.maxInside]).toEqual([!isOutside(low), !isOutside(high)]);
      }),
      { numRuns: 1000 },
    );
  });

  it('of one bound', () => {
    const signs = [...LOW, ...HIGH].filter((sign) => sign !== '');
    fc.assert(
      fc.property(number, fc.constantFrom(...signs), (printed, sign) => {
        const range = parseReferenceRange(sign + printed);
        const [bound, inside, open] = /[>≥]|greater/.test(sign)
          ? [range.min, range.minInside, range.max]
          : [range.max, range.maxInside, range.min];
        expect([bound, inside, open]).toEqual([Number(printed), !isOutside(sign), null]);
      }),
      { numRuns: 1000 },
    );
  });

  it('and no text breaks it', () => {
    const words = fc.constantFrom(
      '1',
      '10',
      '-',
      '–',
      '<',
      '>=',
      'OR',
      '=',
      'M:',
      'F:',
      '(',
      ']',
      ',',
      ';',
      'to',
      'mg/dL',
      'Normal:',
      '18 y:',
      'see',
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(words, { maxLength: 12 }).map((parts) => parts.join(' ')),
    );
    fc.assert(
      fc.property(text, fc.integer({ min: -20, max: 20 }), (printed, value) => {
        const range = parseReferenceRange(printed, { gender: 'male', ageYears: 30 });
        expect(range.min ?? -Infinity).toBeLessThanOrEqual(range.max ?? Infinity);
        expect(range.isAbove(value)).toBe(isAbove(range, value));
        expect(
          isAbove(range, value) === true && isBelow(range, value) === true && range.min !== range.max,
        ).toBe(false);
      }),
      { numRuns: 3000 },
    );
  });

  it('nor does a long one take more time than its length', () => {
    const parts = [
      '1',
      '1 ',
      '- ',
      '<',
      'M: ',
      'Male Female ',
      '18 y ',
      '1,',
      '(',
      'or = ',
      '1-',
      'adult male ',
    ];
    const grown = measureGrowth(2000, (size) => {
      for (const part of parts) parseReferenceRange(part.repeat(size), { gender: 'male', ageYears: 30 });
    });
    expect(grown).toBeLessThan(LINEAR_MAX);
  });
});
