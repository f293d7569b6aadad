import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const DIFFERENTIAL = [
  'Bastonetes                 1          65         0 a 500',
  'Segmentados                54         3.510      1.700 a 7.000',
  'Linfocitos                 35         2.275      900 a 2.900',
  'Monocitos                  10         650        300 a 900',
];

describe('a differential with units only in its headings', () => {
  it('has its units below a heading that spans both columns', () => {
    const { results } = readReport([
      pageOf([
        'Exame                      Resultado             Valores de referencia',
        '                           %          /mm3',
        ...DIFFERENTIAL,
      ]),
    ]);
    expect(
      results.map(({ testName, printedValue, unit, max }) => [testName, printedValue, unit, max]),
    ).toEqual([
      ['Bastonetes', '65', '/mm3', 500],
      ['Segmentados', '3.510', '/mm3', 7000],
      ['Linfocitos', '2.275', '/mm3', 2900],
      ['Monocitos', '650', '/mm3', 900],
    ]);
  });
});

describe('numbers with three decimals in a report without a count', () => {
  it('are not thousands, though some end in two zeros', () => {
    const { results } = readReport([
      pageOf([
        'Test                 Result      Units      Reference',
        'Potassium            4.213       mmol/L     3.500 - 5.100',
        'Sodium               140         mmol/L     135 - 145',
      ]),
    ]);
    expect(results.map(({ value, min, max }) => [value, min, max])).toEqual([
      [4.213, 3.5, 5.1],
      [140, 135, 145],
    ]);
  });
});

describe('a number with an exponent', () => {
  it('is compared with its range', () => {
    const { results } = readReport([
      pageOf([
        'Test                 Result        Units     Reference',
        'HBV DNA              2.45E+03      IU/mL     <10',
        'HCV RNA              <1.5E+01      IU/mL     <15',
      ]),
    ]);
    expect(results.map(({ value, isAboveMax }) => [value, isAboveMax])).toEqual([
      [2450, true],
      [15, false],
    ]);
  });
});

describe('a range whose classes are named behind their bounds', () => {
  it('has the bounds of the class that is negative', () => {
    const { results } = readReport([
      pageOf([
        'Test                 Result      Units     Reference',
        'EBV VCA IgM          <36.0       U/mL      <36.0 Negative; 36.0-43.9 Equivocal; >43.9 Positive',
      ]),
    ]);
    expect(results.map(({ min, max, isBelowMin }) => [min, max, isBelowMin])).toEqual([[null, 36, null]]);
  });
});
