import { expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

// prettier-ignore
const DOUBTED: readonly (readonly [what: string, lines: readonly string[], name: string])[] = [
  ['a goal',               ['Sodium 140 mmol/L 135-145', 'Glucose goal 92 mg/dL 70-99'], 'Glucose goal'],
  ['a sample as the name', ['Albumina', 'Soro', '4,1 g/dL', 'Ref.: 3,5 a 5,2', 'Creatinina', 'Soro', '0,9 mg/dL', 'Ref.: 0,6 a 1,2'], 'Soro'],
];

it.each(DOUBTED)('a line is in doubt whose name is no analyte: %s', (_what, lines, name) => {
  const found = readReport([pageOf(lines)]).results.filter(({ testName }) => testName === name);
  expect(found.length).toBeGreaterThan(0);
  for (const { reviewReasons } of found) expect(reviewReasons).toContain('unclear_columns');
});
