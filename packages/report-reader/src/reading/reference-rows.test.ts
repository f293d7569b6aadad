import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const WEEKS = ['3 semanas               5 a 71', '4 semanas               10 a 750'];

// prettier-ignore
const BLOCKS: readonly (readonly [story: string, lines: readonly string[], expected: readonly (readonly [name: string, value: string, unit: string | null, min: number | null, max: number | null])[]])[] = [
  ['material and method in two rows',
    ['GLICOSE', 'Material: Soro', 'Metodo: Enzimatico', 'RESULTADO: 92 mg/dL', 'Valores de referencia: 70 a 99 mg/dL'],
    [['GLICOSE', '92', 'mg/dL', 70, 99]]],
  ['two blocks with a range by sex',
    ['GLUCOSA', 'Muestra: Suero', 'Metodo: Hexoquinasa', 'RESULTADO: 92 mg/dL', 'Valores de referencia: 70 - 100 mg/dL', '', 'CREATININA', 'Muestra: Suero', 'Metodo: Jaffe', 'RESULTADO: 0,90 mg/dL', 'Valores de referencia:', 'Hombres: 0,70 - 1,20', 'Mujeres: 0,50 - 0,90'],
    [['GLUCOSA', '92', 'mg/dL', 70, 100], ['CREATININA', '0,90', 'mg/dL', null, null]]],
  ['dots after the labels and results in a column',
    ['UREIA', 'Material.: Soro', 'Metodo...: Cinetico UV', 'RESULTADO:                31 mg/dL', 'Valores de referencia:    15 a 45 mg/dL'],
    [['UREIA', '31', 'mg/dL', 15, 45]]],
  ['the result below its label, and a table of weeks with headings',
    ['BETA HCG', 'Material: Soro', 'Metodo: Quimioluminescencia', 'RESULTADO', '15.230 mUI/mL', 'Valores de referencia', 'Semanas    Intervalo', '3          5 - 72', '4          10 - 708'],
    [['BETA HCG', '15.230', 'mUI/mL', null, null]]],
  ['weeks of pregnancy in a column of their own',
    ['BETA HCG', 'Material: Soro', 'Metodo: Quimioluminescencia', 'RESULTADO: 12.450,0 mUI/mL', 'Valores de referencia:', 'Semanas de gestacao     mUI/mL', ...WEEKS],
    [['BETA HCG', '12.450,0', 'mUI/mL', null, null]]],
  ['"not pregnant" above the weeks',
    ['BETA HCG', 'Material: Soro', 'RESULTADO: 12.450,0 mUI/mL', 'Valores de referencia:', 'Nao gravidas: inferior a 5,0 mUI/mL', 'Gravidas:', ...WEEKS],
    [['BETA HCG', '12.450,0', 'mUI/mL', null, null]]],
  ['a date and a device between title and result',
    ['BETA HCG', 'Material: Soro', 'Metodo: Quimioluminescencia', 'Coleta: 12/03/2024', '', 'RESULTADO......: 5.210,0 mUI/mL', 'Valores de referencia', 'Mulheres nao gravidas          < 5,0', 'Semana 3                       5 - 71'],
    [['BETA HCG', '5.210,0', 'mUI/mL', null, null]]],
  ['a table of weeks without a range label',
    ['BETA HCG', 'Muestra: Suero', 'RESULTADO: 15.230 mUI/mL', 'Semanas de embarazo     Valores (mUI/mL)', '3                       5 - 72', '4                       10 - 708'],
    [['BETA HCG', '15.230', 'mUI/mL', null, null]]],
  ['trimesters below the range of adults',
    ['TSH', 'Material: Soro', 'Metodo: Quimioluminescencia', 'RESULTADO: 2,35 uUI/mL', 'Valores de referencia:', 'Adultos: 0,40 a 4,30 uUI/mL', 'Gestantes', '1o trimestre: 0,10 a 2,50', '2o trimestre: 0,20 a 3,00', '', 'PROGESTERONA', 'Material: Soro', 'Metodo: Quimioluminescencia', 'RESULTADO: 12,4 ng/mL'],
    [['TSH', '2,35', 'uUI/mL', 0.4, 4.3], ['PROGESTERONA', '12,4', 'ng/mL', null, null]]],
];

describe('a block of analyte, material, method and "RESULTADO"', () => {
  it.each(BLOCKS)('gives its line with %s', (_story, lines, expected) => {
    const { results } = readReport([pageOf(lines)]);
    expect(
      results.map(({ testName, printedValue, unit, min, max }) => [testName, printedValue, unit, min, max]),
    ).toEqual(expected);
  });

  it('keeps the printed weeks as its range, each with its interval', () => {
    const [, lines] = BLOCKS[4] ?? ['', []];
    expect(readReport([pageOf(lines)]).results.map(({ referenceRange }) => referenceRange)).toEqual([
      'Semanas de gestacao mUI/mL 3 semanas 5 a 71; 4 semanas 10 a 750',
    ]);
  });
});
