import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const found = (lines: readonly string[]) =>
  readReport([pageOf(lines)]).results.map((line) => [line.testName, line.printedValue, line.unit, line.flag]);

const SMALL = ['LDL Small', '301', 'nmol/L', 'Above Range'];
const LARGE = ['HDL Large', '6800', 'nmol/L', 'In Range'];
const GROUP = ['ABO Group', 'A', null, 'In Range'];

describe('a portal that prints the status before the amount', () => {
  // prettier-ignore
  const PAGES: readonly (readonly [about: string, lines: readonly string[], expected: readonly unknown[]])[] = [
    ['in one line, with a range below', [
      'LDL Small', 'Above Range 301 nmol/L', 'Reference range: <142 nmol/L', '',
      'HDL Large', 'In Range 6800 nmol/L', 'Reference range: >6729 nmol/L',
    ], [SMALL, LARGE]],
    ['in one line, without a range', ['LDL Small', 'Above Range 301 nmol/L', '', 'HDL Large', 'In Range 6800 nmol/L'], [SMALL, LARGE]],
    ['in a line of its own above the amount', [
      'LDL Small', 'Above Range', '301 nmol/L', '', 'HDL Large', 'In Range', '6800 nmol/L',
    ], [SMALL, LARGE]],
    ['with badges', [
      'LDL Small          NEW', 'Above Range 301 nmol/L', 'Reference range: <142 nmol/L', '',
      'HDL Large          NEW', 'In Range 6800 nmol/L', 'Reference range: >6729 nmol/L',
    ], [SMALL, LARGE]],
    ['with counts of the section', [
      'Lipids', '1 Above Range   1 In Range', '',
      'LDL Small', 'Above Range 301 nmol/L', '', 'HDL Large', 'In Range 6800 nmol/L',
    ], [SMALL, LARGE]],
    ['two cards beside each other', [
      'LDL Small                               HDL Large',
      'Above Range 301 nmol/L                  In Range 6800 nmol/L',
      'Reference range: <142 nmol/L            Reference range: >6729 nmol/L',
    ], [SMALL, LARGE]],
    ['a blood group', [
      'ABO Group', 'In Range A', '', 'LDL Small', 'Above Range 301 nmol/L', '', 'HDL Large', 'In Range 6800 nmol/L',
    ], [GROUP, SMALL, LARGE]],
    ['a blood group below its status', ['ABO Group', 'In Range', 'A', '', 'HDL Large', 'In Range', '6800 nmol/L'], [GROUP, LARGE]],
    ['in the last column of a table', [
      'LDL Small         301   nmol/L     Above Range', 'HDL Large         6800  nmol/L     In Range',
    ], [SMALL, LARGE]],
  ];

  it.each(PAGES)('is read %s', (_about, lines, expected) => {
    expect(found(lines)).toEqual(expected);
  });
});

describe('a unit that wraps in the range column', () => {
  // prettier-ignore
  const UNITS: readonly (readonly [upper: string, lower: string, unit: string])[] = [
    ['3.8-10.8 Thousand/', 'uL', 'Thousand/uL'],
    ['3.80-5.10 Million/', 'uL', 'Million/uL'],
    ['1500-7800 cells/', 'uL', 'cells/uL'],
    ['3.4-10.8 x10E3/', 'uL', 'x10E3/uL'],
    ['3.8-10.8', 'Thousand/uL', 'Thousand/uL'],
    ['70-99 mg/', 'dL', 'mg/dL'],
    ['140 - 400 Thousand/', 'uL', 'Thousand/uL'],
    ['<150 mg/', 'dL', 'mg/dL'],
  ];

  it.each(UNITS)('is whole after %s and %s', (upper, lower, unit) => {
    const lines = readReport([
      pageOf([
        'Test                      Result      Reference Range',
        `FIRST ANALYTE             81          ${upper}`,
        `                                      ${lower}`,
        `SECOND ANALYTE            82          ${upper}`,
        `                                      ${lower}`,
      ]),
    ]).results;
    const range = /[<\d][\d.\s-]*\d/.exec(upper)?.[0];
    expect(lines.map((line) => [line.printedValue, line.unit, line.referenceRange])).toEqual([
      ['81', unit, range],
      ['82', unit, range],
    ]);
  });
});

it('doubts a unit that is cut, and does not take a heading for a result', () => {
  const { results } = readReport([
    pageOf([
      'TEST            OPTIMAL        BORDERLINE        HIGH RISK      UNITS',
      'hs-CRP                         2.1                              mg/L',
      '                <1.0           1.0-3.0           >3.0',
      'Test                      Result      Reference Range',
      'Sodium                    141         136-145 mmol/',
      '                                      L',
    ]),
  ]);
  expect(
    results.map(({ testName, printedValue, reviewReasons }) => [testName, printedValue, reviewReasons]),
  ).toEqual([
    ['hs-CRP', '2.1', []],
    ['Sodium', '141', ['unclear_columns']],
  ]);
});

describe('a value in one of three cells, with thresholds on the line below', () => {
  // prettier-ignore
  const CELLS: readonly (readonly [about: string, lines: readonly string[]])[] = [
    ['in the last cell', ['eGFR                                                 74            mL/min/1.73m2', '                      <30           30-60            >60']],
    ['in the first cell', ['eGFR                  74                                           mL/min/1.73m2', '                      <30           30-60            >60']],
    ['in the middle', ['eGFR                                74                             mL/min/1.73m2', '                      <30           30-60            >60']],
    ['with thresholds from high to low', ['eGFR                  74                                           mL/min/1.73m2', '                      >60           30-60            <30']],
    ['with words of both ends', ['eGFR                  74                                           mL/min/1.73m2', '                      >= 60         30 - 59          < 30']],
    ['with the name above', ['eGFR', '                                                     74            mL/min/1.73m2', '                      <30           30-60            >60']],
    ['with units behind the thresholds', ['eGFR                                                 74', '                      <30           30-60            >60            mL/min/1.73m2']],
    ['with the name beside the thresholds', ['                                                     74', 'eGFR                  <30           30-60            >60            mL/min/1.73m2']],
    ['with a line of words above', ['                      Low           Moderate         Optimal', 'eGFR                                                 74            mL/min/1.73m2', '                      <30           30-60            >60']],
  ];

  it.each(CELLS)('is read, doubted or left out %s', (_about, lines) => {
    const { results } = readReport([
      pageOf(['Creatinine            0.9           mg/dL            0.6-1.2', '', ...lines]),
    ]);
    const wrong = results.filter(
      ({ testName, printedValue, reviewReasons }) =>
        testName.startsWith('eGFR') && printedValue !== '74' && reviewReasons.length === 0,
    );
    expect(wrong.map(({ printedValue }) => printedValue)).toEqual([]);
  });
});
