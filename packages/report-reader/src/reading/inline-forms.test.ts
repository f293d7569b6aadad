import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const read = (...lines: string[]) => readReport([pageOf(lines)]).results;
const found = (...lines: string[]) =>
  read(...lines).map((line) => [line.testName, line.printedValue, line.unit, line.referenceRange]);
const HEAD = 'Test             Result      Units     Reference Range';

describe('numbers that are not results', () => {
  it('does not take a cutoff for the finding', () => {
    expect(
      found(
        'Drug Class         Result       Cutoff       Method',
        'Amphetamines       Negative     500 ng/mL    IA',
        'Opiates            Positive     300 ng/mL    IA',
        'Methadone          Negative     100 ng/mL    IA',
        'Oxycodone          Negative     100 ng/mL    IA',
      ),
    ).toEqual([
      ['Amphetamines', 'Negative', null, null],
      ['Opiates', 'Positive', null, null],
      ['Methadone', 'Negative', null, null],
      ['Oxycodone', 'Negative', null, null],
    ]);
  });

  it('does not take a cutoff after the expected value for the finding', () => {
    expect(
      found(
        'Drug Class          Result      Flag    Expected    Screen Cutoff',
        'Amphetamines        POSITIVE    ABN     Negative    500 ng/mL',
        'Barbiturates        Negative            Negative    200 ng/mL',
        'Opiates             Negative            Negative    300 ng/mL',
      ),
    ).toEqual([
      ['Amphetamines', 'POSITIVE', null, 'Negative'],
      ['Barbiturates', 'Negative', null, 'Negative'],
      ['Opiates', 'Negative', null, 'Negative'],
    ]);
  });

  it('marks text next to a finding in the value column', () => {
    expect(
      read(
        'Drug Class          Result      Flag    Awaited     Quench Level',
        'Barbiturates        Negative            Negative    200 ng/mL',
        'Opiates             Negative            Negative    300 ng/mL',
        'Fentanyl            Negative            Negative    2 ng/mL',
      ).filter(
        ({ printedValue, reviewReasons }) => printedValue !== 'Negative' && reviewReasons.length === 0,
      ),
    ).toEqual([]);
  });

  it('does not take a risk or a chromosome number for the finding', () => {
    expect(
      found(
        'CONDITION         RESULT                        RISK AFTER TEST',
        '',
        'Trisomy 21        LOW RISK                      Less than 1 in 10,000',
        'Monosomy X        LOW RISK                      1 in 8,300',
        'Atrophy (SMN1)    NEGATIVE: 2 copies            1 in 54 to 1 in 806',
        'Fragile X         NEGATIVE: 29 and 31 repeats   -',
      ),
    ).toEqual([
      ['Trisomy 21', 'LOW RISK', null, null],
      ['Monosomy X', 'LOW RISK', null, null],
      ['Atrophy (SMN1)', 'NEGATIVE: 2 copies', null, null],
      ['Fragile X', 'NEGATIVE: 29 and 31 repeats', null, null],
    ]);
  });

  it('does not take a remark for a range', () => {
    expect(
      found(
        'Analyte          Result      Units     Method      Interpretation',
        'Lorazepam        < 40        ng/mL     LC-MS/MS    NOT DETECTED',
        'Hydrocodone      1,240       ng/mL     LC-MS/MS    CONSISTENT',
        'Codeine          < 50        ng/mL     LC-MS/MS    NOT DETECTED',
      ).map(([, value, unit, range]) => [value, unit, range]),
    ).toEqual([
      ['< 40', 'ng/mL', null],
      ['1,240', 'ng/mL', null],
      ['< 50', 'ng/mL', null],
    ]);
  });

  it('reads the word next to a card name as the flag of the amount below', () => {
    expect(
      read(
        'SHBG              Normal',
        '22 nmol/L',
        'Reference range: 16.5 - 55.9',
        '',
        '',
        'Cortisol, AM      High',
        '24.8 ug/dL',
        'Reference range: 6.2 - 19.4',
      ),
    ).toMatchObject([
      {
        testName: 'SHBG',
        printedValue: '22',
        flag: 'Normal',
        flagLevel: 'normal',
        referenceRange: '16.5 - 55.9',
      },
      {
        testName: 'Cortisol, AM',
        printedValue: '24.8',
        flag: 'High',
        flagLevel: 'high',
        referenceRange: '6.2 - 19.4',
      },
    ]);
  });

  it('recognizes that word without a gap after the name', () => {
    expect(read('SHBG Normal', '22 nmol/L', 'Reference range: 16.5 - 55.9')).toMatchObject([
      { testName: 'SHBG', printedValue: '22', flag: 'Normal' },
    ]);
  });

  it('marks a number that was chosen over one with a unit', () => {
    expect(
      read(
        '                                Valeurs usuelles   12/03/2023',
        'Hématies         4,52 T/L       3,92 - 5,08        4,48',
        'Hématocrite      35,8 %         36,6 - 44,0        38,1',
        'Plaquettes       388 G/L        150 - 400          342',
      ).filter(
        ({ printedValue, reviewReasons }) =>
          /^(?:4,48|38,1|342)$/.test(printedValue) && reviewReasons.length === 0,
      ),
    ).toEqual([]);
  });

  it('reads the text above and below the amount of a card', () => {
    expect(
      read(
        'Apolipoprotein B',
        'Above range',
        '112 mg/dL',
        'Optimal: < 90',
        '',
        'Serum ferritin',
        '12 ug/L',
        'Below low reference limit',
        'Reference range 15.0 - 300.0',
      ),
    ).toMatchObject([
      {
        testName: 'Apolipoprotein B',
        printedValue: '112',
        flagLevel: 'high',
        referenceRange: 'Optimal: < 90',
      },
      { testName: 'Serum ferritin', printedValue: '12', flagLevel: 'low', referenceRange: '15.0 - 300.0' },
    ]);
  });

  it('marks a number after a word without a heading for either', () => {
    expect(read('THC              NEG          50', 'Cocaine          NEG          150')).toMatchObject([
      { reviewReasons: ['unclear_columns'] },
      { reviewReasons: ['unclear_columns'] },
    ]);
  });

  it('does not interpret equal findings as normal', () => {
    expect(
      read('Test             Result       Second', 'Cannabinoids     POSITIVE     Positive'),
    ).toMatchObject([{ printedValue: 'POSITIVE', interpretation: 'unknown' }]);
  });

  it('keeps a status that is not a flag as a note', () => {
    expect(
      read(
        'Test         Result     Cutoff     Interpretation',
        'HBsAg        0.32       1.00       Non Reactive',
      ),
    ).toMatchObject([{ printedValue: '0.32', referenceRange: null, notes: ['Non Reactive'] }]);
  });

  it('does not take a labeled previous result for a current one', () => {
    expect(
      found('Creatinine       0.98        mg/dL     0.70-1.30', 'Previous result (02/08/2022): 1.01 mg/dL'),
    ).toHaveLength(1);
  });
});

