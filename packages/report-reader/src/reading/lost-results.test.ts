import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const valuesOf = (...lines: string[]) =>
  readReport([pageOf(lines)]).results.map((line) => [line.testName, line.printedValue]);

const RESULTS = [
  'Sodium                                 138    mmol/L     (135-145)',
  'Potassium                              4.1    mmol/L     (3.5-5.2)',
  'Chloride                               101    mmol/L     (95-110)',
  'Urea                                   5.9    mmol/L     (3.0-8.5)',
  'Creatinine                              81    umol/L     (60-110)',
];
const VALUES = [
  ['Sodium', '138'],
  ['Potassium', '4.1'],
  ['Chloride', '101'],
  ['Urea', '5.9'],
  ['Creatinine', '81'],
];

describe('a row of dates above a table without headings', () => {
  // prettier-ignore
  const LINES: readonly (readonly [about: string, lines: readonly string[]])[] = [
    ['labelled, above notes with a word of headings', [
      'Collected : 04/12/2024 08:50            Reported : 05/12/2024 13:31',
      'Clinical notes : abnormal LFTs',
    ]],
    ['labelled without blanks', [
      'Collected: 04/12/2024            Result: 05/12/2024',
    ]],
    ['without colons, which only what is lost below can tell', [
      'Collected   04/12/2024   Abnormal   Received   05/12/2024',
    ]],
    ['as columns of a table have them, with nothing below them', [
      'Visits     Value     04/12/2024     Code     05/12/2024',
    ]],
  ];

  it.each(LINES)('loses no result: %s', (_, lines) => {
    expect(valuesOf(...lines, '', ...RESULTS)).toEqual(VALUES);
  });

  it('is a heading if results are below it', () => {
    expect(
      valuesOf(
        'Visits                   04/12/2024        05/12/2024',
        'Sodium                   138               140',
        'Potassium                4.1               4.4',
        'Chloride                 101               103',
      ),
    ).toEqual([
      ['Sodium', '140'],
      ['Potassium', '4.4'],
      ['Chloride', '103'],
    ]);
  });

  it('has no current result if all below are previous ones', () => {
    expect(
      valuesOf(
        'Test                     05/12/2024        04/12/2024',
        'Sodium                                     138 mmol/L',
        'Potassium                                  4.1 mmol/L',
        'Chloride                                   101 mmol/L',
      ),
    ).toEqual([]);
  });
});

describe('headings over several lines above a table without a heading for its names', () => {
  it('has no name column at the first section title', () => {
    expect(
      valuesOf(
        '                                                     Antériorités',
        '                                     Valeurs usuelles   22/02/2024',
        '                    HÉMATOLOGIE',
        'Hématies             4,18 T/L       3,80 à 5,20        4,25',
        'Hémoglobine          11,6 g/dL      11,7 à 15,5        12,1',
        'Hématocrite          36,1 %         35,0 à 46,0        37,2',
        'Plaquettes           289 G/L        150 à 400          301',
      ),
    ).toEqual([
      ['Hématies', '4,18'],
      ['Hémoglobine', '11,6'],
      ['Hématocrite', '36,1'],
      ['Plaquettes', '289'],
    ]);
  });
});

describe('headings with one missing or misread', () => {
  // prettier-ignore
  const HEADS: readonly (readonly [about: string, head: string])[] = [
    ['none for the results, before the earlier ones',        'Analisi                                unità     intervallo       precedente'],
    ['none for the results, before an earlier day',          'Analisi                                unità     intervallo       12/02/2024'],
    ['none for the results, before a shortened word',        'Analisi                                unità     intervallo       Prec. 12/02/24'],
  ];

  it.each(HEADS)('never take a previous result for a current one: %s', (_, head) => {
    const { results } = readReport([
      pageOf([
        head,
        'Glicemia                     79        mg/dL     70 - 99          82',
        'Insulina                     6,4       µU/mL     2,6 - 24,9       7,1',
        'Colesterolo HDL              66        mg/dL     50 - 90          64',
        'Trigliceridi                 70        mg/dL     40 - 150         75',
      ]),
    ]);
    expect(results.map((line) => [line.testName, line.printedValue])).toEqual([
      ['Glicemia', '79'],
      ['Insulina', '6,4'],
      ['Colesterolo HDL', '66'],
      ['Trigliceridi', '70'],
    ]);
  });

  // prettier-ignore
  const ABOVE: readonly (readonly [line: string])[] = [
    ['Collected 12/03/2024      Reported 14/03/2024'],
    ['Date   12/03/2024         Time   10:30'],
    ['Prélevé le 12/03/2024     Édité le 14/03/2024'],
  ];

  it.each(ABOVE)('are not headings if they are sample dates: %s', (line) => {
    expect(
      valuesOf(
        line,
        'Test                 Result    Units     Reference range      Previous',
        'Sodium               138       mmol/L    135-145              140',
        'Potassium            4.1       mmol/L    3.5-5.2              4.4',
        'Chloride             101       mmol/L    95-110               103',
      ),
    ).toEqual([
      ['Sodium', '138'],
      ['Potassium', '4.1'],
      ['Chloride', '101'],
    ]);
  });
});

describe('dates above columns with one unread', () => {
  const ROWS = [
    'CK            < 170               U/l         286           190           152',
    'Kalium        3,5 - 5,1           mmol/l      4,1           4,4           4,6',
    'Natrium       135 - 145           mmol/l      138           140           141',
    'TSH           0,27 - 4,20         mU/l        0,91          1,02          1,10',
  ];
  const reasonsOf = (head: string) =>
    readReport([pageOf([head, ...ROWS])]).results.map((line) => [line.testName, line.reviewReasons]);

  // prettier-ignore
  const HEADS: readonly (readonly [about: string, head: string])[] = [
    ['misread', 'Parameter     Referenzbereich     Einheit     10.02.25      11.02.25      lZ.OZ.ZS'],
    ['missing', 'Parameter     Referenzbereich     Einheit     10.02.25      11.02.25'],
  ];

  it.each(HEADS)('never let an older result pass unmarked: %s', (_, head) => {
    expect(reasonsOf(head)).toEqual([
      ['CK', ['unclear_columns']],
      ['Kalium', ['unclear_columns']],
      ['Natrium', ['unclear_columns']],
      ['TSH', ['unclear_columns']],
    ]);
  });

  it('cause no mark if another heading was misread', () => {
    expect(
      reasonsOf('Parameter     Referenzbereich     Elnhelt     10.02.25      11.02.25      12.02.25'),
    ).toEqual([
      ['CK', []],
      ['Kalium', []],
      ['Natrium', []],
      ['TSH', []],
    ]);
  });
});

describe('a heading far from its column, above a table of one row', () => {
  it('neither loses a result nor makes it a previous one', () => {
    expect(
      valuesOf(
        'FERRITINA',
        '                         Prova                                                                Riferimento',
        'Ferritina           13,5 ng/mL                                                                15 a 150',
      ),
    ).toEqual([['Ferritina', '13,5']]);
  });
});
