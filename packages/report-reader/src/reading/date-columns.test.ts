import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const CELL = 22;
const row = (...cells: readonly string[]): string => cells.map((cell) => cell.padEnd(CELL)).join('');

/** The sodium result of a table with these headings and the values 100, 200, 300 and so on from left to right. */
function sodiumOf(
  heads: readonly string[],
  { above = [], below = [] }: { above?: readonly string[]; below?: readonly string[] } = {},
) {
  const values = (first: number) => heads.map((_, at) => String((at + 1) * 100 + first));
  const lines = [
    ...above,
    '',
    row(heads.length > 0 ? 'Test' : '', ...heads, 'Units', 'Reference Range'),
    ...below,
    row('Sodium', ...values(1), 'mmol/L', '1 - 900'),
    row('Chloride', ...values(2), 'mmol/L', '1 - 900'),
    row('Urea', ...values(3), 'mmol/L', '1 - 900'),
  ];
  const results = readReport([pageOf(lines)]).results;
  expect(results.map(({ testName }) => testName)).toEqual(['Sodium', 'Chloride', 'Urea']);
  const [first] = results;
  expect(results.map(({ printedValue }) => Number(printedValue))).toEqual(
    [0, 1, 2].map((more) => Number(first?.printedValue) + more),
  );
  return {
    column: Math.floor(Number(first?.printedValue) / 100),
    isDoubted: (first?.reviewReasons ?? []).includes('unclear_columns'),
  };
}

const sure = (column: number) => ({ column, isDoubted: false });

