import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

/** A line of a table: name, value with its flag, unit and range. */
const toLine = (row: string): string => {
  const [name = '', value = '', unit = '', range = ''] = row.split('|').map((cell) => cell.trim());
  return `${name.padEnd(34)}${value.padEnd(14)}${unit.padEnd(22)}${range}`;
};

const doubtsOf = (rows: readonly string[]): string[] =>
  readReport([pageOf(['Test | Result | Units | Reference Range', ...rows].map(toLine))]).results.flatMap(
    ({ testName, reviewReasons }) => reviewReasons.map((reason) => `${testName}: ${reason}`),
  );

// prettier-ignore
const RULES: readonly (readonly [rule: string, doubt: string, misread: readonly string[], right: readonly string[]])[] = [
  ['flag and range', 'Glucose: flag_disagrees_with_range',
    ['Glucose | 83 H | mg/dL | 70-99'], ['Glucose | 103 H | mg/dL | 70-99']],
  ['a value far outside without a flag, where others have one', 'Ferritin: missing_flag_of_value_out_of_range',
    ['Glucose | 103 H | mg/dL | 70-99', 'Ferritin | 3400 | ng/mL | 30-400'],
    ['Glucose | 103 H | mg/dL | 70-99', 'Ferritin | 3400 H | ng/mL | 30-400']],
  ['sum of a differential', 'Lymphocytes: differential_not_near_100',
    ['Neutrophils | 60 | % | 40-74', 'Lymphocytes | 55 | % | 14-60'],
    ['Neutrophils | 60 | % | 40-74', 'Lymphocytes | 35 | % | 14-46']],
  ['counts and shares', 'Neutrophils: absolute_differs_from_percent',
    ['WBC | 6.0 | 10^3/uL | 3.4-10.8', 'Neutrophils | 60 | % | 40-74', 'Neutrophils, Absolute | 1.6 | 10^3/uL | 1.4-7.0'],
    ['WBC | 6.0 | 10^3/uL | 3.4-10.8', 'Neutrophils | 60 | % | 40-74', 'Neutrophils, Absolute | 3.6 | 10^3/uL | 1.4-7.0']],
  ['counts and white cells', 'WBC: differs_from_formula',
    ['WBC | 9.9 | 10^3/uL | 3.4-10.8', ...['Neutrophils | 3.6', 'Lymphocytes | 1.8', 'Monocytes | 0.4', 'Eosinophils | 0.1', 'Basophils | 0.0'].map((line) => `${line} | 10^3/uL |`)],
    ['WBC | 5.9 | 10^3/uL | 3.4-10.8', ...['Neutrophils | 3.6', 'Lymphocytes | 1.8', 'Monocytes | 0.4', 'Eosinophils | 0.1', 'Basophils | 0.0'].map((line) => `${line} | 10^3/uL |`)]],
  ['MCV', 'RBC: indices_disagree',
    ['RBC | 4.10 | 10^6/uL | 3.8-5.8', 'Hematocrit | 45.0 | % | 36-48', 'MCV | 90.0 | fL | 80-100'],
    ['RBC | 5.00 | 10^6/uL | 3.8-5.8', 'Hematocrit | 45.0 | % | 36-48', 'MCV | 90.0 | fL | 80-100']],
  ['MCH', 'Hemoglobin: indices_disagree',
    ['RBC | 5.00 | 10^6/uL | 3.8-5.8', 'Hemoglobin | 15.0 | g/dL | 12-16', 'MCH | 26.0 | pg | 26-34'],
    ['RBC | 5.00 | 10^6/uL | 3.8-5.8', 'Hemoglobin | 15.0 | g/dL | 12-16', 'MCH | 30.0 | pg | 26-34']],
  ['MCH in SI units', 'Hemoglobin: indices_disagree',
    ['RBC | 5.00 | 10^12/L | 3.8-5.8', 'Hemoglobin | 130 | g/L | 120-160', 'MCH | 30.0 | pg | 26-34'],
    ['RBC | 5.00 | 10^12/L | 3.8-5.8', 'Hemoglobin | 150 | g/L | 120-160', 'MCH | 30.0 | pg | 26-34']],
  ['MCHC', 'Hematocrit: indices_disagree',
    ['Hemoglobin | 15.0 | g/dL | 12-16', 'Hematocrit | 39.0 | % | 36-48', 'MCHC | 33.3 | g/dL | 32-36'],
    ['Hemoglobin | 15.0 | g/dL | 12-16', 'Hematocrit | 45.0 | % | 36-48', 'MCHC | 33.3 | g/dL | 32-36']],
  ['LDL', 'HDL Cholesterol: ldl_differs_from_formula',
    ['Total Cholesterol | 200 | mg/dL | <200', 'HDL Cholesterol | 20 | mg/dL | >10', 'Triglycerides | 100 | mg/dL | <150', 'LDL Cholesterol | 110 | mg/dL | <130'],
    ['Total Cholesterol | 180 | mg/dL | <200', 'HDL Cholesterol | 50 | mg/dL | >40', 'Triglycerides | 100 | mg/dL | <150', 'LDL Cholesterol | 108 | mg/dL | <130']],
  ['non-HDL', 'Non-HDL Cholesterol: differs_from_formula',
    ['Total Cholesterol | 180 | mg/dL | <200', 'HDL Cholesterol | 50 | mg/dL | >40', 'Non-HDL Cholesterol | 113 | mg/dL | <130'],
    ['Total Cholesterol | 170 | mg/dL | <200', 'HDL Cholesterol | 50 | mg/dL | >40', 'Non-HDL Cholesterol | 120 | mg/dL | <130']],
  ['cholesterol to HDL', 'Cholesterol/HDL Ratio: differs_from_formula',
    ['Total Cholesterol | 180 | mg/dL | <200', 'HDL Cholesterol | 50 | mg/dL | >40', 'Cholesterol/HDL Ratio | 4.6 | | <5.0'],
    ['Total Cholesterol | 180 | mg/dL | <200', 'HDL Cholesterol | 50 | mg/dL | >40', 'Cholesterol/HDL Ratio | 3.6 | | <5.0']],
  ['globulin', 'Albumin: globulin_differs_from_formula',
    ['Total Protein | 7.0 | g/dL | 6-8', 'Albumin | 3.0 | g/dL | 3-5', 'Globulin | 3.0 | g/dL | 1-4'],
    ['Total Protein | 7.0 | g/dL | 6-8', 'Albumin | 4.0 | g/dL | 3-5', 'Globulin | 3.0 | g/dL | 1-4']],
  ['A/G', 'A/G Ratio: differs_from_formula',
    ['Albumin | 4.0 | g/dL | 3-5', 'Globulin | 3.0 | g/dL | 1-4', 'A/G Ratio | 2.3 | | 1.0-2.5'],
    ['Albumin | 4.0 | g/dL | 3-5', 'Globulin | 3.0 | g/dL | 1-4', 'A/G Ratio | 1.3 | | 1.0-2.5']],
  ['BUN and creatinine', 'BUN/Creatinine Ratio: differs_from_formula',
    ['BUN | 15 | mg/dL | 6-20', 'Creatinine | 1.00 | mg/dL | 0.6-1.2', 'BUN/Creatinine Ratio | 9 | | 6-22'],
    ['BUN | 15 | mg/dL | 6-20', 'Creatinine | 1.00 | mg/dL | 0.6-1.2', 'BUN/Creatinine Ratio | 15 | | 6-22']],
  ['bilirubin', 'Bilirubin, Indirect: differs_from_formula',
    ['Bilirubin, Total | 1.0 | mg/dL | 0-1.2', 'Bilirubin, Direct | 0.2 | mg/dL | 0-0.3', 'Bilirubin, Indirect | 0.3 | mg/dL | 0.1-1.0'],
    ['Bilirubin, Total | 1.0 | mg/dL | 0-1.2', 'Bilirubin, Direct | 0.2 | mg/dL | 0-0.3', 'Bilirubin, Indirect | 0.8 | mg/dL | 0.1-1.0']],
  ['iron saturation', 'Iron Saturation: differs_from_formula',
    ['Iron | 90 | ug/dL | 50-170', 'TIBC | 300 | ug/dL | 250-450', 'Iron Saturation | 48 | % | 15-50'],
    ['Iron | 90 | ug/dL | 50-170', 'TIBC | 300 | ug/dL | 250-450', 'Iron Saturation | 30 | % | 15-50']],
  ['average glucose', 'Estimated Average Glucose: differs_from_formula',
    ['Hemoglobin A1c | 5.4 | % | 4-5.6', 'Estimated Average Glucose | 171 | mg/dL |'],
    ['Hemoglobin A1c | 5.4 | % | 4-5.6', 'Estimated Average Glucose | 108 | mg/dL |']],
  ['one analyte twice', 'Potassium: duplicate_with_other_value',
    ['METABOLIC PANEL', 'Potassium | 3.6 | mmol/L | 3.5-5.1', 'Sodium | 140 | mmol/L | 136-145', 'ELECTROLYTES', 'Potassium | 5.0 | mmol/L | 3.5-5.1', 'Chloride | 101 | mmol/L | 98-107'],
    ['METABOLIC PANEL', 'Potassium | 3.6 | mmol/L | 3.5-5.1', 'Sodium | 140 | mmol/L | 136-145', 'ELECTROLYTES', 'Potassium | 3.6 | mmol/L | 3.5-5.1', 'Chloride | 101 | mmol/L | 98-107']],
  ['a unit that is a thousand times too small, with its range', 'WBC: unit_differs_from_usual',
    ['WBC | 6.0 | /uL | 3.8-10.8'], ['WBC | 6.0 | Thousand/uL | 3.8-10.8']],
  ['a unit that is a thousand times too large', 'Platelets: unit_differs_from_usual',
    ['Platelets | 250000 | 10^3/uL | 150000-400000'], ['Platelets | 250000 | /uL | 150000-400000']],
  ['another system of units', 'Creatinine: unit_differs_from_usual',
    ['Creatinine | 0.9 | umol/L | 0.6-1.2'], ['Creatinine | 80 | umol/L | 53-106']],
  ['a magnitude that is impossible', 'Potassium: implausible_value',
    ['Potassium | 42 | mmol/L | 35-51'], ['Potassium | 4.2 | mmol/L | 3.5-5.1']],
  ['a magnitude that is impossible in any unit', 'Sodium: implausible_value',
    ['Sodium | 1.4 | | 136-145'], ['Sodium | 140 | | 136-145']],
  ['a hundredth of its range', 'Cortisol: implausible_value',
    ['Cortisol | 0.04 | ug/dL | 6.2-19.4'], ['Cortisol | 4.2 | ug/dL | 6.2-19.4']],
  ['an impossible enzyme', 'ALT: implausible_value',
    ['ALT | 0.024 | U/L | 7-55'], ['ALT | 24 | U/L | 7-55']],
];

