import { expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const read = (...lines: string[]) =>
  readReport([pageOf(lines)]).results.map(({ testName, printedValue, flag }) => [
    testName,
    printedValue,
    flag,
  ]);

it('reads two adjacent lists of a letter in order, without taking bullets for flags', () => {
  expect(
    read(
      'Full blood count                         Immunology',
      ' • haemoglobin 96 g/L (115-165)            • IgG 7.1 g/L (6.0-16.0)',
      ' • platelets 188 x10^9/L (150-400)         • IgA 0.9 g/L (0.8-4.0)',
      'Haematinics                                • paraprotein 5.2 g/L',
      ' • ferritin 111 ug/L (13-150)            Biochemistry',
      ' • serum B12 402 ng/L (197-771)            • creatinine 82 umol/L (45-84)',
      'Screen                                     • direct antiglobulin test positive (negative)',
    ),
  ).toEqual([
    ['haemoglobin', '96', null],
    ['platelets', '188', null],
    ['ferritin', '111', null],
    ['serum B12', '402', null],
    ['IgG', '7.1', null],
    ['IgA', '0.9', null],
    ['paraprotein', '5.2', null],
    ['creatinine', '82', null],
    ['direct antiglobulin test', 'positive', null],
  ]);
});

it('keeps a sign in its own column as a flag', () => {
  expect(
    read(
      '     Test                    Result      Units     Reference Range',
      '•    Haemoglobin             96          g/L       115 - 165',
      '     Platelets               188         10^9/L    150 - 400',
      '     Ferritin                211   •     ug/L      13 - 150',
    ),
  ).toEqual([
    ['Haemoglobin', '96', '•'],
    ['Platelets', '188', null],
    ['Ferritin', '211', '•'],
  ]);
});
