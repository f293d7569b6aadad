import { beforeAll, describe, expect, test } from 'vitest';
import { type LoincIndex, type NameLanguage, openLoincIndex } from './coding.ts';

let index: LoincIndex;
beforeAll(async () => {
  index = await openLoincIndex({ folder: new URL('../../data/loinc/', import.meta.url) });
});

const code = (testName: string, panel: string, language: NameLanguage, unit: string | null = 'kU/L') =>
  index.codeLine(
    { testName, printedValue: '3.1', value: 3.1, unit, panel, section: null, specimen: null },
    { language },
  );
const TIMOTHY = '6265-3';
const BIRCH = '15283-5';

describe('specific IgE', () => {
  test.each<[string, string, NameLanguage, string]>([
    ['g6 Timothy grass', 'Specific IgE', 'en', TIMOTHY],
    ['Timothy grass (g6) IgE', 'Immunology', 'en', TIMOTHY],
    ['Lieschgras', 'Inhalationsallergene', 'de', TIMOTHY],
    ['g6 Hierba', 'Alergología', 'es', TIMOTHY],
    ['t3 Birke', 'Allergene (RAST)', 'de', BIRCH],
    ['IgE Bouleau', 'Biochimie', 'fr', BIRCH],
    ['f49 mela', 'IgE specifiche', 'it', '6021-0'],
    ['f13 Amendoim', 'IgE específica', 'pt', '6206-7'],
  ])('%s under %s in %s', (name, panel, language, right) => {
    expect(code(name, panel, language)).toMatchObject({
      status: 'auto_match',
      matches: [{ loinc_code: right }],
    });
  });

  test.each<[string, string, string | null]>([
    ['T3', 'Thyroid', 'ng/dL'],
    ['T4', 'Allergy and hormones', 'ug/dL'],
    ['E2', 'Hormones', 'pg/mL'],
    ['Milk', 'Comment', null],
    ['IgE total', 'Specific IgE', 'kU/L'],
  ])('%s under %s is none', (name, panel, unit) => {
    const { matches } = code(name, panel, 'en', unit);
    expect(matches[0]?.loinc_name ?? '').not.toMatch(/IgE Ab/);
  });

  test.each(['rBet v 1 PR-10', 'nAra h 2 2S albumin', 'g999 Unknown grass', 'x7 Venom'])(
    '%s: an allergen without a bundled code gets no automatic match of a similar one',
    (name) => {
      expect(code(name, 'Specific IgE', 'en').status).not.toBe('auto_match');
    },
  );
});
