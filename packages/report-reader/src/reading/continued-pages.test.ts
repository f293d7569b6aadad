import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const HEAD = 'Test             Result      Units     Reference Range';
const ABOVE = ['Calcium          2.4         mmol/L    2.1-2.6'];
const BELOW = [
  'Potassium        4.1         mmol/L    3.5-5.1',
  'Chloride         101         mmol/L    95-110',
];

const rangesOf = (...pages: readonly (readonly string[])[]) =>
  readReport(pages.map((lines, at) => pageOf(lines, at + 1))).results.map(
    ({ testName, referenceRange, reviewReasons }) => [testName, referenceRange, reviewReasons.length > 0],
  );
const UNCHANGED = [
  ['Potassium', '3.5-5.1', false],
  ['Chloride', '95-110', false],
];

describe('a range that continues on the next page', () => {
  // prettier-ignore
  const BROKEN: readonly (readonly [about: string, end: readonly string[], begin: readonly string[], range: string])[] = [
    ['as a whole', ['Ferritin         86          ng/mL'], ['                                       15-150'], '15-150'],
    ['after its dash', ['Ferritin         86          ng/mL     15 -'], ['                                       150'], '15 - 150'],
    ['after "to"', ['Ferritin         86          ng/mL     15 to'], ['                                       150 ng/mL'], '15 to 150'],
    ['with its second line', ['Ferritin         86          ng/mL     Male: 30-400'], ['                                       Female: 15-150'], 'Male: 30-400; Female: 15-150'],
    ['with two lines', ['Progesterone     8.6         ng/mL     Follicular: 0.1-0.9'], ['                                       Luteal: 1.8-24.0', '                                       Postmenopausal: 0.0-0.8'], 'Follicular: 0.1-0.9; Luteal: 1.8-24.0; Postmenopausal: 0.0-0.8'],
  ];

  it.each(BROKEN)('belongs to its result %s', (_about, end, begin, range) => {
    const name = end[0]?.split(' ')[0];
    const expected = [['Calcium', '2.1-2.6', false], [name, range, false], ...UNCHANGED];
    expect(rangesOf([HEAD, ...ABOVE, ...end], [HEAD, ...begin, ...BELOW])).toEqual(expected);
    expect(rangesOf([HEAD, ...ABOVE, ...end], [...begin, ...BELOW])).toEqual(expected);
  });

  it('is found between footer and header', () => {
    const lines = rangesOf(
      [HEAD, ...ABOVE, 'Ferritin         86          ng/mL     15 -', '', '', '', 'Page 1 of 2'],
      [
        'Ann Marsh                        Page 2 of 2',
        '',
        HEAD,
        '                                       150',
        ...BELOW,
      ],
    );
    expect(lines[1]).toEqual(['Ferritin', '15 - 150', false]);
    expect(lines.slice(2)).toEqual(UNCHANGED);
  });

  it('chooses the one of the patient', () => {
    const patient = 'Paciente: Ana Marsh      Sexo: Mujer';
    const { results } = readReport([
      pageOf([
        patient,
        'Análisis             Resultado    Unidades     Valores de referencia',
        'Ferritina            22           ng/mL        Hombres: 30 - 400',
      ]),
      pageOf(
        [
          '                                               Mujeres: 15 - 150',
          'Potasio              4,1          mmol/L       3,5 - 5,1',
        ],
        2,
      ),
    ]);
    expect(results).toMatchObject([
      { testName: 'Ferritina', min: 15, max: 150, interpretation: 'normal' },
      { testName: 'Potasio', min: 3.5, max: 5.1, interpretation: 'normal' },
    ]);
  });

  it('may stand behind a label in a report without a table', () => {
    const lines = rangesOf(
      ['FERRITIN', 'Result: 86 ng/mL'],
      ['Reference values: 15 - 150', 'SODIUM', 'Result: 140 mmol/L', 'Reference values: 136 - 145'],
    );
    expect(lines).toEqual([
      ['FERRITIN', '15 - 150', false],
      ['SODIUM', '136 - 145', false],
    ]);
  });

  it('keeps the place of what is on the page of its result', () => {
    const [, ferritin] = readReport([
      pageOf([HEAD, ...ABOVE, 'Ferritin         86          ng/mL     15 -']),
      pageOf([HEAD, '                                       150', ...BELOW], 2),
    ]).results;
    expect(ferritin?.boxes.range).toMatchObject({ x0: 254, x1: 278, y0: 48, y1: 58 });
  });
});

