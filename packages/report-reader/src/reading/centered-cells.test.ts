import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

/** Lines half a line apart, as in a row with vertically centered cells. */
const found = (...lines: string[]) =>
  readReport([pageOf(lines, 1, { step: 7 })]).results.map((line) => [
    line.testName,
    line.printedValue,
    line.unit,
    line.referenceRange,
  ]);
const HEAD = ['Exame                   Resultado        Valores de referência', '', ''];

describe('a two-line cell centered on its row', () => {
  it('assigns a finding to its own name, not to the one above', () => {
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

  it('reads the unit and a two-line name', () => {
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

  it('does not join two stacked findings', () => {
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

  it('marks contradicting findings that were joined', () => {
    const [line] = readReport([
      pageOf(['Exame             Resultado', 'Zika IgM          Reagente', '                  Não reagente']),
    ]).results;
    expect(line?.reviewReasons).toContain('unclear_columns');
  });
});
