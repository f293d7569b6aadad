import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const read = (...lines: string[]) => readReport([pageOf(lines)]).results;
const found = (...lines: string[]) =>
  read(...lines).map((line) => [line.testName, line.printedValue, line.unit, line.referenceRange]);

describe('a label of sample, method or day within the row of a result', () => {
  // prettier-ignore
  const ROWS: readonly (readonly [row: string, expected: readonly string[]])[] = [
    ['Creatinina Tipo de muestra: Suero 0.9 mg/dL 0.6 - 1.2',             ['Creatinina', '0.9', 'mg/dL', '0.6 - 1.2']],
    ['Creatinina Tipo de muestra: Suero      0.9     mg/dL     0.6 - 1.2', ['Creatinina', '0.9', 'mg/dL', '0.6 - 1.2']],
    ['Glucosa   Muestra: Suero   92 mg/dL   70 - 100',                    ['Glucosa', '92', 'mg/dL', '70 - 100']],
    ['Glucosa      92 mg/dL   70 - 100    Muestra: Suero',                ['Glucosa', '92', 'mg/dL', '70 - 100']],
    ['Glucosa (Muestra: suero, Método: Hexoquinasa)  92 mg/dL  70 - 100', ['Glucosa', '92', 'mg/dL', '70 - 100']],
    ['Ferritina Amostra: Soro 120 ng/mL 30 a 400',                        ['Ferritina', '120', 'ng/mL', '30 a 400']],
    ['Glicose Material: Soro Método: Hexoquinase 92 mg/dL 70 a 99',       ['Glicose', '92', 'mg/dL', '70 a 99']],
    ['Kreatinin Probe: Serum 0,9 mg/dl 0,6 - 1,2',                        ['Kreatinin', '0,9', 'mg/dl', '0,6 - 1,2']],
    ['Kreatinin (Material: Serum) 0,9 mg/dl 0,6 - 1,2',                   ['Kreatinin', '0,9', 'mg/dl', '0,6 - 1,2']],
    ['TSH Methode: ECLIA 1,8 mU/l 0,4 - 4,0',                             ['TSH', '1,8', 'mU/l', '0,4 - 4,0']],
    ['Créatinine Nature du prélèvement: Sérum  72 µmol/L  60 - 110',      ['Créatinine', '72', 'µmol/L', '60 - 110']],
    ['Sodium      140 mmol/L    136 - 145    Échantillon : Sérum',        ['Sodium', '140', 'mmol/L', '136 - 145']],
    ['Creatinina Tipo campione: Siero  0,9 mg/dL  0,6 - 1,2',             ['Creatinina', '0,9', 'mg/dL', '0,6 - 1,2']],
    ['Sodio Materiale: Siero     140     mmol/L     136 - 145',           ['Sodio', '140', 'mmol/L', '136 - 145']],
    ['Sodium   140 mmol/L   Specimen: Serum   135 - 145',                 ['Sodium', '140', 'mmol/L', '135 - 145']],
    ['Specimen: Serum   Sodium   140   mmol/L   135 - 145',               ['Sodium', '140', 'mmol/L', '135 - 145']],
    ['eGFR Method: CKD-EPI 2021 95 mL/min >60',                           ['eGFR', '95', 'mL/min', '>60']],
    ['Sodium Date: 03/04/2024 140 mmol/L 135 - 145',                      ['Sodium', '140', 'mmol/L', '135 - 145']],
    ['Sodium Code: 2951-2 140 mmol/L 135 - 145',                          ['Sodium', '140', 'mmol/L', '135 - 145']],
  ];

  it.each(ROWS)('is no part of its name, value and range: %s', (row, expected) => {
    expect(found(row)).toEqual([expected]);
  });

  it('says what the sample and the method are', () => {
    const rows = [
      'Proteína Tipo de muestra: Orina 8 mg/dL 0 - 14',
      'Glicose Material: Soro Método: Hexoquinase 92 mg/dL 70 a 99',
      'TSH      1,8 mU/l     0,4 - 4,0     Methode: ECLIA',
    ];
    expect(read(...rows).map(({ specimen, method }) => [specimen, method])).toEqual([
      ['urine', null],
      ['serum_plasma_blood', 'Hexoquinase'],
      [null, 'ECLIA'],
    ]);
  });

  it('leaves the amount of a cutoff and of a note what it is', () => {
    expect(
      found(
        'Sodium            140 mmol/L     135 - 145',
        'Amphetamines      Negative       Cutoff: 500 ng/mL',
        'Note: a glucose of 100 mg/dL or more is impaired 100 - 125',
      ),
    ).toEqual([
      ['Sodium', '140', 'mmol/L', '135 - 145'],
      ['Amphetamines', 'Negative', null, null],
    ]);
  });
});
