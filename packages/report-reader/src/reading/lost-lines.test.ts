import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const found = (lines: readonly string[], step = 14) =>
  readReport([pageOf(lines, 1, { step })]).results.map((line) => [
    line.testName,
    line.printedValue,
    line.unit,
    line.referenceRange,
  ]);

describe('results right before their units, far from their heading', () => {
  it('are not lines of one cell', () => {
    const lines = found(
      [
        'Esame          Esito              Unità      Valori di riferimento',
        'Proteine totali                 71   g/L        64 - 83',
        '',
        '                         URINE',
        'Colore            giallo oro vivo',
        'Aspetto                    limpido              limpido',
        'Densità                       1012              1005 - 1030',
        'pH                             6,5              5,0 - 7,5',
        'Proteine                   assenti              assenti',
        'Nitriti                    assenti              assenti',
      ],
      12,
    );
    expect(lines).toEqual([
      ['Proteine totali', '71', 'g/L', '64 - 83'],
      ['Colore', 'giallo oro vivo', null, null],
      ['Aspetto', 'limpido', null, 'limpido'],
      ['Densità', '1012', null, '1005 - 1030'],
      ['pH', '6,5', null, '5,0 - 7,5'],
      ['Proteine', 'assenti', null, 'assenti'],
      ['Nitriti', 'assenti', null, 'assenti'],
    ]);
  });
});

describe('a name followed by sample and method in one row', () => {
  it('names the result below, whatever its range says', () => {
    const lines = found([
      'PROGESTERONA Material: Soro - Método: Quimioluminescência',
      'Resultado:              8,4 ng/mL               Valores de referência:',
      '                                                Fase folicular: 0,1 a 0,9',
      '                                                Fase lútea: 1,8 a 24,0',
      'LH - HORMÔNIO LUTEINIZANTE Material: Soro - Método: Quimioluminescência',
      'Resultado:              5,1 mUI/mL              Valores de referência: 1,7 a 8,6',
      'TESTE DE GRAVIDEZ QUALITATIVO Material: Soro - Método: Imunocromatografia',
      'Resultado:              Negativo                Valores de referência: Negativo',
    ]);
    expect(lines).toEqual([
      ['PROGESTERONA', '8,4', 'ng/mL', 'Fase folicular: 0,1 a 0,9; Fase lútea: 1,8 a 24,0'],
      ['LH - HORMÔNIO LUTEINIZANTE', '5,1', 'mUI/mL', '1,7 a 8,6'],
      ['TESTE DE GRAVIDEZ QUALITATIVO', 'Negativo', null, 'Negativo'],
    ]);
  });
});

describe('a row right below another with an aligned number', () => {
  it('is a separate result if its name ends with its method', () => {
    const lines = found([
      'Analyse                      Resultat     Einheit     Referenz',
      'Albumin                      41.2         g/L         35.0 - 52.0',
      'Zonulin ELISA                4.7          %           < 1.7',
      'Copeptin (HPLC, IFCC)        9.9          pmol/L      < 17.4',
      'Ferritin                     86           ug/L        30 - 400',
    ]);
    expect(lines.map(([name, value]) => [name, value])).toEqual([
      ['Albumin', '41.2'],
      ['Zonulin ELISA', '4.7'],
      ['Copeptin (HPLC, IFCC)', '9.9'],
      ['Ferritin', '86'],
    ]);
  });

  it('is the same test in another unit if it has its own range and history, and no name', () => {
    const lines = found([
      'Analyse                      Résultat              Valeurs de référence     Antériorité',
      'Glycémie                     1,12  g/L             0,74 à 1,06              1,01',
      '                             6,2   mmol/L          4,1 à 5,9                5,6',
      'Créatinine                   9,8   mg/L            6,7 à 11,7               9,5',
    ]);
    expect(lines).toEqual([
      ['Glycémie', '1,12', 'g/L', '0,74 à 1,06'],
      ['Glycémie', '6,2', 'mmol/L', '4,1 à 5,9'],
      ['Créatinine', '9,8', 'mg/L', '6,7 à 11,7'],
    ]);
  });
});

describe('a row whose name was not read', () => {
  it('is not the result above in another unit if its range does not fit', () => {
    const lines = found([
      'Analyse                      Résultat              Valeurs de référence     Antériorité',
      'Acide urique                 71    mg/L            35 à 72                  66',
      '                             412   µg/L            30 à 400                 288',
      'Créatinine                   9,8   mg/L            6,7 à 11,7               9,5',
    ]);
    expect(lines.map(([name]) => name)).toEqual(['Acide urique', 'Créatinine']);
  });
});

describe('a row whose name was not read, under a heading', () => {
  const reasonsOf = (...lines: string[]) =>
    readReport([pageOf(lines)]).results.map((line) => line.reviewReasons);

  it('is marked in a table whose rows have names', () => {
    const reasons = reasonsOf(
      'Test                    Result      Units     Reference Range',
      'Sodium                  140         mmol/L    136-145',
      'Potassium               4.1         mmol/L    3.5-5.1',
      'Glucose                 90          mg/dL     70-99',
      'TUMOUR MARKERS',
      '                        4.82        ng/mL     < 4.00',
      'Free PSA                0.71        ng/mL     < 1.00',
    );
    expect(reasons.map((some) => some.includes('unclear_columns'))).toEqual([
      false,
      false,
      false,
      true,
      false,
    ]);
  });
});

