import { expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

it('reads the ranges of all phases, each in its own row', () => {
  const { results } = readReport([
    pageOf(
      [
        'Sex: F',
        'Progesterone      8.1 nmol/L         Follicular 0.2 - 2.8',
        '                                     Mid-cycle 1.1 - 9.2',
        '                                     Luteal 5.3 - 86.0',
        '',
        'LH                6.4 IU/L           Follicular 2.4 - 12.6',
        '                                     Luteal 1.0 - 11.4',
        '',
        'TSH               2.15 mIU/L         0.27 - 4.20',
        '',
        'Prolactin         310 mIU/L          102 - 496',
      ],
      1,
      { step: 12 },
    ),
  ]);
  expect(
    results.map(({ testName, printedValue, referenceRange }) => [testName, printedValue, referenceRange]),
  ).toEqual([
    ['Progesterone', '8.1', 'Follicular 0.2 - 2.8; Mid-cycle 1.1 - 9.2; Luteal 5.3 - 86.0'],
    ['LH', '6.4', 'Follicular 2.4 - 12.6; Luteal 1.0 - 11.4'],
    ['TSH', '2.15', '0.27 - 4.20'],
    ['Prolactin', '310', '102 - 496'],
  ]);
  expect(
    results.map(({ isAboveMax, isBelowMin }) => isAboveMax === true || isBelowMin === true),
  ).not.toContain(true);
});

it('reads a range below its phase at the end of the result row', () => {
  const { results } = readReport([
    pageOf(
      [
        'TSH               3.11   mU/l    0.27-4.20',
        'FSH               6.9    U/l     Follikelphase',
        '                                 3.5-12.5',
        'LH                11.8   U/l     Follikelphase',
        '                                 2.4-12.6',
        'Prolaktin         312    mU/l    102-496',
      ],
      1,
      { step: 12 },
    ),
  ]);
  expect(results.map(({ testName, referenceRange }) => [testName, referenceRange])).toEqual([
    ['TSH', '0.27-4.20'],
    ['FSH', 'Follikelphase 3.5-12.5'],
    ['LH', 'Follikelphase 2.4-12.6'],
    ['Prolaktin', '102-496'],
  ]);
});
