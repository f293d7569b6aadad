import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const readLines = (lines: readonly string[], step = 14) =>
  readReport([pageOf(lines, 1, { step })]).results.map(({ testName, printedValue, referenceRange, flag }) =>
    [testName, printedValue, referenceRange ?? '', flag ?? ''].join(' | '),
  );

describe('findings next to other fields', () => {
  it('does not take the badge of a card for the finding below it', () => {
    const lines = [
      'Rubella IgG',
      '42 IU/mL',
      'Standard range: >9.9 IU/mL',
      '',
      'Syphilis Screen (CMIA)             Abnormal',
      'Reactive',
      'Standard range: Non-reactive',
    ];
    expect(readLines(lines)).toEqual([
      'Rubella IgG | 42 | >9.9 | ',
      'Syphilis Screen (CMIA) | Reactive | Non-reactive | Abnormal',
    ]);
  });

  it('reads a blood group and the rhesus factor below it as two results', () => {
    const head = 'Test                  Result       Units      Reference';
    const lines = ['ABO Group             B', 'Rh(D)                 Positive'];
    expect(readLines(lines)).toEqual(['ABO Group | B |  | ', 'Rh(D) | Positive |  | ']);
    expect(
      readLines([head, 'Sodium                140          mmol/L     135 - 145', '', ...lines], 12).slice(1),
    ).toEqual(['ABO Group | B |  | ', 'Rh(D) | Positive |  | ']);
  });

  it('does not take a letter of a name for a blood group', () => {
    expect(readLines(['Streptococcus group C     A'])).toEqual([]);
  });

  it('reads pluses before the expected word, with and without a flag', () => {
    const lines = [
      'Eiweiß                 negativ                negativ',
      'Leukozyten             ++                     negativ',
      'Erythrozyten           + A                    negativ',
    ];
    expect(readLines(lines)).toEqual([
      'Eiweiß | negativ | negativ | ',
      'Leukozyten | ++ | negativ | ',
      'Erythrozyten | + | negativ | A',
    ]);
    expect(
      readLines(['Untersuchung           Ergebnis               Referenzbereich', ...lines]).slice(1),
    ).toEqual(['Leukozyten | ++ | negativ | ', 'Erythrozyten | + | negativ | A']);
  });

  it('leaves a comment below a finding, even if it begins with a finding', () => {
    const lines = [
      'Rubéole IgG                 63 UI/mL             (Sup. à 10)',
      'Toxoplasmose IgM            Négatif              (Négatif)',
      "                            Absence d'immunité. Sérologie à contrôler chaque mois en cas de grossesse.",
    ];
    expect(readLines(lines)[1]).toBe('Toxoplasmose IgM | Négatif | Négatif | ');
  });

  it('reads an organism over two lines of its cell', () => {
    const lines = [
      'Test                          Result                              Flag      Reference          Units',
      'Hepatitis C Antibody          Non-Reactive                                  Non-Reactive',
      'Culture, Urine                10,000-49,000 CFU/mL Escherichia    A         No growth',
      '                              coli',
      'Hep B Surface Ab, Quant       <3.5                                L         >=12.0             mIU/mL',
    ];
    expect(readLines(lines)[1]).toBe(
      'Culture, Urine | 10,000-49,000 CFU/mL Escherichia coli | No growth | A',
    );
  });

  it('reads a color in two lines with its name next to the lower one', () => {
    const lines = [
      'Sodio                         140       mmol/L       136 - 145',
      '',
      'ESAME URINE',
      '',
      '                                  giallo',
      'Colore                        paglierino',
      'pH                                   5,5             5,0 - 7,0',
    ];
    expect(readLines(lines, 11)[1]).toBe('Colore | giallo paglierino |  | ');
  });

  it.each([
    [
      'Anti HCV            positivo (S/CO 9,4)       negativo',
      'Anti HCV | positivo (S/CO 9,4) | negativo | ',
    ],
    [
      'Anti HCV            positivo (9,4 S/CO)       negativo',
      'Anti HCV | positivo (9,4 S/CO) | negativo | ',
    ],
    [
      'Anti HIV            negative (index 0.1)      negative',
      'Anti HIV | negative (index 0.1) | negative | ',
    ],
  ])('reads the figure in brackets with its finding: %s', (line, read) => {
    expect(readLines([line])).toEqual([read]);
  });

  it('reads a bracketed finding after another one as the expected value', () => {
    expect(readLines(['• direct antiglobulin test: positive (C3d) (negative)'])).toEqual([
      'direct antiglobulin test | positive (C3d) | negative | ',
    ]);
  });

  it('reads a titer in its own row below its test', () => {
    const lines = [
      'FAN:                              Positivo              V.R.: Negativo',
      'Título:                           1/160',
      'Hoja:                             1/10',
    ];
    expect(readLines(lines)).toEqual(['FAN | Positivo | Negativo | ', 'Título | 1/160 |  | ']);
  });
});
