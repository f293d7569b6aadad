import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const read = (...lines: string[]) => readReport([pageOf(lines)]).results;
const found = (...lines: string[]) =>
  read(...lines).map((line) => [line.testName, line.printedValue, line.unit, line.referenceRange]);

const HEAD = 'Test             Result      Units     Reference Range';

describe('flags in their printed position', () => {
  // prettier-ignore
  const FLAGS: readonly (readonly [line: string, value: string, flag: string, level: string, range: string | null])[] = [
    ['Glucose          40-         mg/dL     70-99',         '40',   '-',      'low',          '70-99'],
    ['Glucose          140+        mg/dL     70-99',         '140',  '+',      'high',         '70-99'],
    ['GOT              52,1++      U/l       < 35',          '52,1', '++',     'high',         '< 35'],
    ['TSH              0,12 --     mU/l      0,4-4,0',       '0,12', '--',     'low',          '0,4-4,0'],
    ['Potassium        5.4 mmol/L+           3.5-5.0',       '5.4',  '+',      'high',         '3.5-5.0'],
    ['Sodium           130         mmol/L    136-145L',      '130',  'L',      'low',          '136-145'],
    ['Sodium           150         mmol/L    136-145*',      '150',  '*',      'high',         '136-145'],
    ['Sodium           150         mmol/L    H136-145',      '150',  'H',      'high',         '136-145'],
    ['Glucose          105 [H]     mg/dL     70-99',         '105',  '[H]',    'high',         '70-99'],
    ['Glucose          105[H]      mg/dL     70-99',         '105',  '[H]',    'high',         '70-99'],
    ['Glucose          105 >       mg/dL     70-99',         '105',  '>',      'high',         '70-99'],
    ['Glucose          65 <        mg/dL     70-99',         '65',   '<',      'low',          '70-99'],
    ['Glucose          105▲        mg/dL     70-99',         '105',  '▲',      'high',         '70-99'],
    ['Glucose          65 ⇩        mg/dL     70-99',         '65',   '⇩',      'low',          '70-99'],
    ['Glucose          65 ↓↓       mg/dL     70-99',         '65',   '↓↓',     'critical_low', '70-99'],
    ['Glucose          105 \uF0E9  mg/dL     70-99',         '105',  '\uF0E9', 'high',         '70-99'],
    ['Glucose          65 \uF0AF   mg/dL     70-99',         '65',   '\uF0AF', 'low',          '70-99'],
    ['Ferritin         - 12        ng/mL     30-400',        '12',   '-',      'low',          '30-400'],
    ['Lipase           512         CRIT HIGH    13-60',        '512',  'CRIT HIGH', 'critical_high', '13-60'],
  ];

  it.each(FLAGS)('%s', (line, printedValue, flag, flagLevel, referenceRange) => {
    expect(read(HEAD, line)).toMatchObject([
      { printedValue, flag, flagLevel, referenceRange, reviewReasons: [] },
    ]);
  });

  // prettier-ignore
  const NONE: readonly (readonly [line: string, value: string])[] = [
    ['\uF0D8 Sodium         140         mmol/L    136-145', '140'],
    ['Sodium           140 \uF00C  mmol/L    136-145',       '140'],
    ['Sodium           140         mmol/L    136-145   [  *  ]', '140'],
    ['Protein          3+                    Negative',      '3+'],
    ['Sodium           [140]       mmol/L    136-145',       '140'],
  ];

  it.each(NONE)('none: %s', (line, printedValue) => {
    expect(read(HEAD, line)).toMatchObject([
      { testName: expect.not.stringMatching(/\W/), printedValue, flag: null },
    ]);
  });
});

describe('comparators and signs', () => {
  it('keeps a comparator in its own column', () => {
    expect(
      found(
        HEAD,
        'CRP              <     5     mg/L      0-5',
        'HDL              40          mg/dL     > 40',
      ),
    ).toEqual([
      ['CRP', '< 5', 'mg/L', '0-5'],
      ['HDL', '40', 'mg/dL', '> 40'],
    ]);
  });

  it('reads a separate minus as a sign if the range is negative, too', () => {
    expect(read(HEAD, 'Base excess      - 2.3       mmol/L    -2.0 to +2.0')).toMatchObject([
      { printedValue: '-2.3', value: -2.3, isBelowMin: true, reviewReasons: [] },
    ]);
  });

  it('marks an unexplained minus', () => {
    expect(read(HEAD, 'Base excess      - 2.3       mmol/L')).toMatchObject([
      { printedValue: '-2.3', reviewReasons: ['unclear_columns'] },
    ]);
  });
});

