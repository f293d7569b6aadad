import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { generateCase } from '../../test/reports.ts';
import { readPdfWords } from './pdf-words.ts';
import { readReport } from './read.ts';
import type { ParsedReport } from './report-model.ts';

const read = (...lines: string[]): ParsedReport => readReport([pageOf(lines)]);
const only = (...lines: string[]) =>
  read('Test             Result      Units     Reference Range', ...lines).results[0];

describe('one line', () => {
  // prettier-ignore
  const LINES: readonly (readonly [line: string, expected: object])[] = [
    ['Glucose          93          mg/dL     70-99', { testName: 'Glucose', printedValue: '93', value: 93, unit: 'mg/dL', min: 70, max: 99, interpretation: 'normal' }],
    ['Glucose          193 H       mg/dL     70-99', { printedValue: '193', flag: 'H', flagLevel: 'high', isAboveMax: true, interpretation: 'abnormal' }],
    ['Glucose          193H        mg/dL     70-99', { printedValue: '193', flag: 'H' }],
    ['Glucose          *193        mg/dL     70-99', { printedValue: '193', flag: '*', flagLevel: 'high' }],
    ['eGFR             >90         mL/min/1.73m2  >59', { printedValue: '>90', comparator: '>', value: 90, min: 59, max: null, isBelowMin: false }],
    ['CRP              <0.5        mg/L      < OR = 5.0', { comparator: '<', value: 0.5, max: 5, interpretation: 'normal' }],
    ['CA 19-9          12.3        U/mL      0-37', { testName: 'CA 19-9', value: 12.3, max: 37 }],
    ['T4, Free         1.2         ng/dL     0.8-1.8', { testName: 'T4, Free', value: 1.2 }],
    ['Vitamin B12      512         pg/mL     232-1245', { testName: 'Vitamin B12', value: 512 }],
    ['ANA Titer        1:80                  <1:40', { printedValue: '1:80', type: 'ratio' }],
    ['Protein          Trace                 Negative', { printedValue: 'Trace', type: 'comment', interpretation: 'abnormal' }],
    ['HIV Ag/Ab        Non-Reactive          Non-Reactive', { type: 'boolean', interpretation: 'normal' }],
    ['Hematocrit       44.1        %         36-48', { type: 'percentage' }],
    ['APTT             32          sec       24-33', { type: 'duration' }],
    ['Glucose          193         mg/dL     70-99', { flag: null, interpretation: 'abnormal', isAboveMax: true }],
    ['Potassium        7.9 HH      mmol/L    3.5-5.1', { flagLevel: 'critical_high', interpretation: 'critical' }],
  ];

  it.each(LINES)('reads %s', (line, expected) => {
    expect(only(line)).toMatchObject(expected);
  });

  it('follows the decimal sign of the report', () => {
    const { results } = read(
      'Untersuchung     Ergebnis   Einheit   Referenzbereich',
      'Kalium           4,1        mmol/l    3,5 - 5,1',
      'Thrombozyten     1.250      /nl       150 - 400',
      'Kreatinin        0,9        mg/dl     bis 1,2',
    );
    expect(results.map((line) => [line.value, line.max])).toEqual([
      [4.1, 5.1],
      [1250, 400],
      [0.9, 1.2],
    ]);
  });

  it('chooses the range of the patient', () => {
    const lines = (sex: string) =>
      read(
        `Name: Ann Sample    Sex: ${sex}    DOB: 01/15/1980`,
        'Test             Result      Units     Reference Range',
        'Ferritin         64          ng/mL     Male: 30-400 Female: 13-150',
      );
    expect(lines('F').results[0]).toMatchObject({ min: 13, max: 150 });
    expect(lines('M').results[0]).toMatchObject({ min: 30, max: 400 });
  });
});

describe('text that is not a result', () => {
  it('leaves out the header, notes and legends', () => {
    const { results, metadata } = read(
      'Patient: SAMPLE, GRACE    DOB: 07/15/1981    Phone: 555-1234    Age: 43',
      'Test             Result      Units     Reference Range',
      'LDL Cholesterol  101         mg/dL     <130',
      'Optimal <100 mg/dL Near optimal 100-129 mg/dL High >=160 mg/dL',
      'For patients with diabetes a goal of less than 7.0 % is recommended by 3 societies.',
      'Page 1 of 2    CLIA 00D0000000',
    );
    expect(results.map((line) => line.testName)).toEqual(['LDL Cholesterol']);
    expect(metadata).toMatchObject({
      patientFirstName: 'GRACE',
      patientLastName: 'SAMPLE',
      dob: '1981-07-15',
    });
  });

  it('reads a range, but no results, from notes under a result', () => {
    const { results } = read(
      'Test Name                In Range   Out Of Range   Reference Range          Lab',
      'LDL-CHOLESTEROL                       134 H       mg/dL (calc)             EN',
      '  Reference range: <100',
      '  Desirable range <100 mg/dL for primary prevention;',
      '  <70 mg/dL for patients with CHD or diabetic patients',
      '  (JAMA. 2013;310(19): 2061-2068)',
      'HEMOGLOBIN A1c                         6.1 H       <5.7 % of total Hgb      EN',
      '    For someone without known diabetes, a hemoglobin A1c value',
      '    between 5.7% and 6.4% is consistent with prediabetes',
    );
    expect(results.map((line) => [line.testName, line.printedValue, line.max])).toEqual([
      ['LDL-CHOLESTEROL', '134', 100],
      ['HEMOGLOBIN A1c', '6.1', 5.7],
    ]);
  });

  it('reads tests in separate blocks, and counts next to shares', () => {
    const { results } = read(
      'Leucocitos...........: 6.530 /mm3            3.500 a 10.500',
      'Neutrofilos..........: 55,0 %   3.592 /mm3   1.700 a 7.000',
      'COLESTEROL TOTAL',
      'Resultado: 214 mg/dL',
      'Valores de referencia:',
      'Desejavel: menor que 190 mg/dL',
      'Alto: maior que 240 mg/dL',
    );
    expect(results.map((line) => [line.testName, line.value, line.unit, line.max])).toEqual([
      ['Leucocitos', 6530, '/mm3', 10500],
      ['Neutrofilos', 3592, '/mm3', 7000],
      ['COLESTEROL TOTAL', 214, 'mg/dL', 190],
    ]);
  });

  it('leaves out previous results', () => {
    const { results } = read(
      'Test             Result   Previous   Units     Range',
      'Sodium           141      133        mmol/L    136-145',
    );
    expect(results.map((line) => line.printedValue)).toEqual(['141']);
  });

  it('reports an unsupported alphabet', () => {
    const report = read(
      '检验项目 结果 单位 参考范围 白细胞计数 红细胞计数 血红蛋白 血小板计数 患者姓名 性别 年龄',
    );
    expect(report).toMatchObject({ canRead: false, results: [] });
  });
});

