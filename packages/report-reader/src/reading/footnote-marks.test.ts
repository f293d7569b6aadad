import { expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const HEAD = 'Test             Result      Units     Reference Range';

it.each([
  ['TSHᵃ', 'TSH'],
  ['Calcium²', 'Calcium'],
  ['Ferritin¹', 'Ferritin'],
  ['GFR per 1.73m²', 'GFR per 1.73m²'],
  ['Vitamin B12', 'Vitamin B12'],
])('leaves a raised footnote mark out of a name: %s', (printed, name) => {
  const { results } = readReport([pageOf([HEAD, `${printed.padEnd(17)}92          mg/dL     70-99`])]);
  expect(results).toMatchObject([{ testName: name, printedValue: '92' }]);
});
