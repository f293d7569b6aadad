import { expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const read = (value: string, range: string) =>
  readReport([
    pageOf([
      'Test             Result                 Units     Reference Range',
      `HDL              ${value.padEnd(22)} mg/dL     ${range}`,
    ]),
  ]).results;

// prettier-ignore
it.each([
  'Superior a 40', 'Mayor de 40', 'más de 40', 'Greater than 40', 'more than 40', 'above 40', 'Über 40', 'größer als 40',
  'supérieur à 40', 'plus de 40', 'superiore a 40', 'maggiore di 40', 'acima de 40', 'maior que 40', '> 40',
])('is above an exclusive bound: %s', (range) => {
  expect(read('40', range)).toMatchObject([{ referenceRange: range, min: 40, openBounds: ['min'], interpretation: 'abnormal', isBelowMin: true }]);
  expect(read('41', range)).toMatchObject([{ interpretation: 'normal' }]);
});

// prettier-ignore
it.each([
  'Superior o igual a 40', 'Mayor o igual a 40', 'mayor o igual que 40', 'Igual o superior a 40', 'al menos 40', 'Greater than or equal to 40',
  'Greater or equal to 40', 'more than or equal to 40', 'at least 40', '40 or more', 'größer oder gleich 40', 'größer gleich 40', 'mindestens 40',
  'supérieur ou égal à 40', 'maggiore o uguale a 40', 'superiore o uguale a 40', 'maior ou igual a 40', '>= 40',
])('is within an inclusive bound: %s', (range) => {
  expect(read('40', range)).toMatchObject([{ referenceRange: range, min: 40, openBounds: [], interpretation: 'normal' }]);
  expect(read('39', range)).toMatchObject([{ interpretation: 'abnormal' }]);
});

// prettier-ignore
it.each(['Inferior a 40', 'menor de 40', 'less than 40', 'below 40', 'unter 40', 'kleiner als 40', 'inférieur à 40', 'minore di 40', 'abaixo de 40'])(
  'is below an exclusive bound: %s',
  (range) => {
    expect(read('40', range)).toMatchObject([{ max: 40, openBounds: ['max'], interpretation: 'abnormal', isAboveMax: true }]);
    expect(read('39', range)).toMatchObject([{ interpretation: 'normal' }]);
  },
);

// prettier-ignore
it.each(['hasta 40', 'menor o igual a 40', 'up to 40', 'not more than 40', 'less than or equal to 40', 'bis 40', 'kleiner oder gleich 40', "jusqu'à 40", 'minore o uguale a 40', 'até 40'])(
  'is within an inclusive upper bound: %s',
  (range) => {
    expect(read('40', range)).toMatchObject([{ max: 40, openBounds: [], interpretation: 'normal' }]);
    expect(read('41', range)).toMatchObject([{ interpretation: 'abnormal' }]);
  },
);

it.each([
  ['Superior a 40', '>'],
  ['Mayor o igual a 40', '>='],
  ['Inferior a 40', '<'],
  ['Menor o igual a 40', '<='],
])('is also the comparator of a value: %s', (value, comparator) => {
  expect(read(value, '35 - 60')).toMatchObject([{ value: 40, comparator }]);
});
