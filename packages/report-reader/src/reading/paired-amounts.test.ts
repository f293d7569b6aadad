import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const found = (...lines: string[]) =>
  readReport([pageOf(lines)]).results.map((line) => [
    line.testName,
    line.printedValue,
    line.unit,
    line.referenceRange,
    line.flagLevel,
  ]);

describe('two amounts in one row', () => {
  it('assigns two trailing ranges to share and count in order', () => {
    expect(
      found(
        'Hemácias                     3,42 milhões/µL    3,80 a 5,20 milhões/µL',
        'Hemoglobina                  11,4 g/dL          11,7 a 15,7 g/dL',
        'Leucócitos                  4.300 /µL      3.600 a 11.000 /µL',
        'Bastonetes         1 %         43 /µL      0 a 5 %         0 a 550 /µL',
        'Segmentados       52 %      2.236 /µL      40 a 70 %       1.500 a 7.000 /µL',
        'Linfócitos        34 %      1.462 /µL      20 a 50 %       1.000 a 4.500 /µL',
        'Monócitos          8 %        344 /µL      2 a 12 %        100 a 1.000 /µL',
      ),
    ).toEqual([
      ['Hemácias', '3,42', 'milhões/µL', '3,80 a 5,20', null],
      ['Hemoglobina', '11,4', 'g/dL', '11,7 a 15,7', null],
      ['Leucócitos', '4.300', '/µL', '3.600 a 11.000', null],
      ['Bastonetes', '1', '%', '0 a 5', null],
      ['Bastonetes', '43', '/µL', '0 a 550', null],
      ['Segmentados', '52', '%', '40 a 70', null],
      ['Segmentados', '2.236', '/µL', '1.500 a 7.000', null],
      ['Linfócitos', '34', '%', '20 a 50', null],
      ['Linfócitos', '1.462', '/µL', '1.000 a 4.500', null],
      ['Monócitos', '8', '%', '2 a 12', null],
      ['Monócitos', '344', '/µL', '100 a 1.000', null],
    ]);
  });

  it('uses the count when the name says absolute', () => {
    expect(
      found(
        'Test                 Result                  Units       Reference Range',
        'Neutrophils Abs      52.1 %      3.55        x10^9/L     1.60 - 6.98',
        'Lymphocytes Abs      34.8 %      2.37        x10^9/L     1.40 - 4.20',
      ),
    ).toEqual([
      ['Neutrophils Abs', '3.55', 'x10^9/L', '1.60 - 6.98', null],
      ['Lymphocytes Abs', '2.37', 'x10^9/L', '1.40 - 4.20', null],
    ]);
  });
});

describe('a count next to its share', () => {
  // prettier-ignore
  const LINES: readonly (readonly [about: string, line: string, amounts: readonly (readonly unknown[])[]])[] = [
    ['the count alone has a range',        'Neutrófilos      62,0 %    4.030 /mm3    1.800 - 7.700',          [['4.030', '/mm3', '1.800 - 7.700', null]]],
    ['so it has of nothing',               'Basófilos         0 %          0 /mm3        0 - 100 /mm3',       [['0', '/mm3', '0 - 100', null]]],
    ['the flag is of both',                'Neutrófilos      75,0 % *  8.880 /mm3    1.800 - 7.500',          [['8.880', '/mm3', '1.800 - 7.500', 'high']]],
    ['a word says that it is the same',    'Neutrófilos      72,4 % soit   8,40 G/L      (1,80 à 7,50)',      [['8,40', 'G/L', '1,80 à 7,50', null]]],
    ['the count stands first',             'Neutrófilos      4.030 /mm3    1.800 - 7.700    62,0 %',          [['4.030', '/mm3', '1.800 - 7.700', null]]],
    ['both have ranges',                   'Neutrófilos      62,0 %    40 - 70    4.030 /mm3    1.800 - 7.700', [['62,0', '%', '40 - 70', null], ['4.030', '/mm3', '1.800 - 7.700', null]]],
    ['the share alone has a range',        'Neutrófilos      62,0 %    40 - 70    4.030 /mm3',                [['62,0', '%', '40 - 70', null], ['4.030', '/mm3', null, null]]],
    ['so it has behind both',              'Neutrófilos      62,0 %    4.030 /mm3    40 - 70 %',              [['62,0', '%', '40 - 70', null], ['4.030', '/mm3', null, null]]],
    ['neither has a range',                'Neutrófilos      62,0 %    4.030 /mm3',                           [['62,0', '%', null, null], ['4.030', '/mm3', null, null]]],
  ];

  it.each(LINES)('%s: %s', (_, line, expected) => {
    const [, ...rows] = found('Hemoglobina      11,4 g/dL      12,0 - 16,0', line);
    const name = line.split(' ')[0];
    expect(rows).toEqual(expected.map((amount) => [name, ...amount]));
  });
});

describe('one amount in two units', () => {
  it('is one result even with its method in between', () => {
    expect(
      found(
        'Glycémie à jeun                 0,91 g/L         0,70 à 1,05',
        'Plasma fluoré - Hexokinase',
        '                          soit  5,05 mmol/L      3,89 à 5,83',
        'Créatinine                      7,2 mg/L         5,0 à 9,0',
        'Méthode enzymatique',
        '                          soit  63,6 µmol/L      44,2 à 79,6',
        'CRP                             1,2 mg/L         0,0 à 5,0',
      ),
    ).toEqual([
      ['Glycémie à jeun', '0,91', 'g/L', '0,70 à 1,05', null],
      ['Créatinine', '7,2', 'mg/L', '5,0 à 9,0', null],
      ['CRP', '1,2', 'mg/L', '0,0 à 5,0', null],
    ]);
  });
});