describe('range cells', () => {
  // prettier-ignore
  const RANGES: readonly (readonly [line: string, range: string | null, min: number | null, max: number | null])[] = [
    ['Cortisol         320         nmol/L    8 h : 166 - 507',              '8 h : 166 - 507',          166,  507],
    ['Glycémie         5,2         mmol/l    à jeun : 3,9 - 5,5',           'à jeun : 3,9 - 5,5',       3.9,  5.5],
    ['Ferritine        80          µg/l      H : 30 - 400',                 'H : 30 - 400',             30,   400],
    ['Estradiol        120         pg/mL     Follicular 30-100; Luteal 50-200', 'Follicular 30-100; Luteal 50-200', null, null],
    ['T4               7.2                   (4.5-12 ug/dL)',               '4.5-12',                   4.5,  12],
    ['TPO              19          IU/mL     0-150 (70-150 borderline)',    '0-150 (70-150 borderline)', 0,    150],
    ['Potassium        4.2         mmol/L    3.5-5.1 see note',             '3.5-5.1',                  3.5,  5.1],
    ['Potassium        4.2         mmol/L    3.5-5.1 hemolyzed sample',     '3.5-5.1',                  3.5,  5.1],
    ['Cocaine          Negative (< 50 ng/mL)',                              '< 50 ng/mL',               null, 50],
    ['Widal            1:160                 <1:80',                        '<1:80',                    null, null],
  ];

  it.each(RANGES)('%s', (line, referenceRange, min, max) => {
    expect(read(HEAD, line)).toMatchObject([{ referenceRange, min, max, flag: null }]);
  });

  it('uses the reference range, not the target range', () => {
    expect(
      found(
        'Biomarker        Current Result    Units     Optimal Range    Standard Range',
        'Glucose          94                mg/dL     75 - 86          65 - 99',
        'Uric Acid        5.1               mg/dL     3.0 - 5.5        2.5 - 7.0',
        'Omega-3 Index    6.2               %         > 8.0            >= 5.0',
      ),
    ).toEqual([
      ['Glucose', '94', 'mg/dL', '65 - 99'],
      ['Uric Acid', '5.1', 'mg/dL', '2.5 - 7.0'],
      ['Omega-3 Index', '6.2', '%', '>= 5.0'],
    ]);
  });

  it.each([
    ['11.6', '15.4'],
    ['(11.6', '15.4)'],
  ])('puts a range together whose blanks part its sign: %s %s', (low, high) => {
    const page = pageOf([
      'Test      Result      Flag      Units      Reference Interval',
      `RDW       12.9                  %          ${low}  -  ${high}`,
    ]);
    // Narrower than a column gap, wider than a blank.
    const closer = new Map([
      ['-', 3],
      [high, 6],
    ]);
    const words = page.words.map((word) => {
      const left = closer.get(word.text) ?? 0;
      return { ...word, box: { ...word.box, x0: word.box.x0 - left, x1: word.box.x1 - left } };
    });
    expect(readReport([{ ...page, words }]).results).toMatchObject([
      { printedValue: '12.9', referenceRange: '11.6 - 15.4', flag: null },
    ]);
  });

  it('joins bounds in separate columns', () => {
    expect(
      found(
        'Test             Result      Low       High      Units',
        'Glucose          93          70        99        mg/dL',
        'CRP              2                     5         mg/L',
        'HDL              50          40                  mg/dL',
      ),
    ).toEqual([
      ['Glucose', '93', 'mg/dL', '70 - 99'],
      ['CRP', '2', 'mg/L', '<= 5'],
      ['HDL', '50', 'mg/dL', '>= 40'],
    ]);
  });

  it('separates the bounds from the result between them', () => {
    expect(
      found(
        'Test             Lower limit   Result   Upper limit   Units',
        'Sodium           136           150      145           mmol/L',
      ),
    ).toEqual([['Sodium', '150', 'mmol/L', '136 - 145']]);
  });

  it('recognizes a result by its flag column', () => {
    expect(
      found(
        'Test             Low     Normal    High    Units     Range',
        'Glucose                            150     mg/dL     70-99',
        'Sodium                   140               mmol/L    136-145',
        'Potassium        3.0                       mmol/L    3.5-5.1',
      ).map(([, value]) => value),
    ).toEqual(['150', '140', '3.0']);
  });
});

