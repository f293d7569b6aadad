import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';
import type { ReportPage } from './report-model.ts';

const read = (page: ReportPage) =>
  readReport([page]).results.map((line) => [
    line.testName,
    line.printedValue,
    line.unit,
    line.referenceRange,
  ]);

describe('a report with one test per block', () => {
  it('may have titles in smaller print than the results', () => {
    const page = pageOf([
      'UREIA',
      'Resultado:        38 mg/dL',
      '                              Valor de referência:',
      '                              15 a 45 mg/dL',
      'ALBUMINA',
      'Resultado:        4,1 g/dL',
      '                              Valor de referência:',
      '                              Masculino: até 5,2 g/dL',
      '                              Feminino: até 5,0 g/dL',
      'HEPATITE C, ANTICORPOS',
      'Resultado:        Não reagente',
      '                              Valor de referência:',
      '                              Não reagente',
    ]);
    const isTitle = (text: string) => /^\P{Ll}{4,}$/u.test(text);
    const rows = new Set(page.words.filter(({ text }) => isTitle(text)).map(({ box }) => box.y0));
    const words = page.words.map((word) =>
      rows.has(word.box.y0) || word.box.x0 > 190 ? { ...word, fontSize: 8.8 } : word,
    );
    expect(read({ ...page, words })).toEqual([
      ['UREIA', '38', 'mg/dL', '15 a 45'],
      ['ALBUMINA', '4,1', 'g/dL', 'Masculino: até 5,2 g/dL; Feminino: até 5,0 g/dL'],
      ['HEPATITE C, ANTICORPOS', 'Não reagente', null, 'Não reagente'],
    ]);
  });

  it('may have each labeled range below its result', () => {
    const lines = read(
      pageOf([
        '   Hemoglobina .......................  12,8 g/dl',
        '        V. de ref.: 13,0 - 17,0 g/dl',
        '   Plaquetas .........................  210.000 /mm3',
        '        V. de ref.: 150.000 - 400.000 /mm3',
        '   Glucemia ..........................  1,02 g/l',
        '        V. de ref.: 0,70 - 1,10 g/l',
        '        Método: enzimático',
        'PROTEINOGRAMA',
        '   Soporte: tiras de acetato. Densitometría.',
        '   Proteínas totales .................  7,2 g/dl',
        '        V. de ref.: 6,1 - 8,1 g/dl',
        '   Relación A/G ......................  1,10',
        '        V. de ref.: 1,20 - 2,20',
        '   Eritrosedimentación ...............  14 mm',
        '        V. de ref.: hasta 20 mm',
      ]),
    );
    expect(lines).toEqual([
      ['Hemoglobina', '12,8', 'g/dl', '13,0 - 17,0'],
      ['Plaquetas', '210.000', '/mm3', '150.000 - 400.000'],
      ['Glucemia', '1,02', 'g/l', '0,70 - 1,10'],
      ['Proteínas totales', '7,2', 'g/dl', '6,1 - 8,1'],
      ['Relación A/G', '1,10', null, '1,20 - 2,20'],
      ['Eritrosedimentación', '14', 'mm', 'hasta 20'],
    ]);
  });

  it('may have a "Result" heading above the names of each block', () => {
    const lines = read(
      pageOf([
        'CREATININA',
        'Material: Soro   Método: Jaffé   Coleta: 25/02/2026 07:20',
        'Resultado                                                    Valor de referência',
        'CREATININA                          1,08 mg/dL               0,70 a 1,30',
        'eGFR (CKD-EPI 2021)                   86 mL/min/1,73 m²      Superior a 60',
        '',
        'VITAMINA D - 25 HIDROXI',
        'Material: Soro   Método: Quimioluminescência   Coleta: 25/02/2026 07:20',
        'Resultado                                                    Valor de referência',
        'VITAMINA D - 25 HIDROXI             27,3 ng/mL               superior a 20',
        '',
        'HIV 1 e 2 - ANTÍGENO E ANTICORPOS',
        'Resultado                                                    Valor de referência',
        'HIV 1 e 2 - ANTÍGENO E ANTICORPOS   Não reagente             Não reagente',
      ]),
    );
    expect(lines).toEqual([
      ['CREATININA', '1,08', 'mg/dL', '0,70 a 1,30'],
      ['eGFR (CKD-EPI 2021)', '86', 'mL/min/1,73 m²', 'Superior a 60'],
      ['VITAMINA D - 25 HIDROXI', '27,3', 'ng/mL', 'superior a 20'],
      ['HIV 1 e 2 - ANTÍGENO E ANTICORPOS', 'Não reagente', null, 'Não reagente'],
    ]);
  });

  it('keeps "Result" as the result heading if results are below it', () => {
    const lines = read(
      pageOf([
        'CORTISOL',
        'Resultado                 Valor de referência',
        '14,2 µg/dL                6,2 a 19,4',
      ]),
    );
    expect(lines).toEqual([['CORTISOL', '14,2', 'µg/dL', '6,2 a 19,4']]);
  });

  it('may have headings and result below material and method', () => {
    const lines = read(
      pageOf([
        'GLUCOSA BASAL EN SUERO',
        'Método: Hexoquinasa                 Muestra: Suero',
        '        Su resultado            Unidades         Valores de referencia',
        '        104                     mg/dL            70 - 99',
        'ANTICUERPOS ANTI-HIV',
        'Método: Quimioluminiscencia         Muestra: Suero',
        '        Su resultado            Unidades         Valores de referencia',
        '        No reactivo                              No reactivo',
        'PRUEBA DE EMBARAZO',
        'Método: Inmunocromatografía         Muestra: Orina',
        '        Su resultado            Unidades         Valores de referencia',
        '        Positivo                                 Negativo',
      ]),
    );
    expect(lines).toEqual([
      ['GLUCOSA BASAL EN SUERO', '104', 'mg/dL', '70 - 99'],
      ['ANTICUERPOS ANTI-HIV', 'No reactivo', null, 'No reactivo'],
      ['PRUEBA DE EMBARAZO', 'Positivo', null, 'Negativo'],
    ]);
  });

  it('may have its headings between name and result', () => {
    const lines = read(
      pageOf([
        'GLICOSE',
        '                  Resultado                                    Valor de referência',
        'Glicose                              93 mg/dL                  70 a 99',
        'UREIA',
        '                  Resultado                                    Valor de referência',
        'Ureia                                31 mg/dL                  15 a 45',
      ]),
    );
    expect(lines).toEqual([
      ['Glicose', '93', 'mg/dL', '70 a 99'],
      ['Ureia', '31', 'mg/dL', '15 a 45'],
    ]);
  });

  it('may have small test and section titles, with the material between title and result', () => {
    const page = pageOf([
      'Plaquetas                   224.000 /mm3     150.000 a 450.000',
      'SOROLOGIA',
      'RUBÉOLA, ANTICORPOS IgG',
      'Material: soro',
      'RESULTADO:                  42,6 UI/mL',
      'VALOR DE REFERÊNCIA:        superior a 10,0 UI/mL',
      'HIV 1 e 2, ANTICORPOS E ANTÍGENO p24',
      'Material: soro',
      'RESULTADO:                  Não reagente',
      'VALOR DE REFERÊNCIA:        Não reagente',
      'IMUNO-HEMATOLOGIA',
      'GRUPO SANGUÍNEO',
      'Material: sangue total',
      'RESULTADO:                  O',
    ]);
    const isLarge = (text: string) => /^(?:Plaquetas|RESULTADO|VALOR)/.test(text);
    const large = new Set(page.words.filter(({ text }) => isLarge(text)).map(({ box }) => box.y0));
    const words = page.words.map((word) => (large.has(word.box.y0) ? word : { ...word, fontSize: 8.8 }));
    expect(read({ ...page, words })).toEqual([
      ['Plaquetas', '224.000', '/mm3', '150.000 a 450.000'],
      ['RUBÉOLA, ANTICORPOS IgG', '42,6', 'UI/mL', 'superior a 10,0'],
      ['HIV 1 e 2, ANTICORPOS E ANTÍGENO p24', 'Não reagente', null, 'Não reagente'],
      ['GRUPO SANGUÍNEO', 'O', null, null],
    ]);
  });

  it('may label the test name, and the result with dot leaders', () => {
    const lines = read(
      pageOf([
        'EXAME: GLICEMIA DE JEJUM',
        'MATERIAL: Plasma                MÉTODO: Enzimático',
        'RESULTADO ............: 98 mg/dL',
        'VALORES DE REFERÊNCIA : 70 a 99 mg/dL',
        'RESULTADO ANTERIOR ...: 101 mg/dL em 10/01/2024',
        '',
        'EXAME: PESQUISA DE SANGUE OCULTO',
        'MATERIAL: Fezes                 MÉTODO: Imunocromatografia',
        'RESULTADO ............: NEGATIVO',
        'VALORES DE REFERÊNCIA : NEGATIVO',
      ]),
    );
    expect(lines).toEqual([
      ['GLICEMIA DE JEJUM', '98', 'mg/dL', '70 a 99'],
      ['PESQUISA DE SANGUE OCULTO', 'NEGATIVO', null, 'NEGATIVO'],
    ]);
  });

  it('may have "Result" without a colon under the name', () => {
    const lines = read(
      pageOf([
        'S-Ferritina',
        '  Risultato        34  ng/mL        [30 - 400]',
        'S-Vitamina B12',
        '  Risultato        188 pg/mL    *   [197 - 771]',
        'S-TSH',
        '  Risultato        2,31 mUI/L       [0,27 - 4,20]',
      ]),
    );
    expect(lines).toEqual([
      ['S-Ferritina', '34', 'ng/mL', '30 - 400'],
      ['S-Vitamina B12', '188', 'pg/mL', '197 - 771'],
      ['S-TSH', '2,31', 'mUI/L', '0,27 - 4,20'],
    ]);
  });

  it('reads "Result" under a title even if a header line looks like headings', () => {
    const lines = read(
      pageOf([
        'Befund                                       Datum 12.03.2025',
        'JAK2-Mutation (V617F)',
        'Ergebnis:          nicht nachweisbar',
        '',
        'Blutgruppe',
        'Ergebnis:          A',
      ]),
    );
    expect(lines).toEqual([
      ['JAK2-Mutation (V617F)', 'nicht nachweisbar', null, null],
      ['Blutgruppe', 'A', null, null],
    ]);
  });

  it('may have "Normal" before the range below each result', () => {
    const lines = read(
      pageOf([
        'Sodium                     138 mmol/L',
        'Normal                     135 - 145',
        'Potassium                  4.9 mmol/L',
        'Normal                     3.5 - 5.1',
        'Hepatitis B core antibody  Reactive',
        'Normal                     Non-reactive',
      ]),
    );
    expect(lines).toEqual([
      ['Sodium', '138', 'mmol/L', '135 - 145'],
      ['Potassium', '4.9', 'mmol/L', '3.5 - 5.1'],
      ['Hepatitis B core antibody', 'Reactive', null, 'Non-reactive'],
    ]);
  });
});
