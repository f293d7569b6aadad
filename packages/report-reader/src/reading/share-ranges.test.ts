import { expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';
import { findRangeOwner } from './share-ranges.ts';

const readLines = (lines: readonly string[]) =>
  readReport([pageOf(lines)]).results.map(({ testName, printedValue, unit, referenceRange }) =>
    [testName, printedValue, unit ?? '', referenceRange ?? ''].join(' | '),
  );

it('reads a differential with units as headings, followed by the count ranges', () => {
  const lines = [
    'Hematócrito ................    47,1 %                  39,0 a 50,0',
    'VCM ........................    87,5 fL                 81,0 a 95,0',
    'LEUCOGRAMA',
    '                                  %        /mm3         Valores de referência (/mm3)',
    'Leucócitos .................  100,0       3.400         3.500 a 10.500',
    'Bastonetes .................    1,0          34         0 a 840',
    'Segmentados ................   42,0       1.428         1.700 a 7.000',
    'Linfócitos atípicos ........    2,0          68         0',
    'PLAQUETAS',
    'Plaquetas ..................     118.000 /mm³           150.000 a 450.000',
  ];
  expect(readLines(lines)).toEqual([
    'Hematócrito | 47,1 | % | 39,0 a 50,0',
    'VCM | 87,5 | fL | 81,0 a 95,0',
    'Leucócitos | 3.400 | /mm3 | 3.500 a 10.500',
    'Bastonetes | 34 | /mm3 | 0 a 840',
    'Segmentados | 1.428 | /mm3 | 1.700 a 7.000',
    'Linfócitos atípicos | 68 | /mm3 | 0',
    'Plaquetas | 118.000 | /mm³ | 150.000 a 450.000',
  ]);
});

it('reads ranges of share and count, and of the share alone', () => {
  const both = [
    'LEUCOGRAMA                        %       /mm3       Valores de referência',
    'Leucócitos                                6.400                        4.000 a 10.000',
    'Bastonetes                        1,0        64       0 a 5            0 a 500',
    'Segmentados                      52,0     3.328       40 a 70          1.700 a 7.000',
    'Linfócitos                       38,0     2.432       20 a 50          900 a 2.900',
  ];
  expect(readLines(both)).toEqual([
    'Leucócitos | 6.400 | /mm3 | 4.000 a 10.000',
    'Bastonetes | 1,0 | % | 0 a 5',
    'Bastonetes | 64 | /mm3 | 0 a 500',
    'Segmentados | 52,0 | % | 40 a 70',
    'Segmentados | 3.328 | /mm3 | 1.700 a 7.000',
    'Linfócitos | 38,0 | % | 20 a 50',
    'Linfócitos | 2.432 | /mm3 | 900 a 2.900',
  ]);
  const share = [
    '                           Relativo (%)   Absoluto (/mm3)    Valores de referência',
    'Leucócitos                                  6.400            4.000 a 10.000',
    'Segmentados                      52,0       3.328            40 a 70',
    'Linfócitos                       38,0       2.432            20 a 50',
  ];
  expect(readLines(share)).toEqual([
    'Leucócitos | 6.400 | /mm3 | 4.000 a 10.000',
    'Segmentados | 52,0 | % | 40 a 70',
    'Segmentados | 3.328 | /mm3 | ',
    'Linfócitos | 38,0 | % | 20 a 50',
    'Linfócitos | 2.432 | /mm3 | ',
  ]);
});

it.each([
  ['Anteil', ' %'],
  ['%', '  '],
])('assigns a range that only the count can have, across the share under %s', (heading, sign) => {
  const lines = [
    `Untersuchung         Ergebnis       Einheit   ${heading.padEnd(6)}   Referenzbereich`,
    'Leukozyten           7,84           Tsd/µl             4,0 - 10,5',
    `Neutrophile          4,71           Tsd/µl    60,1${sign}   1,8 - 7,5`,
    `Lymphozyten          2,06           Tsd/µl    26,3${sign}   1,0 - 4,0`,
    `Basophile            0,05           Tsd/µl    0,6${sign}    0,00 - 0,20`,
    'Hämatokrit           37,9           %                  36,0 - 46,0',
    'Thrombozyten         296            Tsd/µl             140 - 400',
  ];
  expect(readLines(lines)).toEqual([
    'Leukozyten | 7,84 | Tsd/µl | 4,0 - 10,5',
    'Neutrophile | 4,71 | Tsd/µl | 1,8 - 7,5',
    'Lymphozyten | 2,06 | Tsd/µl | 1,0 - 4,0',
    'Basophile | 0,05 | Tsd/µl | 0,00 - 0,20',
    'Hämatokrit | 37,9 | % | 36,0 - 46,0',
    'Thrombozyten | 296 | Tsd/µl | 140 - 400',
  ]);
});

it('assigns the range to the count after a share and "soit"', () => {
  const lines = [
    'Leucocytes                       7,20 G/L               4,0 - 10,0',
    'Polynucléaires neutrophiles      55,0 %  soit 3,96      1,8 - 7,5',
    'Lymphocytes                      35,0 %  soit 2,52      1,0 - 4,0',
  ];
  expect(readLines(lines).slice(1)).toEqual([
    'Polynucléaires neutrophiles | 3,96 |  | 1,8 - 7,5',
    'Lymphocytes | 2,52 |  | 1,0 - 4,0',
  ]);
});

it('marks a count range next to a share alone, and a range that may belong to both', () => {
  const { results } = readReport([
    pageOf([
      'Neutrophils            60.1 %                        1.8 - 7.5',
      'Lymphocytes            26.3 %                        20 - 45',
      'Eosinophils            3.0 %      0.2 10^9/L         0.0 - 1.5',
    ]),
  ]);
  expect(results.map(({ reviewReasons }) => reviewReasons.includes('unclear_columns'))).toEqual([
    true,
    false,
    true,
  ]);
});

it.each([
  ['Neutrophils', '1.8 - 7.5', '10^9/L', 'count'],
  ['Neutrophils', '40 - 74', '10^9/L', 'share'],
  ['Neutrophils', '1.800 - 7.500', '10^3/µL', 'count'],
  ['Segmentados', '1.700 a 7.000', '/mm³', 'count'],
  ['Segmentados', '40 a 70', '/mm³', 'share'],
  ['Basófilos', '0 a 2', '/mm³', 'share'],
  ['Basófilos', '0 a 50', '/mm³', 'count'],
  ['Monocytes', '2.6 - 3', 'G/L', undefined],
  ['Blasts', '0 - 1', 'G/L', undefined],
  ['Leucócitos', '4,0 - 10,0', undefined, 'count'],
])('%s %s next to a count in %s: %s', (name, range, unit, owner) => {
  expect(findRangeOwner(name, range, unit)).toBe(owner);
});
