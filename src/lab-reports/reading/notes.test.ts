import { describe, expect, it } from 'vitest';
import { pageOf } from '../../../test/lab-reports/page-of.ts';
import { datingOf } from './dating.ts';
import { metadataOf } from './metadata.ts';
import { listsGrades } from './notes.ts';
import { regionsOf } from './regions.ts';
import { rowsOf } from './rows.ts';

function listsIn(line: string): boolean {
  const pages = [pageOf([line])];
  const dating = datingOf(pages, { language: 'fr', metadata: metadataOf(pages, 'fr') });
  const known = { sign: ',' as const, dating, carried: [] };
  return regionsOf(rowsOf(pages[0]?.words ?? []), known).some(({ rows }) => rows.some(listsGrades));
}

describe('a line that lists what is aimed at', () => {
  it('has bounds by their grades behind a title', () => {
    expect(
      listsIn('Seuils LDL par risque (ABC 2020) : faible < 3,1 ; moyen < 2,7 ; grave < 1,9 mmol/L.'),
    ).toBe(true);
  });

  it.each(['LDL   3,1 mmol/L   faible < 3,1   moyen < 2,7   grave < 1,9', 'CRP   < 0,5 mg/L   < 5'])(
    'is no result with its range: %s',
    (line) => expect(listsIn(line)).toBe(false),
  );
});
