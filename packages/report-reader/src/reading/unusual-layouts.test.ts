import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { sensitivityOf } from './line-kinds.ts';
import { readReport } from './read.ts';

const read = (...lines: string[]) => readReport([pageOf(lines)]).results;
const found = (...lines: string[]) =>
  read(...lines).map((line) => [line.testName, line.printedValue, line.unit, line.referenceRange]);

const HEAD = 'Test             Result      Units     Reference Range';

describe('one line', () => {
  // prettier-ignore
  const LINES: readonly (readonly [line: string, expected: object])[] = [
    ['Anti-HBs         6-10        IU/L      0-5',            { type: 'range', isAboveMax: true }],
    ['Bacteria         0-6         /HPF      0-5',            { isAboveMax: null }],
    ['ANA titre        1:320                 < 1:80',         { interpretation: 'abnormal' }],
    ['ANA titre        1:40                  < 1:80',         { interpretation: 'normal' }],
    ['Platelets        62000       cumm      150000-410000',  { unit: 'cumm', isBelowMin: true }],
    ['GGT              52          U/L       [- 35]',         { max: 35, isAboveMax: true }],
    ['GGT              52 -        U/L       60 - 90',        { flag: '-', flagLevel: 'low' }],
    ['Potassium        6.4*H       mmol/L    3.5-5.1',        { printedValue: '6.4', flag: '*H', flagLevel: 'high' }],
    ['Glucose          5,05        mmol/L    (N : 3,89 à 6,10)', { referenceRange: '3,89 à 6,10', max: 6.1 }],
    ['Platelets        267 000     /mm3      150 000 - 400 000', { value: 267000, isAboveMax: false }],
  ];

  it.each(LINES)('reads %s', (line, expected) => {
    expect(read(HEAD, line)[0]).toMatchObject(expected);
  });

  it('reads a comparison in words like one with a sign', () => {
    const [line] = read(
      'BETA HCG',
      'Resultado: Inferior a 1,20 mUI/mL',
      'Valor de referência: inferior a 5,00',
    );
    expect(line).toMatchObject({ value: 1.2, comparator: '<', max: 5, isAboveMax: false });
  });

  it('does not read a specific gravity as thousands with decimal commas', () => {
    const lines = read(
      'Exame        Resultado   Referência',
      'Densidade    1.015       1.005 a 1.035',
      'pH           5,5         5,0 a 7,0',
    );
    expect(lines[0]).toMatchObject({ value: 1.015, min: 1.005, max: 1.035 });
  });
});

describe('columns', () => {
  it('uses the newest of several dates, without the flags of the others', () => {
    const [sodium, ggt] = read(
      'Date          14/03/22    20/02/23    03/04/24',
      'Sodium        131 -       140         141         mmol/L     137-147',
      'GGT           48          91 H        33          U/L        0-70',
      'Potassium     4.2         4.4         4.9         mmol/L     3.5-5.0',
    );
    expect(sodium).toMatchObject({ printedValue: '141', flag: null });
    expect(ggt).toMatchObject({ printedValue: '33', flag: null });
  });

  it('reads unknown words in a cell aligned with the row above', () => {
    const lines = found(
      HEAD,
      'KRAS             Not Detected          Not Detected',
      'MSI status       Stable-ish            Stable',
    );
    expect(lines.at(1)).toEqual(['MSI status', 'Stable-ish', null, 'Stable']);
  });

  it('does not take the last row of a table for a heading of the next one', () => {
    const names = read(
      HEAD,
      'Sodium           140         mmol/L    136-145',
      'VDRL             Negative',
      HEAD,
      'Glucose          90          mg/dL     70-99',
    );
    expect(names.map(({ testName }) => testName)).toEqual(['Sodium', 'VDRL', 'Glucose']);
  });

  it('reads share and count of a cell, each with its range', () => {
    expect(
      found(
        'Examen        Resultado  Un.   Ref.       Resultado  Un.       Ref.',
        'Neutrófilos   58.2       %     50.0-70.0  4.83       10^3/uL   2.00-7.00',
      ),
    ).toEqual([
      ['Neutrófilos', '58.2', '%', '50.0-70.0'],
      ['Neutrófilos', '4.83', '10^3/uL', '2.00-7.00'],
    ]);
  });

  it('does not duplicate a result repeated in another unit system', () => {
    expect(
      found(
        HEAD,
        'Glycémie         5,05        mmol/L    3,89 - 6,10',
        '                 0,91        g/L       0,70 - 1,10',
        'HbA1c            6,9         %         4,0 - 6,0',
        'Soit             52          mmol/mol  20 - 42',
        'Neutrophiles     58          %         40 - 75',
        'Soit             3,99        G/L       1,80 - 7,50',
      ),
    ).toEqual([
      ['Glycémie', '5,05', 'mmol/L', '3,89 - 6,10'],
      ['HbA1c', '6,9', '%', '4,0 - 6,0'],
      ['Neutrophiles', '58', '%', '40 - 75'],
      ['Neutrophiles', '3,99', 'G/L', '1,80 - 7,50'],
    ]);
  });

  it('uses the first of two unit systems side by side, but both of two amounts', () => {
    expect(
      found(
        'Examen           Resultado  Unid.     Ref.          Resultado  Unid.      Ref.',
        'Glucosa          84         mg/dL     70 - 100      4.66       mmol/L     3.89 - 5.55',
        'Hematocrito      39,2       %         36 - 46       0,392      L/L        0,36 - 0,46',
        'Calcio urinario  8.0        mmol/L    2.0 - 9.0     12.1       mmol/24h   2.5 - 7.5',
      ).map(([name, value, unit]) => [name, value, unit]),
    ).toEqual([
      ['Glucosa', '84', 'mg/dL'],
      ['Hematocrito', '39,2', '%'],
      ['Calcio urinario', '8.0', 'mmol/L'],
      ['Calcio urinario', '12.1', 'mmol/24h'],
    ]);
  });
});