describe('tables', () => {
  it('reads ranges before results with date headings', () => {
    expect(
      found(
        'Component            Latest Ref Rng           4/2/2024',
        'Glucose              70 - 99 mg/dL            105 (H)',
        'eGFR                 >60 mL/min/1.73 m2       88',
      ),
    ).toEqual([
      ['Glucose', '105', 'mg/dL', '70 - 99'],
      ['eGFR', '88', 'mL/min/1.73 m2', '>60'],
    ]);
  });

  it('does not take a previous result for a current one', () => {
    expect(
      found(
        'Date             12/05/24    01/02/23    Range       Units',
        'Glucose          93          88          70-99       mg/dL',
        'CRP                          3           <5          mg/L',
        'HDL              50                      >40         mg/dL',
      ).map(([name]) => name),
    ).toEqual(['Glucose', 'HDL']);
  });

  it('does not join a heading in capitals to the name below', () => {
    expect(
      found(HEAD, 'LIPID PANEL', 'Cholesterol      193         mg/dL     <200').map(([name]) => name),
    ).toEqual(['Cholesterol']);
  });
});

describe('results in words', () => {
  // prettier-ignore
  const WORDS: readonly (readonly [line: string, value: string])[] = [
    ['Agglutination    Grade 1               Absent',                       'Grade 1'],
    ['Sediment         3-5 red cells, few casts',                           '3-5 red cells, few casts'],
    ['Syphilis         Negative (0.06)       Negative',                     'Negative (0.06)'],
    ['ANA              Negative (< 1/80)     Negative',                     'Negative (< 1/80)'],
    ['Vitamin B12      Insufficient sample',                                'Insufficient sample'],
    ['Blood Group      B Rh(D) Positive',                                   'B Rh(D) Positive'],
    ['Blood Group      A Rh (D) Negative',                                  'A Rh (D) Negative'],
    ['Blood film    Smear cells seen',                                      'Smear cells seen'],
    ['HPV genotype 16  Not detected          Not detected',                 'Not detected'],
    ['Rotavirus A      Not detected          Not detected',                 'Not detected'],
  ];

  it.each(WORDS)('%s', (line, printedValue) => {
    const [name] = line.split(/ {2,}/);
    expect(read(HEAD, line)).toMatchObject([{ testName: name, printedValue, flag: null }]);
  });

  // prettier-ignore
  const LACKING: readonly string[] = [
    'Virus                                              B Type(D) Positive',
    'Virus                                         H Rhx(D) Positive',
  ];

  it.each(LACKING)('marks results that may lack words: %s', (line) => {
    const lines = read(
      'Test                       Reference Interval          Result     Units',
      'Haemoglobin                 110 - 145                  109 L     g/L',
      'HbA1c                        < 41                      33        mmol/mol',
      'Hepatitis B Antigen                                    Not detected',
      line,
    );
    expect(lines.at(-1)).toMatchObject({ testName: 'Virus', reviewReasons: ['unclear_columns'] });
  });

  it('recognizes mutations by their findings, without headings', () => {
    expect(
      found('HFE GENE', '', 'C282Y            Heterozygous', 'H63D             Homozygous').map(
        ([name, value]) => [name, value],
      ),
    ).toEqual([
      ['C282Y', 'Heterozygous'],
      ['H63D', 'Homozygous'],
    ]);
  });

  it('recognizes a count of something that should be absent', () => {
    expect(read(HEAD, 'Leukocytes       25          Leu/µL    Negative')).toMatchObject([
      { value: 25, unit: 'Leu/µL', interpretation: 'abnormal' },
    ]);
  });
});

describe('units', () => {
  const WIDE = 'Test             Result      Units           Reference Range';

  it.each(['x E9/L', 'x E12/L', 'Ery/µL', 'ug Elast./g', 'µmol/eyaculado', 'µ3', 'mcIntlUnit/mL'])(
    '%s',
    (unit) => {
      expect(found(WIDE, `Count            4.1         ${unit.padEnd(16)}3.0-5.0`)).toEqual([
        ['Count', '4.1', unit, '3.0-5.0'],
      ]);
    },
  );

  it('does not repeat the bounds of a range', () => {
    expect(found(HEAD, 'WBC              7.1                   4.0 - 11.0 x E9/L')).toEqual([
      ['WBC', '7.1', 'x E9/L', '4.0 - 11.0'],
    ]);
  });
});

