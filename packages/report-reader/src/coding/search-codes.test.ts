import { beforeAll, describe, expect, it } from 'vitest';
import { openLoincSearch, type LoincSearch } from '../loinc-search.ts';
import { indexCodes, searchCodes, type SearchableCode } from './search-codes.ts';

let loinc: LoincSearch;
beforeAll(async () => {
  loinc = await openLoincSearch();
});

const codesOf = (text: string, limit = 10) => loinc.search(text, limit).map(({ code }) => code);
/** Glucose in serum or plasma, by mass. */
const GLUCOSE = '2345-7';

describe('the search over LOINC', () => {
  // prettier-ignore
  it.each([
    ['2345-7',                    GLUCOSE,  'the whole code'],
    ['2345',                      GLUCOSE,  'the beginning of a code'],
    ['glucose',                   GLUCOSE,  'the component, the most common code first'],
    ['plasma glucose',            GLUCOSE,  'words in any order'],
    ['gluc mass ser',             GLUCOSE,  'beginnings of words'],
    ['hgb',                       '718-7',  'an abbreviation'],
    ['Hämoglobin',                '718-7',  'a name in another language, with its accent'],
    ['globulos rojos',            '789-8',  'a synonym in another language'],
    ['LEUKOCYTES',                '6690-2', 'capital letters'],
  ])('finds %s: %s (%s)', (text, code) => {
    expect(codesOf(text, 3)).toContain(code);
  });

  it('puts the most common code of a name first', () => {
    const ranks = loinc.search('creatinine', 20).map(({ rank }) => rank);
    expect(codesOf('creatinine')[0]).toMatch(/^(2160-0|14682-9)$/);
    expect(ranks.length).toBeGreaterThan(3);
  });

  it('finds only codes that have every word, and nothing for none', () => {
    // A synonym counts: "anion gap with potassium" is a name of 1863-0.
    for (const { longName, component, names } of loinc.search('potassium serum', 20))
      expect([longName, component, ...names].join(', ')).toMatch(/potassium/i);
    expect(codesOf('glucose xylophone')).toEqual([]);
    expect(codesOf('  ')).toEqual([]);
    expect(codesOf('\u0000 ( [ *')).toEqual([]);
  });

  it('has all bundled codes, and returns no more than asked for', async () => {
    expect(loinc.count).toBeGreaterThan(2400);
    const table = await indexCodes([made(1), made(2), made(11)]);
    expect(searchCodes(table, 'made 1', 5).map(({ code }) => code)).toEqual(['1-1', '11-1']);
    expect(searchCodes(table, 'made', 2)).toHaveLength(2);
  });
});

const made = (number: number): SearchableCode => ({
  code: `${number}-1`,
  longName: `Made ${number}`,
  shortName: '',
  component: '',
  displayName: '',
  units: [],
  names: [],
  rank: number,
});
