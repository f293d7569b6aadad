import { expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const HEAD = 'Test             Result      Units     Reference Range';

it.each([
  ['TSHᵃ', 'TSH'],
  ['Calcium²', 'Calcium'],
  ['Ferritin¹', 'Ferritin'],
  ['TSH ²', 'TSH'],
  ['GFR per 1.73m²', 'GFR per 1.73m²'],
  ['Vitamin B12', 'Vitamin B12'],
])('leaves a raised footnote mark out of a name: %s', (printed, name) => {
  const { results } = readReport([pageOf([HEAD, `${printed.padEnd(17)}92          mg/dL     70-99`])]);
  expect(results).toMatchObject([{ testName: name, printedValue: '92' }]);
});

// prettier-ignore
it.each([
  ['Glucose1', 'Glucose'], ['Sodium(1)', 'Sodium'], ['Sodium (2)', 'Sodium'], ['Potassium*1', 'Potassium'],
  ['TSH1', 'TSH'], ['Zinc, Serum03', 'Zinc, Serum'], ['Kreatinin2', 'Kreatinin'], ['BUN 01', 'BUN'],
  ['Vitamin B12', 'Vitamin B12'], ['Vitamin D3', 'Vitamin D3'], ['T3', 'T3'], ['CA 19-9', 'CA 19-9'], ['IgG1', 'IgG1'],
  ['Factor 8', 'Factor 8'], ['Omega-3', 'Omega-3'], ['HLA-B27', 'HLA-B27'], ['Complement C3', 'Complement C3'],
  ['Complement3', 'Complement3'], ['Interleukin6', 'Interleukin6'], ['Apolipoprotein A1', 'Apolipoprotein A1'],
  ['Apolipoprotein B100', 'Apolipoprotein B100'], ['CD4', 'CD4'], ['Alpha-1', 'Alpha-1'], ['HbA1', 'HbA1'],
  ['Hemoglobin A2', 'Hemoglobin A2'], ['Antithrombin 3', 'Antithrombin 3'], ['Coenzyme Q10', 'Coenzyme Q10'],
  ['DHEA-S', 'DHEA-S'], ['Protein S100', 'Protein S100'], ['Cortisol 8 AM', 'Cortisol 8 AM'],
])('strips a footnote digit only if it belongs to no name: %s', (printed, name) => {
  const rows = [`${printed.padEnd(20)}92          mg/dL     70-99`, 'Lipase              31          U/L       0-60'];
  const { results } = readReport([pageOf(['Test                Result      Units     Reference Range', ...rows])]);
  expect(results).toMatchObject([{ testName: name, printedValue: '92' }, { testName: 'Lipase' }]);
});

it('keeps the numbers of a series of samples', () => {
  const rows = [
    'Glucose1         92          mg/dL     70-99',
    'Glucose2         140         mg/dL     70-139',
  ];
  const { results } = readReport([pageOf([HEAD, ...rows])]);
  expect(results.map(({ testName }) => testName)).toEqual(['Glucose1', 'Glucose2']);
});