describe('patient data and addresses', () => {
  // prettier-ignore
  const NONE: readonly string[] = [
    'Rivertown, CA    96161',
    'Birkenstraße     88                    0000-0',
    'SPEC #: 0817:H1  COLL: 08/17/22-0540   REQ #: 0771118R',
    'DOE,JANE ROSE    M000448812',
    'DOE, JANE J      312-881-0447-0        Seq # 0447',
    'Varón            46          25-0118834',
    'DOE, JANE        1971-Aug-22   51 Years    Male',
  ];

  it.each(NONE)('is not a result: %s', (line) => {
    expect(found(HEAD, 'Sodium           140         mmol/L    136-145', line).map(([name]) => name)).toEqual(
      ['Sodium'],
    );
  });

  it('reads a repeated page header only once', () => {
    const head = [
      'Clinic of the Lake                            Report 1/2',
      'DOCTOR            TAKEN           RESULTS',
      'Dr Anna Example   29 avril 2025   30 avril 2025',
    ];
    const pages = [
      pageOf([...head, '', HEAD, 'Sodium           140         mmol/L    136-145'], 1),
      pageOf([...head, '', HEAD, 'Potassium        4.1         mmol/L    3.5-5.1'], 2),
    ];
    expect(readReport(pages).results.map(({ testName }) => testName)).toEqual(['Sodium', 'Potassium']);
  });
});

