import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import type { ReportWord } from './report-model.ts';
import { readReport } from './read.ts';

const read = (...lines: string[]) => readReport([pageOf(lines)]).results;
const found = (...lines: string[]) =>
  read(...lines).map((line) => [line.testName, line.printedValue, line.unit, line.referenceRange, line.flag]);

const HEAD = 'Test                        Result           Units     Reference';
const NEXT = 'Sodium                      140              mmol/L    136-145';
const SODIUM = ['Sodium', '140', 'mmol/L', '136-145', null];

describe('dotted leaders', () => {
  it('leave no dot on the number after them', () => {
    const lines = [
      'Haemoglobin. . . . . . . . . . . . . . . . . . . .11.2 g/dL (11.5-16.0) low',
      'Free T4. . . . . . . . . . . . . . . . . . . . . .9 pmol/L (7.9-14.4)',
      'Tissue transglutaminase IgA. . . . . . . . . . . .0.6 U/mL (<7.0)',
      'Ratio . . . . . . . . . . . . . . . . . . . . . .  .45 mg/mmol (<3.0)',
    ];
    expect(found(...lines).map(([, value, , range]) => [value, range])).toEqual([
      ['11.2', '11.5-16.0'],
      ['9', '7.9-14.4'],
      ['0.6', '<7.0'],
      ['.45', '<3.0'],
    ]);
  });

  it('cause a mark if the last dot may be a decimal point', () => {
    const [line] = read(
      'Bilirubin . . . . . . . . . . . . . . . . . . . . .5 mg/dL (<1.0)',
      'Calcium . . . . . . . . . . . . . . . . . . . . . . 9.1 mg/dL (8.5-10.5)',
    );
    expect(line?.reviewReasons).toContain('low_confidence');
  });

  it('are not a result on their own', () => {
    const [line] = read(HEAD, 'Tissue transglutaminase     ·0.6o            U/mL      (<7.0)', NEXT);
    expect(line?.printedValue === '<7.0' && line.reviewReasons.length === 0).toBe(false);
  });
});

describe('a number', () => {
  /** The words of a line, separated by blanks of this width in points. */
  const withBlank = (blank: number, words: readonly ReportWord[]): ReportWord[] =>
    words.map((word, index) => {
      const before = words[index - 1];
      const isThousand = before?.text === '1' && word.text === '240';
      const isUnit = before?.text === '240';
      const shift = isThousand || isUnit ? (blank - 6) * (isUnit ? 2 : 1) : 0;
      return { ...word, box: { ...word.box, x0: word.box.x0 + shift, x1: word.box.x1 + shift } };
    });

  it('keeps its thousands across a full blank', () => {
    const page = pageOf([HEAD, 'D-Dimers                    1 240 ng/mL                (< 500)', NEXT]);
    const [line] = readReport([{ ...page, words: withBlank(4, page.words) }]).results;
    expect(line).toMatchObject({ printedValue: '1 240', value: 1240, isAboveMax: true });
  });

  it('at the end of a name is not a result next to one with a unit', () => {
    expect(
      found(
        'Alfa 1......................:      0,22 g/dl             V.R.: 0,10 - 0,40',
        'Alfa 2......................:      0,74 g/dl             V.R.: 0,50 - 1,00',
        'Beta........................:      0,86 g/dl             V.R.: 0,60 - 1,20',
      ).map(([name, value]) => [name, value]),
    ).toEqual([
      ['Alfa 1', '0,22'],
      ['Alfa 2', '0,74'],
      ['Beta', '0,86'],
    ]);
  });
});

describe('the number that a name ends with', () => {
  // prettier-ignore
  it.each([
    ['Alfa 1: 7 mmol/L (3 - 8)',             'Alfa 1',          '7'],
    ['Glucose 120 min: 7,2 mmol/L (3 - 8)',  'Glucose 120 min', '7,2'],
  ])('is of the name before a colon: %s', (line, name, value) => {
    const [first] = found(line, 'Sodium: 140 mmol/L (136 - 145)', 'Calcium: 2,31 mmol/L (2,15 - 2,55)');
    expect(first?.slice(0, 2)).toEqual([name, value]);
  });

  // prettier-ignore
  it.each([
    ['Factor 8                    <0.6             U/mL      (<7.0)',  '<0.6'],
    ['Interleukin 6               > 100            %         80 - 120', '> 100'],
    ['CA 125                      U/mL             <0.6      (<7.0)',  '<0.6'],
    ['Glucose 120 min             7                mmol/L    3 - 8',   '7'],
    ['Cortisol 8 am               0.6              ug/dL     5 - 25',  '0.6'],
  ])('passes for no result unseen: %s', (line, value) => {
    const [first] = read('Sodium                      140              mmol/L    136-145', line, NEXT).slice(1);
    expect(first?.printedValue === value || first?.reviewReasons.includes('unclear_columns')).toBe(true);
  });

  it('is not half of a value', () => {
    const [line] = read(HEAD, 'D-Dimers                    1 240 H          ng/mL     (< 500)', NEXT);
    expect(line).toMatchObject({ value: 1240, flag: 'H' });
  });
});