describe('the newest of several date columns has the results', () => {
  // prettier-ignore
  const TABLES: readonly (readonly [what: string, heads: readonly string[], column: number])[] = [
    ['newest left, months first',       ['01/14/2026', '01/13/2026', '01/11/2026'],             1],
    ['newest right, months first',      ['01/11/2026', '01/13/2026', '02/01/2026'],             3],
    ['newest in the middle',            ['13/02/2025', '14/03/2025', '13/01/2025'],             2],
    ['newest left, days first',         ['30/10/2025', '24/07/2025', '02/01/2025'],             1],
    ['newest right, days first',        ['02/01/2025', '11/04/2025', '24/07/2025', '30/10/2025'], 4],
    ['years of two digits',             ['02/01/25', '11/04/25', '24/07/25', '30/10/25'],       4],
    ['over the turn of a year',         ['15/12/24', '20/11/24', '02/01/25'],                   3],
    ['points',                          ['03.04.2024', '02.05.2024', '01.06.2024'],             3],
    ['years first',                     ['2024-06-01', '2024-05-02', '2024-04-03'],             1],
    ['months in words',                 ['03-Apr-24', '02-May-24', '01-Jun-24'],                3],
    ['months in words, apart',          ['Jun 1, 2024', 'May 2, 2024', 'Apr 3, 2024'],          1],
    ['months in words, days first',     ['2 Jan 2025', '11 Apr 2025', '24 Jul 2025'],           3],
    ['two dates',                       ['24/07/2025', '30/10/2025'],                           2],
    ['times of day in the heading',     ['14/01/2026 06:10', '14/01/2026 18:40', '13/01/2026 23:00'], 2],
    ['times of afternoon',              ['01/14/2026 6:10 AM', '01/14/2026 2:40 PM'],           2],
    ['either order of days and months', ['01/02/2025', '01/03/2024', '01/04/2023'],             1],
    ['results and dates in brackets',   ['Result (24/07/25)', 'Result (30/10/25)'],             2],
    ['a heading right beside a date',   ['14/01/26', '13/01/26 Flag'],               1],
    ['the earlier one says so',         ['30/10/2025', 'Previous 24/07/2025'],                  1],
  ];

  it.each(TABLES)('%s: %j', (_, heads, column) => {
    expect(sodiumOf(heads)).toEqual(sure(column));
  });

  it('reads the time of day in the row below', () => {
    const below = [row('Time:', '08:40', '18:15', '12:22')];
    expect(sodiumOf(['13/01/25', '13/01/25', '13/01/25'], { below })).toEqual(sure(2));
  });

  it('recognizes a labeled row of dates', () => {
    const lines = [
      row('Date:', '02/01/25', '24/07/25', '30/10/25', 'Units', 'Reference'),
      row('Time:', '08:40', '09:15', '08:22'),
      row('Request:', '6620117', '6841290', '7304402'),
      row('Sodium', '139', '141', '140', 'mmol/L', '135 - 145'),
      row('Urea', '5.1', '5.2', '5.3', 'mmol/L', '3.0 - 8.0'),
    ];
    expect(readReport([pageOf(lines)]).results).toMatchObject([
      { testName: 'Sodium', printedValue: '140', reviewReasons: [] },
      { testName: 'Urea', printedValue: '5.3', reviewReasons: [] },
    ]);
  });

  // prettier-ignore
  const LABELLED: readonly (readonly [what: string, heads: readonly string[]])[] = [
    ['headings beside the numbers of the samples', [
      row('Date:', '11/06/24', '03/12/24', '17/06/25'),
      row('Time:', '08:20', '09:05', '08:40'),
      row('Lab No:', '88120471', '91740226', '95330918', 'Units', 'Reference'),
    ]],
    ['the numbers of the samples first', [
      row('Request:', '6620117', '6841290', '7304402', 'Units', 'Reference'),
      row('Collected:', '11/06/24', '03/12/24', '17/06/25'),
    ]],
    ['no heading of units', [
      row('Date:', '11/06/24', '03/12/24', '17/06/25'),
      row('Time:', '08:20', '09:05', '08:40'),
    ]],
  ];

  it.each(LABELLED)('reads labeled sample rows above the results, %s', (_, heads) => {
    const lines = [
      ...heads,
      row('Sodium', '138', '140', '139', 'mmol/L', '(135-145)'),
      row('Urate', '0.36', '0.38', 'H 0.41', 'mmol/L', '(0.15-0.40)'),
      row('Cholesterol', 'H 6.9', 'H 6.8', '5.1', 'mmol/L', '(<5.6)'),
      row('Calcium', '2.41', '', '2.38', 'mmol/L', '(2.15-2.55)'),
    ];
    expect(
      readReport([pageOf(lines)]).results.map(({ testName, printedValue, flagLevel, reviewReasons }) => [
        testName,
        printedValue,
        flagLevel,
        reviewReasons,
      ]),
    ).toEqual([
      ['Sodium', '139', null, []],
      ['Urate', '0.41', 'high', []],
      ['Cholesterol', '5.1', null, []],
      ['Calcium', '2.38', null, []],
    ]);
  });

  // prettier-ignore
  const WITHOUT_YEARS: readonly (readonly [what: string, heads: readonly string[], column: number])[] = [
    ['days and months, newest right',  ['19/05', '20/05', '21/05'],            3],
    ['days and months, newest left',   ['21/05', '20/05', '19/05'],            1],
    ['points',                         ['19.05.', '20.05.', '02.06.'],         3],
    ['months in words',                ['19 May', '20 May', '21 May'],         3],
    ['months in words, tight',         ['21-May', '20-May', '19-May'],         1],
    ['months in words, before days',   ['May 19', 'May 20', 'May 21'],         3],
    ['times of day',                   ['20/05 06:10', '20/05 18:40'],         2],
    ['months of years',                ['Nov 2023', 'May 2024'],               2],
  ];
  it.each(WITHOUT_YEARS)('chooses the likeliest date without %s, and marks it: %j', (_, heads, column) => {
    expect(sodiumOf(heads)).toEqual({ column, isDoubted: true });
  });

  it('shows no older result if the newest day has none, without years', () => {
    const lines = [
      row('Test', '19 May', '20 May', '21 May', 'Units', 'Range'),
      row('', '06:10', '18:40', '06:00'),
      row('Sodium', '140', '138', '139', 'mmol/L', '135 - 145'),
      row('Potassium', '4.2', '4.4', '5.6 H', 'mmol/L', '3.5 - 5.1'),
      row('Lactate', '', '2.2', '', 'mmol/L', '0.5 - 2.0'),
      row('Urea', '5.1', '5.2', '5.3', 'mmol/L', '3.0 - 8.0'),
    ];
    const { results } = readReport([pageOf(lines)]);
    expect(results.map(({ testName, printedValue }) => [testName, printedValue])).toEqual([
      ['Sodium', '139'],
      ['Potassium', '5.6'],
      ['Urea', '5.3'],
    ]);
  });

  // prettier-ignore
  const UNTOLD: readonly (readonly [how: string, head: string])[] = [
    ['times alone',         row('Test', '06:10', '12:05', '18:40', 'Units', 'Range')],
    ['numbers of samples',  row('Test', '88120471', '91740226', '95330918', 'Units', 'Range')],
    ['nothing',             row('Test', '', '', '', 'Units', 'Range')],
  ];
  it.each(UNTOLD)('marks every result of a table whose columns are headed by %s', (_, head) => {
    const lines = [
      head,
      row('Troponin', '12', '45', '160', 'ng/L', '0 - 14'),
      row('Potassium', '4.2', '4.4', '5.6', 'mmol/L', '3.5 - 5.1'),
      row('Lactate', '', '2.2', '', 'mmol/L', '0.5 - 2.0'),
      row('Sodium', '139', '', '', 'mmol/L', '135 - 145'),
    ];
    for (const { testName, reviewReasons } of readReport([pageOf(lines)]).results)
      expect([testName, reviewReasons]).toEqual([testName, expect.arrayContaining(['unclear_columns'])]);
  });

  it('infers the order of day and month from all dates of the report', () => {
    const heads = ['03/01/2025', '02/05/2025'];
    expect(sodiumOf(heads, { above: ['DOB: 16/05/1955'] })).toEqual(sure(2));
    expect(sodiumOf(['03/01/2025', '02/05/2025'], { above: ['DOB: 05/16/1955'] })).toEqual(sure(1));
  });

  it('follows a note about where the newest column is', () => {
    const heads = ['01/02/2025', '02/01/2025'];
    expect(
      sodiumOf(heads, { above: ['CUMULATIVE REPORT - most recent result in the right-hand column'] }),
    ).toEqual(sure(2));
    expect(sodiumOf(heads, { above: ['Latest result first'] })).toEqual(sure(1));
  });

  it('leaves out tests with previous results only', () => {
    const lines = [
      row('Test', '14/01/2026', '13/01/2026', 'Units', 'Reference Range'),
      row('Sodium', '140', '139', 'mmol/L', '135 - 145'),
      row('Lipase', '--', '288', 'U/L', '73 - 393'),
      row('Urea', '5.1', '5.2', 'mmol/L', '3.0 - 8.0'),
    ];
    expect(
      readReport([pageOf(lines)]).results.map(({ testName, printedValue }) => [testName, printedValue]),
    ).toEqual([
      ['Sodium', '140'],
      ['Urea', '5.1'],
    ]);
  });
});