describe('findings in words', () => {
  // prettier-ignore
  const WORDS: readonly (readonly [line: string, value: string])[] = [
    ['Ross River Virus IgM: NOT DETECTED',                    'NOT DETECTED'],
    ['Pregnancy Test (Urine)   NEGATIVE',                     'NEGATIVE'],
    ['Blood culture    No growth after 5 days',               'No growth after 5 days'],
    ['Malaria smear    Seen: P. falciparum ++',               'Seen: P. falciparum ++'],
  ];

  it.each(WORDS)('%s', (line, printedValue) => {
    expect(read(HEAD, line)).toMatchObject([{ printedValue, flag: null }]);
  });

  it('reads an observation column after investigations', () => {
    expect(
      found(
        'Investigation        Observation',
        'Occult blood         Positive',
        'Cyst                 Cysts of Giardia lamblia seen',
      ),
    ).toEqual([
      ['Occult blood', 'Positive', null, null],
      ['Cyst', 'Cysts of Giardia lamblia seen', null, null],
    ]);
  });

  it('reads a name above a lone finding', () => {
    expect(found('Pregnancy test (urine)', 'negative')).toEqual([
      ['Pregnancy test (urine)', 'negative', null, null],
    ]);
  });

  it('continues over several rows, next to a method and before a flag', () => {
    const page = pageOf(
      [
        'Test             Result              Units     Reference Range',
        'SMEAR            Cells microcytic',
        'Method: Scope    hypochromic,',
        '                 some platelets',
      ],
      1,
      { step: 11 },
    );
    expect(readReport([page]).results).toMatchObject([
      { printedValue: 'Cells microcytic hypochromic, some platelets' },
    ]);
  });

  it('does not add text below a titer to it', () => {
    const page = pageOf(
      [
        'Test             Result      Units     Reference Range',
        'ANA              1:320 +     Titer     < 1:80',
        '         Pattern: finely speckled (AC-4). Please see the note.',
      ],
      1,
      { step: 11 },
    );
    expect(readReport([page]).results).toMatchObject([{ printedValue: '1:320', flag: '+' }]);
  });
});

describe('ranges and units', () => {
  it('keeps the classes of a range below its label', () => {
    expect(
      found(
        'Vitamina D       17,6 ng/mL     Valor de referência: Deficiência: Inferior a 20,0',
        '                                População saudável: 20,0 a 60,0',
        '                                Grupos de risco: 30,0 a 60,0',
      ).map(([, , , range]) => range),
    ).toEqual([
      'Deficiência: Inferior a 20,0; População saudável: 20,0 a 60,0; Grupos de risco: 30,0 a 60,0',
    ]);
  });

  it('assigns a labeled range to the result above', () => {
    const page = pageOf(
      [
        'Test             Result      Reference Range',
        'LDL-CHOLESTEROL  128         mg/dL',
        '  Reference range: <100',
        '  Desirable range <100 mg/dL for primary prevention; <70 mg/dL for patients with heart disease.',
      ],
      1,
      { step: 11 },
    );
    expect(readReport([page]).results).toMatchObject([
      { testName: 'LDL-CHOLESTEROL', referenceRange: '<100' },
    ]);
  });

  it('uses the unit of the heading if a row has none', () => {
    expect(
      found(
        'Allergen              Result (kUA/L)    Class',
        'Dust mite d1          12.4              3',
        'Cat dander e1         <0.10             0',
      ).map(([, value, unit]) => [value, unit]),
    ).toEqual([
      ['12.4', 'kUA/L'],
      ['<0.10', 'kUA/L'],
    ]);
  });

  it('does not join a heading in capitals to the range above', () => {
    expect(
      found(
        HEAD,
        'ALT              19          U/L       0.0 - 33.0',
        '                                       CLINICAL MICROSCOPY',
        'Color            Yellow',
      )[0],
    ).toEqual(['ALT', '19', 'U/L', '0.0 - 33.0']);
  });

  it('uses no range if there are ranges for pregnancy weeks', () => {
    const page = pageOf([
      'Sex: Female',
      HEAD,
      'Beta HCG         1240        mUI/mL    Donna non gravida: < 5; 3-4 sett.: 9 - 130; 5-6 sett.: 850 - 20800',
    ]);
    expect(readReport([page]).results).toMatchObject([{ min: null, max: null, reviewReasons: [] }]);
  });

  it.each(['GPL U/mL', 'parasites/µL', 'EU/dL'])('%s', (unit) => {
    expect(found(HEAD, `Count            4.1         ${unit.padEnd(14)}3.0-5.0`)[0]?.[2]).toBe(unit);
  });
});

