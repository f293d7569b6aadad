import { describe, expect, it } from 'vitest';
import { pageOf } from '../../../test/lab-reports/page-of.ts';
import { readReport } from './read.ts';
import type { Page } from './word.ts';

const read = (page: Page) =>
  readReport([page]).results.map((line) => [
    line.testName,
    line.printedValue,
    line.unit,
    line.referenceRange,
  ]);

describe('a report with one test per block', () => {
  it('has its titles in smaller print than its results', () => {
    const page = pageOf([
      'UREIA',
      'Resultado:        38 mg/dL',
      '                              Valor de referência:',
      '                              15 a 45 mg/dL',
      'ALBUMINA',
      'Resultado:        4,1 g/dL',
      '                              Valor de referência:',
      '                              Masculino: até 5,2 g/dL',
      '                              Feminino: até 5,0 g/dL',
      'HEPATITE C, ANTICORPOS',
      'Resultado:        Não reagente',
      '                              Valor de referência:',
      '                              Não reagente',
    ]);
    const isTitle = (text: string) => /^\P{Ll}{4,}$/u.test(text);
    const rows = new Set(page.words.filter(({ text }) => isTitle(text)).map(({ box }) => box.y0));
    const words = page.words.map((word) =>
      rows.has(word.box.y0) || word.box.x0 > 190 ? { ...word, fontSize: 8.8 } : word,
    );
    expect(read({ ...page, words })).toEqual([
      ['UREIA', '38', 'mg/dL', '15 a 45'],
      ['ALBUMINA', '4,1', 'g/dL', 'Masculino: até 5,2 g/dL; Feminino: até 5,0 g/dL'],
      ['HEPATITE C, ANTICORPOS', 'Não reagente', null, 'Não reagente'],
    ]);
  });

  it('may have each range below its result, behind its label', () => {
    const lines = read(
      pageOf([
        '   Hemoglobina .......................  12,8 g/dl',
        '        V. de ref.: 13,0 - 17,0 g/dl',
        '   Plaquetas .........................  210.000 /mm3',
        '        V. de ref.: 150.000 - 400.000 /mm3',
        '   Glucemia ..........................  1,02 g/l',
        '        V. de ref.: 0,70 - 1,10 g/l',
        '        Método: enzimático',
        'PROTEINOGRAMA',
        '   Soporte: tiras de acetato. Densitometría.',
        '   Proteínas totales .................  7,2 g/dl',
        '        V. de ref.: 6,1 - 8,1 g/dl',
        '   Relación A/G ......................  1,10',
        '        V. de ref.: 1,20 - 2,20',
        '   Eritrosedimentación ...............  14 mm',
        '        V. de ref.: hasta 20 mm',
      ]),
    );
    expect(lines).toEqual([
      ['Hemoglobina', '12,8', 'g/dl', '13,0 - 17,0'],
      ['Plaquetas', '210.000', '/mm3', '150.000 - 400.000'],
      ['Glucemia', '1,02', 'g/l', '0,70 - 1,10'],
      ['Proteínas totales', '7,2', 'g/dl', '6,1 - 8,1'],
      ['Relación A/G', '1,10', null, '1,20 - 2,20'],
      ['Eritrosedimentación', '14', 'mm', 'hasta 20'],
    ]);
  });
});
