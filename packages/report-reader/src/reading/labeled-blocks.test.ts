import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const found = (lines: readonly string[]) =>
  readReport([pageOf(lines)]).results.map((line) => [
    line.testName,
    line.printedValue,
    line.unit,
    line.referenceRange,
    line.flag,
  ]);

describe('blocks with a label for each field', () => {
  // prettier-ignore
  const PAGES: readonly (readonly [about: string, lines: readonly string[], expected: readonly unknown[]])[] = [
    ['a blank before the colon, two labels in a line', [
      'Analyse : Ferritine',
      'Résultat : 18 µg/L      Valeurs de référence : 30 - 300 µg/L',
      'Interprétation : carence martiale probable',
      '',
      'Analyse : Ag HBs',
      'Résultat : Négatif      Valeurs de référence : Négatif',
    ], [
      ['Ferritine', '18', 'µg/L', '30 - 300', null],
      ['Ag HBs', 'Négatif', null, 'Négatif', null],
    ]],
    ['each in a line of its own', [
      'Test Name: Hemoglobin',
      'Result: 11.2',
      'Units: g/dL',
      'Reference Range: 12.0 - 15.5',
      'Flag: Low',
      '',
      'Test Name: Platelet count',
      'Result: 250000',
      'Units: /uL',
      'Reference Range: 150000 - 450000',
    ], [
      ['Hemoglobin', '11.2', 'g/dL', '12.0 - 15.5', 'Low'],
      ['Platelet count', '250000', '/uL', '150000 - 450000', null],
    ]],
    ['the method in brackets behind the name', [
      'Bilirubina totale            (Met. diazo)',
      'Valore: 0,8 mg/dL            Riferimento: 0,2 - 1,2',
      'HBsAg                        (Met. CLIA)',
      'Valore: Negativo             Riferimento: Negativo',
    ], [
      ['Bilirubina totale', '0,8', 'mg/dL', '0,2 - 1,2', null],
      ['HBsAg', 'Negativo', null, 'Negativo', null],
    ]],
    ['the range beside the name, the amount below', [
      'GLUCOSA                                      [ 70 - 110 mg/dl ]',
      '       98 mg/dl',
      'CREATININA                                   [ 0.6 - 1.2 mg/dl ]',
      '   *   1.5 mg/dl',
    ], [
      ['GLUCOSA', '98', 'mg/dl', '70 - 110', null],
      ['CREATININA', '1.5', 'mg/dl', '0.6 - 1.2', '*'],
    ]],
    ['"N" before what is normal', [
      'Hématies              4,52  T/L',
      '                      N : 4,00 - 5,40',
      'Toxoplasmose IgG      Positif',
      '                      N : Négatif',
    ], [
      ['Hématies', '4,52', 'T/L', '4,00 - 5,40', null],
      ['Toxoplasmose IgG', 'Positif', null, 'Négatif', null],
    ]],
    ['today and an earlier day', [
      'CREATININE                       (Serum, Jaffe)',
      '  Today            1.02  mg/dL',
      '  12/01/2025       0.98  mg/dL',
      '  Reference        0.70 - 1.30',
      'UREA                             (Serum, Urease)',
      '  Today            38    mg/dL',
      '  12/01/2025       35    mg/dL',
      '  Reference        15 - 45',
    ], [
      ['CREATININE', '1.02', 'mg/dL', '0.70 - 1.30', null],
      ['UREA', '38', 'mg/dL', '15 - 45', null],
    ]],
    ['"Your result" without a colon below a name and how it is seen', [
      'CHOLESTEROL                          HIGH',
      'Your result      6.2 mmol/L',
      'Healthy range    less than 5.0 mmol/L',
      '',
      'CHLAMYDIA TRACHOMATIS                NORMAL',
      'Your result      Not detected',
      'Healthy range    Not detected',
    ], [
      ['CHOLESTEROL', '6.2', 'mmol/L', 'less than 5.0', 'HIGH'],
      ['CHLAMYDIA TRACHOMATIS', 'Not detected', null, 'Not detected', 'NORMAL'],
    ]],
    ['"Value" and "Range" between names and what they are of', [
      'Sodio                  Valore        139 mmol/L',
      '                       Intervallo    136 - 145',
      'HBsAg                  Valore        Negativo',
      '                       Intervallo    Negativo',
    ], [
      ['Sodio', '139', 'mmol/L', '136 - 145', null],
      ['HBsAg', 'Negativo', null, 'Negativo', null],
    ]],
    ['the day of processing below the name', [
      'GLUCOSA',
      'Fecha de proceso: 12/03/2025',
      'Resultado: 98 mg/dL',
      'Valores de referencia: 70 - 110',
      '',
      'UREA',
      'Fecha de proceso: 12/03/2025',
      '31 mg/dL',
      'Valores de referencia: 15 - 45',
    ], [
      ['GLUCOSA', '98', 'mg/dL', '70 - 110', null],
      ['UREA', '31', 'mg/dL', '15 - 45', null],
    ]],
    ['an amount below a bound under a name that nobody knows', [
      'Faecal immunochemical test',
      '< 4 ug/g',
      'Normal range: less than 10 ug/g',
    ], [['Faecal immunochemical test', '< 4', 'ug/g', 'less than 10', null]]],
  ];

  it.each(PAGES)('%s', (_, lines, expected) => {
    expect(found(lines)).toEqual(expected);
  });
});

describe('a target value', () => {
  it('is not a result of a letter', () => {
    const lines = found([
      'Labor: Hb 12,1 g/dl, Leukozyten 8,9 /nl, Kreatinin 1,4 mg/dl, Kalium 4,9 mmol/l, CRP 12 mg/l.',
      'Zielwert LDL < 55 mg/dl.',
    ]);
    expect(lines.map(([name]) => name)).toEqual(['Hb', 'Leukozyten', 'Kreatinin', 'Kalium', 'CRP']);
  });
});
