import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const read = (...lines: string[]) => readReport([pageOf(lines)]).results;
const found = (...lines: string[]) =>
  read(...lines).map((line) => [line.testName, line.printedValue, line.unit, line.referenceRange]);

describe('a row with the form of a result', () => {
  it('is in doubt, and not lost, if it does not fit its columns', () => {
    const [first, second] = read(
      'Prueba                Resultado     Unidades     Valores de referencia',
      'Creatinina Tipo de muestra: Suero      0.9     mg/dL     0.6 - 1.2',
      'Glucosa Tipo de muestra: Suero      92     mg/dL     70 - 100',
    );
    expect(first).toMatchObject({
      testName: 'Creatinina',
      printedValue: '0.9',
      unit: 'mg/dL',
      referenceRange: '0.6 - 1.2',
      reviewReasons: expect.arrayContaining(['unclear_columns']),
    });
    expect(second).toMatchObject({ testName: 'Glucosa', printedValue: '92', reviewReasons: [] });
  });

  it.each([
    'Target of glucose in patients like you 92 mg/dL 70-99',
    'In patients with diabetes a glucose of 130 mg/dL 80-130 is recommended',
  ])('is none if it is a sentence or a target: %s', (row) => {
    expect(found('Sodium      140 mmol/L     135 - 145', row)).toEqual([
      ['Sodium', '140', 'mmol/L', '135 - 145'],
    ]);
  });
});

describe('several results in one row', () => {
  it('are read one by one, though no column repeats often enough', () => {
    expect(
      found(
        'Natrium (Serum)     140 mmol/l   135 - 145    Kalium (Serum)    4,2 mmol/l   3,5 - 5,1',
        'Chlorid (Serum)     101 mmol/l   98 - 107     Calcium (Serum)   2,4 mmol/l   2,1 - 2,6',
      ),
    ).toEqual([
      ['Natrium (Serum)', '140', 'mmol/l', '135 - 145'],
      ['Kalium (Serum)', '4,2', 'mmol/l', '3,5 - 5,1'],
      ['Chlorid (Serum)', '101', 'mmol/l', '98 - 107'],
      ['Calcium (Serum)', '2,4', 'mmol/l', '2,1 - 2,6'],
    ]);
  });

  it('are separate at semicolons, each with its flag', () => {
    const lines = read(
      'Sodium 140 mmol/L [135-145]; Potassium 6.9 mmol/L [3.5-5.1] H; Chloride 101 mmol/L [98-107]',
    );
    expect(
      lines.map((line) => [line.testName, line.printedValue, line.referenceRange, line.flagLevel]),
    ).toEqual([
      ['Sodium', '140', '135-145', null],
      ['Potassium', '6.9', '3.5-5.1', 'high'],
      ['Chloride', '101', '98-107', null],
    ]);
  });

  it('may touch their colons', () => {
    expect(found('Sodium:140 mmol/L (135-145)', 'Potassium:4.1 mmol/L (3.5-5.1)')).toEqual([
      ['Sodium', '140', 'mmol/L', '135-145'],
      ['Potassium', '4.1', 'mmol/L', '3.5-5.1'],
    ]);
  });
});