describe('cells of several lines', () => {
  it('joins cells centered on their row', () => {
    const page = pageOf(
      [
        'Test                   Result      Units     Reference Range',
        '',
        '',
        '',
        'Estimated glomerular',
        '                       88          mL/min    > 60',
        'filtration rate',
        '',
        '',
        '',
        '                                             Deficient: < 20',
        'Vitamin D, 25-OH       18.2        ng/mL',
        '                                             Sufficient: 30 - 100',
        '',
        '',
        '',
        'Sodium                 140         mmol/L    136 - 145',
      ],
      1,
      { step: 6 },
    );
    expect(
      readReport([page]).results.map((line) => [line.testName, line.printedValue, line.referenceRange]),
    ).toEqual([
      ['Estimated glomerular filtration rate', '88', '> 60'],
      ['Vitamin D, 25-OH', '18.2', 'Deficient: < 20; Sufficient: 30 - 100'],
      ['Sodium', '140', '136 - 145'],
    ]);
  });

  // prettier-ignore
  const WITHOUT_VALUE: readonly (readonly [above: string, below: string])[] = [
    ['Glucose          93          mg/dL     70-99',       'Sodium                       mmol/L    136-145'],
    ['Gravity          1.015                 1.005-1.030', 'pH                                     5.0-8.0'],
  ];

  it.each(WITHOUT_VALUE)('does not join a result without a value to the one above: %s', (above, below) => {
    const [name, value] = above.split(/ {2,}/);
    expect(found(HEAD, above, below)).toMatchObject([
      [name, value, expect.toBeOneOf([null, 'mg/dL']), above.split(/ {2,}/).at(-1)],
    ]);
  });

  it('reads a heading over two lines', () => {
    expect(
      found(
        'Test             Result      Units     Reference',
        '                                       range',
        'Glucose          93          mg/dL     70-99',
      ),
    ).toEqual([['Glucose', '93', 'mg/dL', '70-99']]);
  });

  it('keeps all lines of a range next to a method and a continued name', () => {
    expect(
      found(
        HEAD,
        'Cholesterol      212         mg/dL     Desirable: < 200',
        'Method: CHOD-POD                       Borderline high: 200 - 239',
        '                                       High: >= 240',
      ).map(([, , , range]) => range),
    ).toEqual(['Desirable: < 200; Borderline high: 200 - 239; High: >= 240']);
  });
});

describe('layouts side by side', () => {
  it('reads cards one after the other', () => {
    expect(
      found(
        'Testosterone                      Free testosterone',
        '11.4 nmol/L                       0.214 nmol/L',
        'Normal (Range: 8.64 - 29)         High (Range: < 0.2)',
        '',
        'SHBG',
        '31.8 nmol/L',
        'Normal (Range: 18.3 - 54.1)',
      ),
    ).toEqual([
      ['Testosterone', '11.4', 'nmol/L', '8.64 - 29'],
      ['SHBG', '31.8', 'nmol/L', '18.3 - 54.1'],
      ['Free testosterone', '0.214', 'nmol/L', '< 0.2'],
    ]);
  });

  it('reads cards with the status next to their names', () => {
    expect(
      read(
        'Testosterone          In range           Free testosterone       Below range',
        '412 ng/dL                                7.1 ng/dL',
        'Reference range 300-1,000                Reference range 9.0-30.0',
        '',
        '',
        'SHBG                  Above range        Estradiol               In range',
        '58.3 nmol/L                              22 pg/mL',
        'Reference range 16.5-55.9                Reference range 10-40',
      ).map((line) => [line.testName, line.printedValue, line.unit, line.referenceRange, line.flagLevel]),
    ).toEqual([
      ['Testosterone', '412', 'ng/dL', '300-1,000', 'normal'],
      ['SHBG', '58.3', 'nmol/L', '16.5-55.9', 'high'],
      ['Free testosterone', '7.1', 'ng/dL', '9.0-30.0', 'low'],
      ['Estradiol', '22', 'pg/mL', '10-40', 'normal'],
    ]);
  });

  it('reads two antibiotics in one row', () => {
    const lines = read(
      'URINE CULTURE    POSITIVE',
      'Antibiotic       MIC     S/I/R    Antibiotic       MIC     S/I/R',
      'Cefixime         0.5     S        Nitrofurantoin   32      R',
    );
    expect(lines.map((line) => [line.testName, line.printedValue])).toEqual([
      ['URINE CULTURE', 'POSITIVE'],
      ['Cefixime', '0.5 S'],
      ['Nitrofurantoin', '32 R'],
    ]);
  });

  it('reads two tables below common headings', () => {
    const tables = [
      'LDL         96     mg/dL   < 100            Ferritin    14     ng/mL   16 - 154',
      'HDL         71     mg/dL   > 50             Iron        48     ug/dL   40 - 190',
      'Glucose     86     mg/dL   65 - 99          TIBC        402    ug/dL   250 - 450',
      'Insulin     4.1    uIU/mL  2.6 - 24.9       Zinc        79     ug/dL   60 - 130',
      'TSH         1.88   mIU/L   0.40 - 4.50      SHBG        68     nmol/L  17 - 124',
      'ALT         17     U/L     6 - 29           Cortisol    14.3   ug/dL   4.0 - 22.0',
    ];
    expect(
      found('Biomarker   /   your result   /   reference   /   status', '', ...tables).map(([name]) => name),
    ).toEqual('LDL HDL Glucose Insulin TSH ALT Ferritin Iron TIBC Zinc SHBG Cortisol'.split(' '));
  });

  it('does not take the bounds at the ends of a bar for results', () => {
    expect(
      found(
        'WBC',
        '                                      12.3 High',
        'Normal range: 4.0 - 11.0 K/uL      4.0      11.0',
      ),
    ).toEqual([['WBC', '12.3', 'K/uL', '4.0 - 11.0']]);
  });
});

