import { describe, expect, it } from 'vitest';
import { pageOf } from '../../../test/lab-reports/page-of.ts';
import { readReport } from './read.ts';

/** Lines that stand half a line apart, as the cells of a row do whose middles are in one line. */
const found = (...lines: string[]) =>
  readReport([pageOf(lines, 1, { step: 7 })]).results.map((line) => [
    line.testName,
    line.printedValue,
    line.unit,
    line.referenceRange,
  ]);
const HEAD = ['Exame                   Resultado        Valores de referência', '', ''];

describe('a cell of two lines beside the middle of its row', () => {
  it('gives a finding to its own name, and not to the one above', () => {
    expect(
      found(
        ...HEAD,
        'Zika IgM                Reagente         Não reagente',
        '',
        '                        Não',
        'Zika IgG                                 Não reagente',
        '                        reagente',
      ),
    ).toEqual([
      ['Zika IgM', 'Reagente', null, 'Não reagente'],
      ['Zika IgG', 'Não reagente', null, 'Não reagente'],
    ]);
  });

  it('finds the unit, and the name that has two lines as well', () => {
    expect(
      found(
        ...HEAD,
        'Sódio                   141 mmol/L       136 a 145',
        '',
        'Taxa de filtração           mL/min/1,73',
        '                        91               > 60',
        'estimada                    m²',
        '',
        'Potássio                4,2 mmol/L       3,5 a 5,1',
      ),
    ).toEqual([
      ['Sódio', '141', 'mmol/L', '136 a 145'],
      ['Taxa de filtração estimada', '91', 'mL/min/1,73 m²', '> 60'],
      ['Potássio', '4,2', 'mmol/L', '3,5 a 5,1'],
    ]);
  });

  it('leaves alone two findings that stand above each other', () => {
    expect(
      found(
        ...HEAD,
        'Zika IgM                Reagente         Não reagente',
        '',
        'Zika IgG                Não reagente     Não reagente',
      ),
    ).toEqual([
      ['Zika IgM', 'Reagente', null, 'Não reagente'],
      ['Zika IgG', 'Não reagente', null, 'Não reagente'],
    ]);
  });

  it('has doubts where two findings that exclude each other became one', () => {
    const [line] = readReport([
      pageOf(['Exame             Resultado', 'Zika IgM          Reagente', '                  Não reagente']),
    ]).results;
    expect(line?.reviewReasons).toContain('unclear_columns');
  });
});