describe('doubts', () => {
  const HEAD = 'Test             Result      Units     Reference Range';
  // prettier-ignore
  const CASES: readonly (readonly [reason: string, ...lines: string[]])[] = [
    ['flag_disagrees_with_range', 'Glucose          83 H        mg/dL     70-99'],
    ['decimals_differ_from_range', 'Potassium        41          mmol/L    3.5-5.1'],
    ['implausible_value', 'Sodium           14          mmol/L    136-145'],
    ['differential_not_near_100', 'Neutrophils      80.0        %         40-74', 'Lymphocytes      40.0        %         19-48', 'Monocytes        5.0         %         3-9', 'Eosinophils      2.0         %         0-7', 'Basophils        1.0         %         0-1'],
    ['indices_disagree', 'RBC              4.50        M/uL      4.2-5.8', 'Hematocrit       62.0        %         36-48', 'MCV              90.0        fL        80-100'],
    ['ldl_differs_from_formula', 'Cholesterol      200         mg/dL     <200', 'HDL              50          mg/dL     >40', 'Triglycerides    100         mg/dL     <150', 'LDL              31          mg/dL     <130'],
    ['globulin_differs_from_formula', 'Total Protein    7.0         g/dL      6-8', 'Albumin          4.0         g/dL      3-5', 'Globulin         1.0         g/dL      1-4'],
  ];

  it.each(CASES)('marks %s', (reason, ...lines) => {
    const { results } = read(HEAD, ...lines);
    expect(results.flatMap((line) => line.reviewReasons)).toContain(reason);
  });

  it('does not mark consistent results', () => {
    const { results } = read(
      HEAD,
      'Total Protein    7.0         g/dL      6-8',
      'Albumin          4.0         g/dL      3-5',
      'Globulin         3.0         g/dL      1-4',
    );
    expect(results.flatMap((line) => line.reviewReasons)).toEqual([]);
  });
});

it('never throws for any words', () => {
  const lines = Array.from({ length: 60 }, (_, row) =>
    Array.from(
      { length: 30 },
      (__, column) => ['-', '<', '(', '1/2', '%', 'H', '9,9.9', '..', '↑', 'a'][(row * 7 + column * 3) % 10],
    ).join(' '),
  );
  expect(() => read(...lines)).not.toThrow();
  expect(readReport([])).toMatchObject({ results: [], language: null });
});

describe('a generated PDF', () => {
  let report: ParsedReport;
  beforeAll(async () => {
    const { pdf } = await generateCase('deLabor', 3);
    report = readReport(await readPdfWords(pdf, { maxPages: 30 }));
  });

  it('is read with header, boxes, panels and language', () => {
    expect(report.language).toBe('de');
    expect(report.metadata).toMatchObject({
      labName: 'MVZ Labor Beispielstadt',
      gender: expect.stringMatching(/male/),
    });
    expect(report.results[0]).toMatchObject({ panel: 'Blutbild', specimen: 'serum_plasma_blood' });
    expect(report.results.every((line) => line.boxes.value && line.boxes.name)).toBe(true);
  });

  it('throws if the file is not a PDF', async () => {
    await expect(readPdfWords(await readFile(new URL(import.meta.url)), { maxPages: 1 })).rejects.toThrow();
  });
});

it('does not take the laboratory for a panel', async () => {
  for (const [layout, panels] of [
    [
      'usHospital',
      ['COMPLETE BLOOD COUNT', 'COMPREHENSIVE METABOLIC PANEL', 'LIPID PANEL', 'ENDOCRINOLOGY', 'URINALYSIS'],
    ],
    ['dePraxis', ['Blutbild', 'Klinische Chemie', 'Lipidstatus', 'Hormone und Vitamine']],
  ] as const) {
    const { pdf } = await generateCase(layout, 3);
    const { metadata, results } = readReport(await readPdfWords(pdf, { maxPages: 30 }));
    expect(metadata.labName).toMatch(/\p{L}/u);
    expect([...new Set(results.map(({ panel }) => panel))]).toEqual(panels);
    expect(results.filter(({ section }) => section !== null)).toEqual([]);
  }
});