describe('headers, footers and addresses', () => {
  // prettier-ignore
  const NO_RESULTS: readonly string[] = [
    'ABN 00 000 000 000     APA No. 12345',
    'Historia clínica:    HC 77140',
    'Date of birth / sex:   14/02/1959 F',
    'Ms Jane Sample | DOB 05 Feb 1995 | Female | ID ZZZ0042 | Lab no. 25-8100731',
    'PATIENT INFORMATION     SPECIMEN INFORMATION     REPORT',
    '* Fora do intervalo de referência Mét. disponíveis no laboratório',
    'Desirable range <100 mg/dL for primary prevention; <70 mg/dL for patients at risk',
    'Nit. 900.000.000-1 Calle 50 00-12',
    'Dr. Meera Example      Dr. S. Sample          Page 1 of 2',
    'For adults above > 75 years, acute heart failure is likely from > 1.800 pg/mL on',
  ];

  it.each(NO_RESULTS)('%s', (line) => {
    expect(read(HEAD, 'Sodium           140         mmol/L    136-145', '', line)).toHaveLength(1);
  });

  it('does not take amounts in a comment for results, in any of its rows', () => {
    expect(
      found(
        'Ferritin         886 ug/L    (30-300)',
        '',
        'COMMENT: Compound heterozygosity. Ferritin above 300 ug/L',
        'with saturation above 45% - suggest review. Previous',
        'ferritin 742 ug/L on 11/06/2024.',
        '',
        'TSH              2.1 mIU/L   (0.4-4.0)',
      ).map(([name]) => name),
    ).toEqual(['Ferritin', 'TSH']);
  });

  it('keeps results right below a comment', () => {
    expect(
      found(
        'Note: the patient had been fasting for twelve hours',
        'Sodium: 140 mmol/L (136 - 145)',
        'Potassium: 4.1 mmol/L (3.5 - 5.1)',
      ).map(([name]) => name),
    ).toEqual(['Sodium', 'Potassium']);
  });

  it('does not take header dates for table headings', () => {
    expect(
      found(
        'Sample: Blood    Collected: 14-Jan-2025 09:10    Reported: 15-Jan-2025',
        'Serum sodium               139 mmol/L [133.0 - 146.0]',
        'Haemoglobin                109 g/L [115.0 - 165.0]; Below low reference limit',
      ),
    ).toEqual([
      ['Serum sodium', '139', 'mmol/L', '133.0 - 146.0'],
      ['Haemoglobin', '109', 'g/L', '115.0 - 165.0'],
    ]);
  });
});

it('leaves out a previous result before the current one', () => {
  expect(read('Haemoglobin      prev. 11.6     10.8 g/dL', 'Ref.: 11.7 - 15.5')).toMatchObject([
    { printedValue: '10.8', max: 15.5 },
  ]);
});
