import { describe, expect, it } from 'vitest';
import { pageOf } from '../../../test/lab-reports/page-of.ts';
import { readReport } from './read.ts';

const valuesOf = (...lines: string[]) =>
  readReport([pageOf(lines)]).results.map((line) => [line.testName, line.printedValue]);

const RESULTS = [
  'Sodium                                 138    mmol/L     (135-145)',
  'Potassium                              4.1    mmol/L     (3.5-5.2)',
  'Chloride                               101    mmol/L     (95-110)',
  'Urea                                   5.9    mmol/L     (3.0-8.5)',
  'Creatinine                              81    umol/L     (60-110)',
];
const VALUES = [
  ['Sodium', '138'],
  ['Potassium', '4.1'],
  ['Chloride', '101'],
  ['Urea', '5.9'],
  ['Creatinine', '81'],
];

describe('a line of dates above a table that has no head', () => {
  // prettier-ignore
  const LINES: readonly (readonly [about: string, lines: readonly string[]])[] = [
    ['labelled, above notes with a word of headings', [
      'Collected : 04/12/2024 08:50            Reported : 05/12/2024 13:31',
      'Clinical notes : abnormal LFTs',
    ]],
    ['labelled without blanks', [
      'Collected: 04/12/2024            Result: 05/12/2024',
    ]],
    ['without colons, which only what is lost below can tell', [
      'Collected   04/12/2024   Abnormal   Received   05/12/2024',
    ]],
    ['as columns of a table have them, with nothing below them', [
      'Visits     Value     04/12/2024     Code     05/12/2024',
    ]],
  ];

  it.each(LINES)('loses no result: %s', (_, lines) => {
    expect(valuesOf(...lines, '', ...RESULTS)).toEqual(VALUES);
  });

  it('is the head of one where results stand below it', () => {
    expect(
      valuesOf(
        'Visits                   04/12/2024        05/12/2024',
        'Sodium                   138               140',
        'Potassium                4.1               4.4',
        'Chloride                 101               103',
      ),
    ).toEqual([
      ['Sodium', '140'],
      ['Potassium', '4.4'],
      ['Chloride', '103'],
    ]);
  });

  it('has no result of this time where all below are earlier ones', () => {
    expect(
      valuesOf(
        'Test                     05/12/2024        04/12/2024',
        'Sodium                                     138 mmol/L',
        'Potassium                                  4.1 mmol/L',
        'Chloride                                   101 mmol/L',
      ),
    ).toEqual([]);
  });
});