describe('results in a paragraph of a letter', () => {
  // prettier-ignore
  const TOLD: readonly (readonly [lines: readonly string[], results: readonly string[]])[] = [
    [['Hemograma: Hb 10,8 g/dL, Hto 33,1 %, leucocitos 15.420/µL, plaquetas 312.000/µL. Coagulación: INR 1,15, actividad de protrombina 81', '%. Glucosa 168 mg/dL.'],
      ['Hb 10,8 g/dL', 'Hto 33,1 %', 'leucocitos 15.420 /µL', 'plaquetas 312.000 /µL', 'INR 1,15 ', 'actividad de protrombina 81 %', 'Glucosa 168 mg/dL']],
    [['Labor vom 12.03.: Hb 10,2 g/dl, CRP 187 mg/l, Natrium 133 mmol/l, Kalium 4,1 mmol/l. RR 120/80 mmHg, Puls 80/min.'],
      ['Hb 10,2 g/dl', 'CRP 187 mg/l', 'Natrium 133 mmol/l', 'Kalium 4,1 mmol/l']],
    [['Labs: WBC 12.3 K/uL, Hgb 10.2 g/dL, Na 133 mEq/L, creatinine 1.6 mg/dL (previous 1.2), BNP of 812 pg/mL, HbA1c 7.2%.'],
      ['WBC 12.3 K/uL', 'Hgb 10.2 g/dL', 'Na 133 mEq/L', 'BNP 812 pg/mL', 'HbA1c 7.2 %']],
  ];

  it.each(TOLD)('%s', (lines, results) => {
    const told = read(...lines).map(
      ({ testName, printedValue, unit }) => `${testName} ${printedValue} ${unit ?? ''}`,
    );
    expect(told).toEqual(results);
  });

  it('marks results that two paragraphs have', () => {
    expect(
      read(
        'Ingreso: Hb 10,8 g/dL, Hto 33,1 %, leucocitos 15.420/µL, PCR 187 mg/L.',
        '',
        '',
        'Alta: Hb 9,8 g/dL, Hto 31,1 %, leucocitos 9.420/µL, urea 45 mg/dL.',
      ).map(({ testName, reviewReasons }) => `${testName} ${reviewReasons.join()}`),
    ).toEqual([
      'Hb unclear_columns',
      'Hto unclear_columns',
      'leucocitos unclear_columns',
      'PCR ',
      'Hb unclear_columns',
      'Hto unclear_columns',
      'leucocitos unclear_columns',
      'urea ',
    ]);
  });

  // prettier-ignore
  const NOT_TOLD: readonly string[] = [
    'Tratamiento: metformina 850 mg/12 h, hierro 80 mg/24 h, vitamina D 1000 UI/dia, insulina 10 UI/24 h, acido folico 5 mg/24 h.',
    'Exploracion: TA 128/74 mmHg, FC 104 lpm, SatO2 89 %, peso 72 kg, talla 170 cm, glucosa 180 mg/dL.',
    'A glucose below 100 mg/dL is normal, 100 to 125 mg/dL is prediabetes, 126 mg/dL or more is diabetes, LDL 100 mg/dL, HDL 40 mg/dL.',
  ];

  it.each(NOT_TOLD)('has none: %s', (line) => {
    expect(read(line)).toEqual([]);
  });
});

