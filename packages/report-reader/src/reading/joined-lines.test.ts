import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';
import type { ReportWord } from './report-model.ts';

const close = (...lines: string[]) => readReport([pageOf(lines, 1, { step: 11 })]).results;
const read = (...lines: string[]) => readReport([pageOf(lines)]).results;
const found = (...lines: string[]) =>
  read(...lines).map((line) => [line.testName, line.printedValue, line.unit, line.referenceRange]);
const HEAD = 'Test             Result      Units     Reference Range';

describe('text below a result', () => {
  it.each(['Repeat testing on another sample', 'Befund vereinbar mit alter Infektion'])(
    'adds no sentence to a complete finding: %s',
    (sentence) => {
      expect(
        close(
          HEAD,
          'Anti-XYZ         negative              negative',
          `          ${sentence}`,
          'TSH              1.2         mU/L      0.4-4.0',
        ),
      ).toMatchObject([{ printedValue: 'negative', referenceRange: 'negative' }, { testName: 'TSH' }]);
    },
  );

  it('does not take a bound in a sentence for a line of the range above', () => {
    expect(
      close(
        'Test             Flag   Result      Reference Range - Units',
        'Ferritin         A      18                      > 30 ug/L',
        '           Depletion is likely when it is below 30 ug/L.',
        'TSH                     1.62             0.32 - 4.00 mU/L',
      )[0],
    ).toMatchObject({ referenceRange: '> 30', min: 30 });
  });
});

describe('flags', () => {
  it('may follow a finding of several words', () => {
    expect(read(HEAD, 'Bence Jones      positive (kappa) +     negative')).toMatchObject([
      { printedValue: 'positive (kappa)', flag: '+' },
    ]);
  });

  it('keeps pluses with the words they grade', () => {
    expect(read(HEAD, 'Smear            trophozoites ++')).toMatchObject([
      { printedValue: 'trophozoites ++', flag: null },
    ]);
  });

  it('is not the end of a unit', () => {
    expect(
      read(
        'Prueba                  Resultado                   Valores de referencia',
        'Recuento total          13,8 x10⁶/eyaculado BAJO    ≥ 39',
        'Recuperado total        1,9 x10⁶ BAJO               > 3',
      ),
    ).toMatchObject([
      { unit: 'x10⁶/eyaculado', flag: 'BAJO' },
      { unit: 'x10⁶', flag: 'BAJO' },
    ]);
  });

  it('is a minus in its column if the value is below its range', () => {
    expect(
      read(
        'Test           Flag  Result   Units   Reference Range',
        'Creatinine     +     1.31     mg/dl   0.50 - 0.90',
        'Urea           +     58       mg/dl   17 - 43',
        'Potassium      +     5.3      mmol/l  3.5 - 5.1',
        'Haemoglobin    −     10.7     g/dl    12.0 - 15.6',
        'Sodium         −     140      mmol/l  136 - 145',
      ).map(({ flag, flagLevel }) => [flag, flagLevel]),
    ).toEqual([
      ['+', 'high'],
      ['+', 'high'],
      ['+', 'high'],
      ['−', 'low'],
      [null, null],
    ]);
  });
});

describe('a star in brackets', () => {
  const TABLE = 'Examen           Resultado          Unidad     Valor de referencia';

  it('is a flag if the value is outside its range', () => {
    expect(
      read(
        TABLE,
        'Aspecto          Turbio [ * ]                  Claro',
        'Leucocitos       14,92 [ * ]        10^3/uL    4,50 - 11,00',
      ).map(({ flag, flagLevel, interpretation }) => [flag, flagLevel, interpretation]),
    ).toEqual([
      ['[*]', 'abnormal', 'abnormal'],
      ['[*]', 'high', 'abnormal'],
    ]);
  });
});

describe('units', () => {
  it.each(['log cps/mL', 'mg/g Krea', 'vol. fr.', 'x10⁶'])('is whole: %s', (unit) => {
    expect(found(HEAD, `Something        12.5        ${unit}        9.1 - 14.0`)).toEqual([
      ['Something', '12.5', unit, '9.1 - 14.0'],
    ]);
  });
});

