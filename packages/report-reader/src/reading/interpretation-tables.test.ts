import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const HEAD = 'Test             Result      Units     Reference Range';

const read = (...lines: string[]) =>
  readReport([pageOf(lines)]).results.map(({ testName, printedValue, referenceRange, panel, notes }) => ({
    testName,
    printedValue,
    referenceRange,
    panel,
    notes,
  }));

describe('a table that explains a result', () => {
  // prettier-ignore
  const TABLES: readonly (readonly [about: string, lines: readonly string[]])[] = [
    ['with a bar',                 ['Comment:', '70-100 mg/dL | Normal', '100-125 mg/dL | Prediabetes']],
    ['with a gap',                 ['Interpretation:', '70-100 mg/dL     Normal', '100-125 mg/dL    Prediabetes']],
    ['whose words come first',     ['Comment:', 'Deficient        < 20 ng/mL', 'Insufficient     20 - 29 ng/mL', 'Toxic            > 150 ng/mL']],
    ['with a title of its own',    ['Fasting glucose interpretation (ADA):', 'Normal           70-100 mg/dL', 'Prediabetes      100-125 mg/dL']],
    ['with headings',              ['Note: Fasting glucose', 'Range            Meaning', '70-100 mg/dL     Normal', '100-125 mg/dL    Prediabetes']],
    ['in the columns of the table', ['Comment: Glucose levels', '                 70-100 mg/dL       Normal', '                 100-125 mg/dL      Prediabetes']],
    ['without a colon',            ['Comments', '70-100 mg/dL     Normal', '100-125 mg/dL    Prediabetes']],
    ['for another test',           ['HbA1c            Interpretation', '< 5.7 %          Normal', '5.7 - 6.4 %      Prediabetes']],
  ];

  const ABOVE = ['Vitamin D        22          ng/mL     30-100', 'Glucose          112         mg/dL'];
  it.each(TABLES)('adds no result, range or panel: %s', (_about, table) => {
    const results = read(HEAD, ...ABOVE, ...table, 'Sodium           140         mmol/L    136-145');
    expect(results).toMatchObject([
      { testName: 'Vitamin D', printedValue: '22', referenceRange: '30-100', panel: null, notes: [] },
      { testName: 'Glucose', printedValue: '112', referenceRange: null, panel: null },
      { testName: 'Sodium', printedValue: '140', referenceRange: '136-145', panel: null, notes: [] },
    ]);
    expect(results[1]?.notes.at(-1)).toMatch(/Prediabetes|Toxic/);
  });

  it('is recognized in Spanish', () => {
    const results = read(
      'Análisis             Resultado    Unidades     Valores de referencia',
      'Glucosa              112          mg/dL        65 - 99',
      'Comentario:',
      '70-100 mg/dL         Normal',
      '100-125 mg/dL        Prediabetes',
      'Potasio              4,1          mmol/L       3,5 - 5,1',
    );
    expect(results.map(({ testName, referenceRange }) => [testName, referenceRange])).toEqual([
      ['Glucosa', '65 - 99'],
      ['Potasio', '3,5 - 5,1'],
    ]);
  });

  it('ends before the next result, with or without a range', () => {
    const results = read(
      HEAD,
      'Glucose          112         mg/dL     65-99',
      'Comment:',
      '70-100 mg/dL     Normal',
      'Xyz antibody     < 5         U/mL',
      'Sodium           140         mmol/L    136-145',
    );
    expect(results.map(({ testName, printedValue }) => [testName, printedValue])).toEqual([
      ['Glucose', '112'],
      ['Xyz antibody', '< 5'],
      ['Sodium', '140'],
    ]);
  });
});

describe('a table of ranges by week of pregnancy', () => {
  // prettier-ignore
  const TABLES: readonly (readonly [heading: string, lines: readonly string[]])[] = [
    ['Weeks of pregnancy    Range',      ['3                     5 - 71', '4                     10 - 750']],
    ['Weeks of pregnancy    Range',      ['3 weeks               5 - 71', '4 - 5 weeks           10 - 750']],
    ['Semanas               Intervalo',  ['3                     5 - 71', '4                     10 - 750']],
    ['Semanas de gestación      Intervalo mUI/mL', ['3 semanas                 5 - 71', '4 semanas                 10 - 750']],
  ];

  it.each(TABLES)('makes the result above doubtful and adds no other: %s', (heading, lines) => {
    const { results } = readReport([
      pageOf([
        HEAD,
        'Beta-HCG         5000        mIU/mL',
        heading,
        ...lines,
        'Sodium           140         mmol/L    136-145',
      ]),
    ]);
    expect(results).toMatchObject([
      {
        testName: 'Beta-HCG',
        printedValue: '5000',
        referenceRange: null,
        reviewReasons: ['unclear_columns'],
      },
      { testName: 'Sodium', printedValue: '140', referenceRange: '136-145', panel: null, reviewReasons: [] },
    ]);
    expect(results[0]?.notes.at(-1)).toMatch(/^4.*750$/);
  });
});