describe('marks results if the newest column is unknown', () => {
  // prettier-ignore
  const DOUBTED: readonly (readonly [what: string, heads: readonly string[], above: readonly string[]])[] = [
    ['days and months may change places',      ['03/01/2025', '02/05/2025'],               []],
    ['the same day twice',                     ['14/01/2026', '14/01/2026'],               []],
    ['the same moment twice',                  ['14/01/2026 06:10', '14/01/2026 06:10'],   []],
    ['dates that contradict each other',       ['14/01/2026', '01/13/2026'],               []],
    ['words that say the other column',        ['14/01/2026', '13/01/2026'],               ['Most recent result on the right']],
    ['nothing but earlier results',            ['14/01/2025', '13/01/2025'],               ['Collected: 20/02/2025 08:10']],
    ['one column, of an earlier day',          ['14/01/2025'],                             ['Collected: 20/02/2025 08:10']],
    ['the one that says it is earlier is not', ['24/07/2025', 'Previous 30/10/2025'],      []],
  ];

  it.each(DOUBTED)('%s: %j', (_, heads, above) => {
    expect(sodiumOf(heads, { above }).isDoubted).toBe(true);
  });
});

describe('marks a result next to another number if no heading distinguishes them', () => {
  const RESULTS = [
    row('Sodium', '141', '142', '143', 'mmol/L', '135 - 145'),
    row('Urea', '5.1 L', '5.2 L', '5.3 L', 'mmol/L', '6.0 - 8.0'),
    row('Albumin', '41', '42', '43', 'g/L', '35 - 50'),
  ];
  // prettier-ignore
  const HEADS: readonly (readonly [what: string, heads: readonly string[]])[] = [
    ['no heading at all',                 []],
    ['days without a year',               [row('Test', '01/14', '01/13', '01/11', 'Units', 'Reference')]],
    ['months in words without a year',    [row('Test', '14 Jan', '13 Jan', '11 Jan', 'Units', 'Reference')]],
    ['results by number',                 [row('Test', 'Result 1', 'Result 2', 'Result 3', 'Units', 'Reference')]],
    ['results only',                      [row('Test', 'Result', 'Result', 'Result', 'Units', 'Reference')]],
    ['dates above what names no column',  [row('', '11/01/2026', '13/01/2026', '14/01/2026')]],
  ];

  it.each(HEADS)('%s', (_, heads) => {
    const sodium = readReport([pageOf([...heads, ...RESULTS])]).results.filter(({ testName }) =>
      /^(?:Sodium|Urea|Albumin)$/.test(testName),
    );
    expect(sodium.map(({ reviewReasons }) => reviewReasons)).toEqual([
      expect.arrayContaining(['unclear_columns']),
      expect.arrayContaining(['unclear_columns']),
      expect.arrayContaining(['unclear_columns']),
    ]);
  });

  // prettier-ignore
  const TOLD_APART: readonly (readonly [what: string, lines: readonly string[], value: string])[] = [
    ['the earlier ones say so',    [row('Test', 'Prior', 'Previous', 'Current', 'Units', 'Reference'), ...RESULTS], '143'],
    ['two systems of units',       [row('Test', 'Result', 'Units', 'Conv. Result', 'Units'), row('Glucose', '5.02', 'mmol/L', '90.45', 'mg/dL')], '5.02'],
    ['dates above their results',  [row('', '11/01/2026', '13/01/2026', '14/01/2026'), row('Test', 'Result', 'Result', 'Result', 'Units', 'Reference'), ...RESULTS], '143'],
    ['dates below their results',  [row('Test', 'Result', 'Result', 'Result', 'Units', 'Reference'), row('', '11/01/2026', '13/01/2026', '14/01/2026'), ...RESULTS], '143'],
    ['dates below one heading',    [row('Test', '', 'Results', '', 'Units', 'Reference'), row('', '11/01/2026', '13/01/2026', '14/01/2026'), ...RESULTS], '143'],
  ];

  it.each(TOLD_APART)('but not where %s', (_, lines, printedValue) => {
    expect(readReport([pageOf(lines)]).results[0]).toMatchObject({ printedValue, reviewReasons: [] });
  });
});