describe('a line that contradicts its range, its flag or its neighbors', () => {
  it.each(RULES)('is doubted by %s', (_rule, doubt, misread) => {
    expect(doubtsOf(misread)).toContain(doubt);
  });

  it.each(RULES)('is not doubted by %s if it agrees', (_rule, _doubt, _misread, right) => {
    expect(doubtsOf(right)).toEqual([]);
  });

  it.each(RULES)('keeps its printed value if doubted by %s', (_rule, _doubt, misread) => {
    const printed = misread.flatMap((row) => row.split('|')[1]?.trim().replace(/ H$/, '') ?? []);
    const { results } = readReport([
      pageOf(['Test | Result | Units | Reference Range', ...misread].map(toLine)),
    ]);
    expect(results.map(({ printedValue }) => printedValue)).toEqual(printed);
  });
});

describe('what is not a contradiction', () => {
  // prettier-ignore
  const RIGHT: readonly (readonly [about: string, rows: readonly string[]])[] = [
    ['glucose of a tolerance test', ['FASTING', 'Glucose | 90 | mg/dL | 70-99', 'AFTER 2 HOURS', 'Glucose | 135 | mg/dL | 70-139']],
    ['albumin by electrophoresis', ['METABOLIC PANEL', 'Albumin | 4.8 | g/dL | 3.5-5.0', 'PROTEIN ELECTROPHORESIS', 'Albumin | 3.7 | g/dL | 3.5-5.0']],
    ['glucose in urine', ['METABOLIC PANEL', 'Glucose | 90 | mg/dL | 70-99', 'URINALYSIS', 'Glucose | 250 | mg/dL | 0-300']],
    ['a suppressed TSH', ['TSH | 0.003 | mIU/L | 0.4-4.0']],
    ['a high CRP in a report without flags', ['CRP | 210 | mg/L | <5']],
    ['segmented and band neutrophils', ['Segmented neutrophils | 60 | % |', 'Bands | 5 | % |', 'Lymphocytes | 25 | % |', 'Monocytes | 6 | % |', 'Eosinophils | 3 | % |', 'Basophils | 1 | % |']],
    ['LDL with very high triglycerides', ['Total Cholesterol | 290 | mg/dL |', 'HDL Cholesterol | 30 | mg/dL |', 'Triglycerides | 900 | mg/dL |', 'LDL Cholesterol | 110 | mg/dL |']],
    ['cells in single ones, a differential in percent', ['WBC | 6000 | /uL | 3800-10800', 'Neutrophils | 60 | % | 40-74', 'Absolute Neutrophils | 3600 | cells/uL | 1500-7800']],
    ['thousands of white cells, single neutrophils', ['WBC | 6.0 | Thousand/uL | 3.8-10.8', 'Neutrophils | 60 | % |', 'Absolute Neutrophils | 3600 | cells/uL | 1500-7800']],
    ['counts of single cells, of which some are few', ['WBC | 6840 | /mm3 |', 'Neutrophils | 3899 | /mm3 |', 'Lymphocytes | 2120 | /mm3 |', 'Monocytes | 547 | /mm3 |', 'Eosinophils | 205 | /mm3 |', 'Basophils | 68 | /mm3 |']],
    ['hemoglobin in mmol/L', ['RBC | 5.00 | 10^12/L | 3.8-5.8', 'Hemoglobin | 9.3 | mmol/L | 7.4-9.9', 'MCH | 1.86 | fmol | 1.7-2.1']],
  ];

  it.each(RIGHT)('leaves %s alone', (_about, rows) => {
    expect(doubtsOf(rows)).toEqual([]);
  });
});