describe('rows with few fields', () => {
  it('are results if a count per field is two numbers', () => {
    const lines = found([
      'SEDIMENTO URINARIO',
      'Leucocitos              2 - 3       por campo',
      'Hematíes                0 - 1       /campo',
      'Células epiteliales     Escasas',
      'Pus cells               4 - 6 /hpf',
    ]);
    expect(lines).toEqual([
      ['Leucocitos', '2 - 3', 'por campo', null],
      ['Hematíes', '0 - 1', '/campo', null],
      ['Células epiteliales', 'Escasas', null, null],
      ['Pus cells', '4 - 6', '/hpf', null],
    ]);
  });

  it('have no result if such a count is under the range heading', () => {
    const lines = found([
      'Test                  Result        Range           Unit',
      'Protein               Trace         Negative',
      'Pus cells                           0 - 5           /hpf',
      'Glucose               Negative      Negative',
    ]);
    expect(lines.map(([name]) => name)).toEqual(['Protein', 'Glucose']);
  });

  it('are results with an unknown unit under the unit heading', () => {
    const lines = found([
      'Test                  Result        Reference       Units',
      'Hours since food      12                            h',
      'Triglycerides         1.44          < 1.70          mmol/L',
    ]);
    expect(lines[0]).toEqual(['Hours since food', '12', 'h', null]);
  });

  it('are results if the finding is a phrase in its column', () => {
    const lines = found([
      'Esame                   Risultato                                          Unità     Riferimento',
      'S-IgA                   210                                                mg/dL     70 - 400',
      'Tipizzazione siero      Presenza di componente monoclonale IgM lambda',
    ]);
    expect(lines.at(-1)).toEqual([
      'Tipizzazione siero',
      'Presenza di componente monoclonale IgM lambda',
      null,
      null,
    ]);
  });
});

describe('names', () => {
  it('continue in a row that begins with a connecting word', () => {
    const lines = found([
      'Serum creatinine                     88         umol/L      [45 - 84]',
      'GFR estimate using cystatin C',
      ' per 1.73 square metres              54         mL/min',
      'Serum sodium                         140        mmol/L      [133 - 146]',
    ]);
    expect(lines[1]).toEqual(['GFR estimate using cystatin C per 1.73 square metres', '54', 'mL/min', null]);
  });

  it('may be blood groups, which are not a bound of 0', () => {
    const [line] = found([
      'Analyse                 Einheit     Referenz     Ergebnis',
      'AB0 / Rhesusfaktor                               A Rh neg',
      'Antikörpersuchtest                               negativ',
    ]);
    expect(line?.[0]).toBe('AB0 / Rhesusfaktor');
  });
});

describe('words in a result cell', () => {
  const TABLE = [
    'Análise                            Resultado    Unidades     Valores de referência',
    'RNA do vírus da hepatite C         1 480 000    UI/mL        < 15',
    'Leucócitos                         6,2          x10^9/L      4,0 - 10,0',
  ];

  // prettier-ignore
  const CELLS: readonly (readonly [line: string, name: string, value: string])[] = [
    ['Genótipo VHC                       3a',                                     'Genótipo VHC',     '3a'],
    ['JAK2 V617F                         mutado',                                 'JAK2 V617F',       'mutado'],
    ['Electroforese Hb                   AS',                                     'Electroforese Hb', 'AS'],
    ['Frotis                             Neutrofilia con granulación. No blastos.', 'Frotis',         'Neutrofilia con granulación. No blastos.'],
  ];

  it.each(CELLS)('are a result if aligned with numbers and names: %s', (line, name, value) => {
    expect(
      found([...TABLE, line])
        .at(-1)
        ?.slice(0, 2),
    ).toEqual([name, value]);
  });

  it('are none if not aligned', () => {
    expect(found([...TABLE, '    Genótipo VHC            a determinar'])).toHaveLength(2);
  });

  it('may name the target before the finding', () => {
    const lines = found([
      'Sodium                           138    mmol/L     (135-145)',
      'Potassium                        4.1    mmol/L     (3.5-5.2)',
      'Chloride                         101    mmol/L     (95-110)',
      'Xpert MTB/RIF Ultra              MTB complex DETECTED',
    ]);
    expect(lines.at(-1)).toEqual(['Xpert MTB/RIF Ultra', 'MTB complex DETECTED', null, null]);
  });
});

describe('large numbers and header words', () => {
  it('are results with a unit', () => {
    expect(
      found([
        'Test                   Result     Units            Reference',
        'HIV viral load         128400     RNA copies/mL',
        'Total volume           1840       mL',
        'Protein                7.10       g/24h            < 0.15',
      ]),
    ).toEqual([
      ['HIV viral load', '128400', 'RNA copies/mL', null],
      ['Total volume', '1840', 'mL', null],
      ['Protein', '7.10', 'g/24h', '< 0.15'],
    ]);
  });
});

describe('findings next to another number', () => {
  it('are the result, unlike a cutoff without a colon', () => {
    const lines = found([
      'Amphetamines            Negative      Cutoff 500 ng/mL',
      'Cannabinoids            POSITIVE      Cutoff 50 ng/mL',
      'Creatinine, urine       112 mg/dL     20 - 300',
    ]);
    expect(lines.map(([name, value]) => [name, value])).toEqual([
      ['Amphetamines', 'Negative'],
      ['Cannabinoids', 'POSITIVE'],
      ['Creatinine, urine', '112'],
    ]);
  });

  it('may be a duration in two numbers', () => {
    const lines = found([
      'Test                   Result              Reference',
      'Haemoglobin            13.2 g/dL           12 - 16',
      'Bleeding time          2 min 30 sec        2 - 7 min',
    ]);
    expect(lines[1]?.slice(0, 2)).toEqual(['Bleeding time', '2 min 30 sec']);
  });
});