describe('words', () => {
  it('keep their titer', () => {
    const lines = [
      'Parietal cell antibodies    Positive, titre 1:160      Negative at 1:40',
      'Smooth muscle antibodies    Positivo, titulo 1:80      Negativo',
    ];
    expect(found(HEAD, ...lines, NEXT)).toEqual([
      ['Parietal cell antibodies', 'Positive, titre 1:160', null, 'Negative at 1:40', null],
      ['Smooth muscle antibodies', 'Positivo, titulo 1:80', null, 'Negativo', null],
      SODIUM,
    ]);
  });

  it('have no unit from their range', () => {
    expect(
      found(
        'ANTICUERPOS ANTI TRANSGLUTAMINASA IgA ............ Negativo (2,1 U/ml)',
        '     Metodo: FEIA',
        '     Valor de referencia: Negativo: menor de 7 U/ml',
      ),
    ).toEqual([
      [
        'ANTICUERPOS ANTI TRANSGLUTAMINASA IgA',
        'Negativo (2,1 U/ml)',
        null,
        'Negativo: menor de 7 U/ml',
        null,
      ],
    ]);
  });

  it('keep a trailing sign in brackets as their flag', () => {
    expect(
      found(
        HEAD,
        'Bilirubin                   ++ (+)                     Negative',
        'Urobilinogen                Raised (+)                 Normal',
        NEXT,
      ),
    ).toEqual([
      ['Bilirubin', '++', null, 'Negative', '(+)'],
      ['Urobilinogen', 'Raised', null, 'Normal', '(+)'],
      SODIUM,
    ]);
  });
});

describe('units', () => {
  // prettier-ignore
  it.each([
    ['eGFR                        53               mL/min/1.73m**2   >=60', 'mL/min/1.73m**2'],
    ['pCO2                        7.9              kPa       4.7 - 6.0', 'kPa'],
  ])('are known: %s', (line, unit) => {
    expect(found(HEAD, line, NEXT)[0]?.[2]).toBe(unit);
  });
});

describe('ranges', () => {
  it('belong to the count across a share that cannot have them', () => {
    expect(
      found(
        'Analyse                 Resultat   Unite       Unite     Normales',
        'Hemoglobine             14,8       g/dl                  13,0 - 17,0',
        'Neutrophiles            4 161      /mm3        57 %      1 800 - 7 500',
        'Lymphocytes             2 409      /mm3        33 %      1 000 - 4 000',
        'Plaquettes              241        G/L                   150 - 400',
      ).slice(1, 3),
    ).toEqual([
      ['Neutrophiles', '4 161', '/mm3', '1 800 - 7 500', null],
      ['Lymphocytes', '2 409', '/mm3', '1 000 - 4 000', null],
    ]);
  });

  it('exclude a share in their cell', () => {
    const [line] = found(
      HEAD,
      'Neutrofili                  2,76             10^9/L    [2,00 - 7,00]  (54,9 %)',
      NEXT,
    );
    expect(line).toEqual(['Neutrofili', '2,76', '10^9/L', '2,00 - 7,00', null]);
  });

  it('are marked if there are two without a condition', () => {
    const lines = read(
      'Vitamin assay                           14.9       pmol/L',
      '                                        Reference: 0.45 to 4.50',
      '                                        Reference: 10.0 to 20.0',
      'Cortisol, 8 am, serum                   412        nmol/L',
      '                                        Reference: 133 to 537',
    );
    expect(lines.map(({ reviewReasons }) => reviewReasons)).toEqual([['unclear_columns'], []]);
  });

  it('are not joined to the next result if a bracket of the name is closed below', () => {
    expect(
      found(
        'Cortisol, 8 am, serum                   412        nmol/L',
        '                                        Reference: 133 to 537',
        'Thyroid stimulating hormone (third      1.82       mIU/L',
        'generation), serum',
        '                                        Reference: 0.45 to 4.50',
        'Free thyroxine (FT4), serum             14.9       pmol/L',
        '                                        Reference: 10.0 to 20.0',
      ),
    ).toEqual([
      ['Cortisol, 8 am, serum', '412', 'nmol/L', '133 to 537', null],
      ['Thyroid stimulating hormone (third generation), serum', '1.82', 'mIU/L', '0.45 to 4.50', null],
      ['Free thyroxine (FT4), serum', '14.9', 'pmol/L', '10.0 to 20.0', null],
    ]);
  });
});