describe('a name that continues on the next page', () => {
  it('belongs to the result above, not to the one below', () => {
    const lines = rangesOf(
      [HEAD, ...ABOVE, 'Alkaline         101         U/L       30-120'],
      [HEAD, 'phosphatase', ...BELOW],
    );
    expect(lines).toEqual([
      ['Calcium', '2.1-2.6', false],
      ['Alkaline phosphatase', '30-120', false],
      ...UNCHANGED,
    ]);
  });
});

describe('a range at the top of a page', () => {
  it('belongs to the result that it is centered on', () => {
    const lines = rangesOf(
      [HEAD, ...ABOVE, 'Sodium           140         mmol/L    Adult: 136-145'],
      [
        HEAD,
        '                                       Male: 13-17',
        'Haemoglobin      14          g/dL      Female: 12-16',
        '                                       Child: 11-15',
        '',
        ...BELOW,
      ],
    );
    expect(lines.slice(1)).toEqual([
      ['Sodium', 'Adult: 136-145', false],
      ['Haemoglobin', 'Male: 13-17; Female: 12-16; Child: 11-15', false],
      ...UNCHANGED,
    ]);
  });

  it.each(['15-150', 'Female: 15-150'])(
    'is in doubt if the results on both sides have their own: %s',
    (range) => {
      const lines = rangesOf(
        [HEAD, ...ABOVE, 'Ferritin         86          ng/mL     15-150'],
        [HEAD, `                                       ${range}`, ...BELOW],
      );
      expect(lines[2]?.[2]).toBe(true);
    },
  );
});

describe('a range in two lines of one page', () => {
  // prettier-ignore
  const CELLS: readonly (readonly [first: string, second: string, range: string])[] = [
    ['15 -',          '150',          '15 - 150'],
    ['15 –',          '150 ng/mL',    '15 – 150'],
    ['Adults: 15.0 -', '150.0',       'Adults: 15.0 - 150.0'],
    ['(15',           '- 150)',       '15 - 150'],
    ['<',             '150',          '< 150'],
    ['less than',     '150',          'less than 150'],
  ];

  it.each(CELLS)('is one interval: %s | %s', (first, second, range) => {
    const [, ferritin] = readReport([
      pageOf([
        HEAD,
        ...ABOVE,
        `Ferritin         86          ng/mL     ${first}`,
        `                                       ${second}`,
        ...BELOW,
      ]),
    ]).results;
    expect(ferritin).toMatchObject({ referenceRange: range, max: 150, interpretation: 'normal', flag: null });
  });
});

describe('a name alone at the end of a page', () => {
  // prettier-ignore
  const PAGES: readonly (readonly [about: string, end: string, begin: readonly string[], names: readonly string[]])[] = [
    ['with its value on the next page', 'Chloride', ['                 101         mmol/L    95-110'], ['Calcium', 'Chloride']],
    ['of two words', 'Alkaline phosphatase', ['                 101         U/L       40-129'], ['Calcium', 'Alkaline phosphatase']],
    ['without a value', 'Alkaline phosphatase', ['Chloride         101         mmol/L    95-110'], ['Calcium', 'Chloride']],
  ];

  it.each(PAGES)('does not continue the only result above it: %s', (_about, end, begin, names) => {
    const read = (...pages: (readonly string[])[]) =>
      readReport(pages.map((lines, at) => pageOf(lines, at + 1))).results.map(({ testName }) => testName);
    expect(read([HEAD, ...ABOVE, end], [HEAD, ...begin])).toEqual(names);
    expect(read([HEAD, ...ABOVE, end])).toEqual(['Calcium']);
  });
});
