import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const found = (lines: readonly string[]) =>
  readReport([pageOf(lines)]).results.map((line) => [
    line.testName,
    line.printedValue,
    line.unit,
    line.referenceRange,
  ]);

describe('names with letters, colons and numbers in them', () => {
  it('are whole', () => {
    const lines = found([
      'Hépatite C: Ac                        Négatif',
      'HIV 1 et 2 - antigène et anticorps    Négatif',
      'Hepatitis B core antibody             Negative',
      'Vitamine D - 25 hydroxy               27,3  ng/mL     > 20',
    ]);
    expect(lines.map(([name, value]) => [name, value])).toEqual([
      ['Hépatite C: Ac', 'Négatif'],
      ['HIV 1 et 2 - antigène et anticorps', 'Négatif'],
      ['Hepatitis B core antibody', 'Negative'],
      ['Vitamine D - 25 hydroxy', '27,3'],
    ]);
  });

  it('may begin below their test title, in lower case and indented', () => {
    const page = pageOf([
      'PRUEBA                             RESULTADO      VALORES DE REFERENCIA',
      'GLUCEMIA    Método: Hexoquinasa',
      '  Glucosa                          121  mg/dl     70 - 110',
      '',
      'UREA    Método: Ureasa',
      '  Urea                             39   mg/dl     10 - 50',
    ]);
    const words = page.words.map((word) =>
      /^(?:Método:|Hexoq|Ureasa)/u.test(word.text) ? { ...word, fontSize: 7 } : word,
    );
    const names = readReport([{ ...page, words }]).results.map(({ testName }) => testName);
    expect(names).toEqual(['Glucosa', 'Urea']);
  });

  it('may be a unit elsewhere', () => {
    const lines = found(['CRP <5 mg/l (<5)', 'INR 2,3', 'Faktor-V-Leiden               heterozygot']);
    expect(lines.map(([name, value]) => [name, value])).toEqual([
      ['CRP', '<5'],
      ['INR', '2,3'],
      ['Faktor-V-Leiden', 'heterozygot'],
    ]);
    const table = found([
      'Test                     Result        Reference',
      'TP - INR                 1,03          0,9 - 1,2',
      'pH, urine                6.1           4.5 - 9.0',
    ]);
    expect(table).toEqual([
      ['TP - INR', '1,03', null, '0,9 - 1,2'],
      ['pH, urine', '6.1', null, '4.5 - 9.0'],
    ]);
  });

  it('continue below their result if a bracket is open', () => {
    const lines = found([
      'Thyroid stimulating hormone (third       1.82    mIU/L',
      'generation), serum',
      '                             Reference: 0.45 to 4.50',
      'Free thyroxine (FT4), serum              14.9    pmol/L',
      '                             Reference: 10.0 to 20.0',
    ]);
    expect(lines).toEqual([
      ['Thyroid stimulating hormone (third generation), serum', '1.82', 'mIU/L', '0.45 to 4.50'],
      ['Free thyroxine (FT4), serum', '14.9', 'pmol/L', '10.0 to 20.0'],
    ]);
  });

  it('do not continue in the heading of the next section', () => {
    const lines = readReport([
      pageOf([
        'TEST                                         RESULT',
        'Blood film comment                           Hypochromia, target cells',
        'INFECTION',
        'Malaria antigen test                         Negative',
      ]),
    ]).results;
    expect(lines.map(({ testName, panel }) => [testName, panel])).toEqual([
      ['Blood film comment', null],
      ['Malaria antigen test', 'INFECTION'],
    ]);
  });
});