describe('ranges', () => {
  it('may begin above the row of its result', () => {
    expect(
      readReport([
        {
          ...pageOf([]),
          words: [
            ...pageOf([HEAD, 'Lipase           44          U/L       13 - 60']).words,
            ...pageOf(
              [
                '                                       < 0.5 : Low risk',
                'Procalcitonin    0.07        ng/mL     0.5 - 2.0 : Moderate risk',
                '                                       > 2.0 : High risk',
              ],
              1,
              { step: 10 },
            ).words.map((word) => ({
              ...word,
              box: { ...word.box, y0: word.box.y0 + 32, y1: word.box.y1 + 32 },
            })),
          ],
        },
      ]).results.map(({ referenceRange }) => referenceRange),
    ).toEqual(['13 - 60', '< 0.5 : Low risk; 0.5 - 2.0 : Moderate risk; > 2.0 : High risk']);
  });

  it('may have graded bounds after colons, line by line', () => {
    expect(
      read(
        'Esame            Esito       U.M.      Valori di riferimento',
        'Anti-XY IgG      112         U/mL      inf. a 20: negativo',
        '                                       20 - 25: dubbio',
        '                                       sup. a 25: positivo',
      ),
    ).toMatchObject([
      { referenceRange: 'inf. a 20: negativo; 20 - 25: dubbio; sup. a 25: positivo', max: 20 },
    ]);
  });

  it('ends at a gap between words', () => {
    expect(
      found(
        'Esame            Esito       U.M.      Valori di riferimento',
        'Componente M     2,3         g/dL      assente          Alb a1 a2 gamma',
        'S-IgG            2.890       mg/dL     700 - 1.600',
      )[0],
    ).toEqual(['Componente M', '2,3', 'g/dL', 'assente']);
  });

  it.each(['Non-diabetic', 'No diabético', 'Nicht diabetisch'])(
    'is the one for healthy people: %s',
    (label) => {
      expect(
        read(
          'Test             Result      Units     Reference Range',
          `HbA1c            7.1         %         ${label}: 4.0 - 5.6`,
          '                                       Prediabetes: 5.7 - 6.4',
          '                                       Diabetes: > 6.5',
        ),
      ).toMatchObject([{ min: 4, max: 5.6, isAboveMax: true }]);
    },
  );
});

it('recognizes every word for band cells', () => {
  for (const bands of ['Neutrófilos en cayado', 'Baciliformes', 'Neutrophils, Band'])
    expect(
      read(
        'Prueba                   Resultado   Unidades   Valores de referencia',
        `${bands.padEnd(25)}6           %          0 - 5`,
        'Segmentados              60          %          50 - 70',
        'Linfocitos               25          %          20 - 40',
        'Monocitos                5           %          2 - 8',
        'Eosinófilos              3           %          1 - 4',
        'Basófilos                1           %          0 - 1',
      ).flatMap(({ reviewReasons }) => reviewReasons),
    ).not.toContain('differential_not_near_100');
});

it('types a reactive result as boolean', () => {
  expect(
    read(
      'Exame            Resultado          Valores de referência',
      'Anticorpos IgM   Reagente           Não reagente',
      'Anticorpos IgG   Não reagente       Não reagente',
    ).map(({ type }) => type),
  ).toEqual(['boolean', 'boolean']);
});

it('does not join a heading to a name that begins with a lower-case code', () => {
  expect(
    close(
      'Allergen                          Ergebnis   Einheit   Referenzbereich',
      'Inhalationsallergene saisonal',
      ' g6 Lieschgras                    3,1        kU/l      < 0,35',
      ' t3 Birke                         0,1        kU/l      < 0,35',
      'Nahrungsmittelallergene (spez. IgE)',
      ' f1 Ei                            0,2        kU/l      < 0,35',
      ' f2 Milch                         0,1        kU/l      < 0,35',
    ).map(({ testName }) => testName),
  ).toEqual(['g6 Lieschgras', 't3 Birke', 'f1 Ei', 'f2 Milch']);
});

it('joins dates in a two-line heading with the other headings, even on a skewed page', () => {
  const page = pageOf([
    'Component                 Ref Range & Units             ',
    '',
    'Sodium                    135 - 145 mmol/L              148       143',
    'Potassium                 3.5 - 5.1 mmol/L              3.4       3.9',
    'Chloride                  98 - 107 mmol/L               109       105',
    'Collected: 11/3/25',
  ]);
  const above = pageOf(['                                                        11/3/25   11/2/25']);
  const below = pageOf(['                                                        0548      1731']);
  const moved = (words: readonly ReportWord[], x: number, y: number) =>
    words.map((word) => ({
      ...word,
      box: { x0: word.box.x0 + x, x1: word.box.x1 + x, y0: word.box.y0 + y, y1: word.box.y1 + y },
    }));
  const words = [...page.words, ...moved(above.words, 0.2, -4.6), ...moved(below.words, 0, 4.9)];
  const { results } = readReport([{ ...page, words }]);
  expect(results.map(({ printedValue, reviewReasons }) => [printedValue, reviewReasons])).toEqual([
    ['148', []],
    ['3.4', []],
    ['109', []],
  ]);
});