describe('ranges over several lines', () => {
  it('keeps the range line next to a method', () => {
    expect(
      found(
        HEAD,
        'Cholesterol      212         mg/dL     Desirable: < 200',
        '(CHOD-PAP)                             Borderline: 200 - 239',
        '                                       High: > 240',
      ),
    ).toEqual([['Cholesterol', '212', 'mg/dL', 'Desirable: < 200; Borderline: 200 - 239; High: > 240']]);
  });

  it('leaves range lines to the result above', () => {
    const lines = found(
      HEAD,
      'TSH              2.22        mIU/L',
      '                                       Reference Range',
      '                                       > or = 20 Years 0.40-4.50',
      '                                       First trimester 0.26-2.66',
      'HIV Ag/Ab        NEGATIVE              NEGATIVE',
    );
    expect(lines).toEqual([
      ['TSH', '2.22', 'mIU/L', '> or = 20 Years 0.40-4.50; First trimester 0.26-2.66'],
      ['HIV Ag/Ab', 'NEGATIVE', null, 'NEGATIVE'],
    ]);
  });
});

it('finds the value of a name at the end of a page', () => {
  const pages = [
    pageOf(['Sodium', 'Value', '140 mmol/L', 'Hepatitis C Antibody']),
    pageOf(['Value', 'Non-Reactive'], 2),
  ];
  expect(readReport(pages).results.map((line) => [line.testName, line.printedValue])).toEqual([
    ['Sodium', '140'],
    ['Hepatitis C Antibody', 'Non-Reactive'],
  ]);
});

it('reads an antibiogram as comments under its organism', () => {
  const lines = read(
    'Test                Result                Flag',
    'Culture, Urine      Escherichia coli      A',
    'Susceptibility: Escherichia coli',
    'Antibiotic          MIC (ug/mL)           Interpretation',
    'Ampicillin          >=32                  R',
    'Cefazolin           <=4                   S',
  );
  const graded = lines.map((line) => ({ ...line, sensitivity: sensitivityOf(line.printedValue) }));
  expect(graded).toMatchObject([
    { testName: 'Culture, Urine', printedValue: 'Escherichia coli' },
    {
      testName: 'Ampicillin',
      printedValue: '>=32 R',
      type: 'comment',
      sensitivity: 'insensitive',
      panel: 'Escherichia coli',
    },
    { testName: 'Cefazolin', printedValue: '<=4 S', type: 'comment', sensitivity: 'sensitive' },
  ]);
});

it('reads an antibiogram that begins with the culture name and has grades before MICs', () => {
  const lines = read(
    'BACTERIA                   MODERATE                    NONE SEEN',
    '                                                E. coli',
    '                                                INT      MIC',
    'CULTURE, URINE, ROUTINE    AMOX/CLAVULANATE     S        4',
    '                           AMPICILLIN           R        >=32',
    '                           CEFAZOLIN            NR       <=4 **1',
  );
  expect(lines.slice(1).map((line) => [line.testName, line.printedValue, line.value, line.panel])).toEqual([
    ['AMOX/CLAVULANATE', '4 S', null, 'E. coli'],
    ['AMPICILLIN', '>=32 R', null, 'E. coli'],
    ['CEFAZOLIN', '<=4 **1 NR', null, 'E. coli'],
  ]);
});

it('does not take a sensitive test for an antibiogram', () => {
  expect(found(HEAD, 'HIGH SENSITIVITY   17        ng/L      0-15')).toMatchObject([
    [expect.anything(), '17', 'ng/L', '0-15'],
  ]);
});

describe('running text', () => {
  // prettier-ignore
  const PROSE = [
    'For someone without known diabetes, a hemoglobin A1c value is consistent with 5.7 % of prediabetes in adults',
    'LDL goals depend on risk: below 70 for those with heart disease and below 100 for most others.',
    'Colon, biopsy: Colonic mucosa with 2 of 3 fragments showing no significant abnormality.',
    'S = Susceptible    I = Intermediate    R = Resistant',
  ];

  it.each(PROSE)('is not a result: %s', (line) => {
    expect(read(HEAD, 'Sodium           140         mmol/L    136-145', '', line)).toHaveLength(1);
  });
});

it('does not take patient data for results', () => {
  expect(read('Ana Ejemplo       Born 05/09/1953      Gender: Male')).toEqual([]);
});

it('does not take remarks of a practice for results', () => {
  expect(read('02-May-2024 08:40    Serum lipids - (A. Example) - Normal, no action')).toEqual([]);
});

describe('correct results are not marked', () => {
  // prettier-ignore
  const RIGHT: readonly (readonly string[])[] = [
    ['BNP              1,204 H     pg/mL     0-100'],
    ['CRP              77,9        mg/l      < 5', 'Kalium           4,1         mmol/l    3,5 - 5,1'],
    ['WBC              6-10 A      /HPF      0-5'],
    ['BUN/CREATININE   SEE NOTE              6-22'],
    ['Leucocitos       6840        /mm3      3500-10500', 'Basofilos        1           %', 'Basofilos        68          /mm3      0-100'],
  ];

  it.each(RIGHT)('%s', (...lines) => {
    expect(read(HEAD, ...lines).flatMap((line) => line.reviewReasons)).toEqual([]);
  });
});
