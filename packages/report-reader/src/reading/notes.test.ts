import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readDateContext } from './date-context.ts';
import { readMetadata } from './metadata.ts';
import { isGradeList } from './notes.ts';
import { parseRegions } from './regions.ts';
import { groupIntoRows } from './rows.ts';

function listsIn(line: string): boolean {
  const pages = [pageOf([line])];
  const dating = readDateContext(pages, { language: 'fr', metadata: readMetadata(pages, 'fr') });
  const known = { sign: ',' as const, dating, carried: [] };
  return parseRegions(groupIntoRows(pages[0]?.words ?? []), known).some(({ rows }) => rows.some(isGradeList));
}

describe('a row that lists targets', () => {
  it('has graded bounds after a title', () => {
    expect(
      listsIn('Seuils LDL par risque (ABC 2020) : faible < 3,1 ; moyen < 2,7 ; grave < 1,9 mmol/L.'),
    ).toBe(true);
  });

  it.each(['LDL   3,1 mmol/L   faible < 3,1   moyen < 2,7   grave < 1,9', 'CRP   < 0,5 mg/L   < 5'])(
    'is not a result with a range: %s',
    (line) => expect(listsIn(line)).toBe(false),
  );
});