describe('results repeated in a summary', () => {
  it('are not duplicated, and keep unit and range', () => {
    expect(
      found(
        'ABNORMAL RESULTS',
        'LH                 14.8 H',
        'CANDIDA            POSITIVE *',
        '',
        'TEST               RESULT      ABN    REFERENCE     UNITS',
        'FSH                6.1                3.5-12.5      mIU/mL',
        'LH                 14.8        H      2.4-12.6      mIU/mL',
        'CANDIDA            POSITIVE    *      NEGATIVE',
      ),
    ).toEqual([
      ['FSH', '6.1', 'mIU/mL', '3.5-12.5'],
      ['LH', '14.8', 'mIU/mL', '2.4-12.6'],
      ['CANDIDA', 'POSITIVE', null, 'NEGATIVE'],
    ]);
  });

  it('keep a result without unit and range that appears nowhere else', () => {
    expect(
      found('pH                 6.0 H', 'Glucose            6.0         H      3.9-5.5       mmol/L'),
    ).toHaveLength(2);
  });
});

describe('ambiguous names and signs', () => {
  it('reads INR before a number as a name', () => {
    expect(
      found(
        'Taux de prothrombine         96 %        (70 - 130)',
        'INR                          1,02',
        'Fibrinogène                  3,62 g/L    (2,00 - 4,00)',
      ),
    ).toEqual([
      ['Taux de prothrombine', '96', '%', '70 - 130'],
      ['INR', '1,02', null, null],
      ['Fibrinogène', '3,62', 'g/L', '2,00 - 4,00'],
    ]);
  });

  it.each(['[  *]', '[*  ]', '[ * ]'])('does not read a star within the range as a flag: %s', (drawn) => {
    expect(read(`FT4        ng/dl      0,93 - 1,70     1,62      ${drawn}`)).toMatchObject([
      { printedValue: '1,62', flag: null },
    ]);
  });

  it('does not join words at the end of a page to a range', () => {
    expect(
      found(
        'Fibrinogeno       688      mg/dL           [200 - 400]',
        'D-Dimero          1240     ng/mL FEU       [< 500]',
        '                                      ./. segue',
      ),
    ).toEqual([
      ['Fibrinogeno', '688', 'mg/dL', '200 - 400'],
      ['D-Dimero', '1240', 'ng/mL FEU', '< 500'],
    ]);
  });
});

describe('result-like rows with names that no result has', () => {
  // prettier-ignore
  const LINES: readonly (readonly [line: string])[] = [
    ['31 Units or greater          Positive'],
    ['Units                        Weak Positive'],
    ['EMIS Number                  40217'],
    ['Date Created and Stored      2908'],
    ['Urin                         Spontanurin'],
    ['A serum folate concentration of    less than 3.1    ng/mL'],
    ['For someone without known diabetes, a glucose value    >125    mg/dL'],
    ['Objectif chez le diabétique type 2 : inférieur à 7 %'],
    ['eGFR 15-29: CKD stage G4 if persistent for more than 3 months. Advise nephrology'],
    ['MORPHOLOGY - RBC: Microcytic (+). WBC: Mild eosinophilia. PLATELETS: Adequate. Advice: iron studies'],
    ['PROTEINA C REACTIVA'],
    ['                 soit         8,0 mg/L'],
  ];

  it.each(LINES)('%s', (line) => {
    expect(found(HEAD, 'Sodium           140          mmol/L    136-145', '', line)).toEqual([
      ['Sodium', '140', 'mmol/L', '136-145'],
    ]);
  });
});
