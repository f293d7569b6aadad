import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDiagnosisIndex, type DiagnosisIndex } from './diagnosis.ts';

const shipped = openDiagnosisIndex(new URL('../../../../data/insurance/', import.meta.url));
const head = (coverage: string) => `# Notes\n# release: 2026\n# coverage: ${coverage}\n`;
const folders: string[] = [];

/** A folder with a small set of its own. */
function folderWith(files: Record<string, string | Buffer>): string {
  const folder = mkdtempSync(join(tmpdir(), 'icd-'));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

// prettier-ignore
const searches: [string, string | undefined][] = [
  ['E11.9',                 'E11.9'],
  ['e119',                  'E11.9'],
  [' E11. ',                'E11.00'],
  ['E11',                   'E11.00'],
  ['i1',                    'I10'],
  ['prediabetes',           'R73.03'],
  ['vitamin d def',         'E55.9'],
  ['DEFICIENCY, vitamin d', 'E55.9'],
  ['iron anemia unspec',    'D50.9'],
  ['B12',                   'D51.8'],
  ['Sjögren',               'M35.00'],
  ['cushings',              'E24.9'],
  ['zebra',                 undefined],
  ['type 2 zebra',          undefined],
  ['',                      undefined],
  [' -.- ',                 undefined],
];

it.each(searches)('finds for "%s" first %s', (query, code) => {
  expect(shipped.search(query)[0]?.code).toBe(code);
});

it('shows only billable codes, at most as many as asked for, in a steady order', () => {
  const found = shipped.search('diabetes', 7);
  expect(found).toHaveLength(7);
  expect(found.every(({ billable }) => billable)).toBe(true);
  expect(shipped.search('diabetes', 50).slice(0, 7)).toEqual(found);
  expect(shipped.search('E11')).toHaveLength(50);
  expect(shipped.search('diabetes', 0)).toEqual([]);
});

// prettier-ignore
const found: [string, { code: string; billable: boolean; isSecondary: boolean }][] = [
  ['E119',  { code: 'E11.9',  billable: true,  isSecondary: false }],
  ['e11.9', { code: 'E11.9',  billable: true,  isSecondary: false }],
  ['E11',   { code: 'E11',    billable: false, isSecondary: false }],
  ['G63',   { code: 'G63',    billable: true,  isSecondary: true }],
  ['B9620', { code: 'B96.20', billable: true,  isSecondary: true }],
];

it.each(found)('finds %s', (written, expected) => {
  expect(shipped.find(written)).toMatchObject(expected);
  expect(shipped.isBillable(written)).toBe(expected.billable);
});

it.each(['E11.77', '11E', ''])('does not find "%s"', (written) => {
  expect(shipped.find(written)).toBeUndefined();
  expect(shipped.isBillable(written)).toBe(false);
});

// prettier-ignore
const errors: [string, RegExp][] = [
  ['E11-9',   /"E11-9" is not the form/],
  ['diabetes',/"diabetes" is not the form/],
  ['',        /"" is not the form/],
  ['E1.19',   /"E1.19" is not the form/],
  ['E11',     /^E11 is a category and cannot be billed: expected a code below it, such as E11\.00$/],
  ['e66.8',   /^E66\.8 is a category .*such as E66\.811$/],
  ['E11.77',  /^E11\.77 is not a code of ICD-10-CM 2026/],
  ['I10.1',   /^I10\.1 is not a code/],
];

it.each(errors)('refuses %s', (code, message) => {
  expect(shipped.validate([code, 'I10'])).toEqual({
    valid: false,
    errors: [expect.stringMatching(message)],
    violations: [],
    warnings: [],
  });
});

// prettier-ignore
const pairs: [string[], string[], string[]][] = [
  [['E11.9', 'E10.9'],           ['E10.9 E11.9'], []],
  [['e10.9', 'E119', 'E11.9'],   ['E10.9 E11.9'], []],
  [['E11.9', 'O24.410'],         ['E11.9 O24.410'], []],
  [['R73.03', 'E11.65'],         ['R73.03 E11.65'], []],
  [['E10.65', 'R73.9'],          ['E10.65 R73.9'], []],
  [['E11.65', 'R73.9'],          [], []],
  [['B20', 'Z21'],               ['B20 Z21'], []],
  [['J45.20', 'J44.89'],         [], ['J45.20 J44.89']],
  [['Z79.84', 'Z79.4'],          [], ['Z79.84 Z79.4']],
  [['E11.9', 'I10', 'E78.5'],    [], []],
  [[],                           [], []],
];

it.each(pairs)('judges %j: violations %j, warnings %j', (codes, violations, warnings) => {
  const verdict = shipped.validate(codes);
  expect(verdict.errors).toEqual([]);
  expect(verdict.violations.map((one) => `${one.code} ${one.conflicts_with}`)).toEqual(violations);
  expect(verdict.warnings.map((one) => `${one.code} ${one.overlaps_with}`)).toEqual(warnings);
  expect(verdict.valid).toBe(violations.length === 0);
});

it('names the kind of each note as the interface does', () => {
  const { violations, warnings } = shipped.validate(['E11.9', 'E10.9', 'J45.20', 'J44.89']);
  expect(violations).toEqual([{ code: 'E10.9', conflicts_with: 'E11.9', type: 'excludes1' }]);
  expect(warnings).toEqual([{ code: 'J45.20', overlaps_with: 'J44.89', type: 'excludes2' }]);
});

it('knows that it holds a seed, and lets pass what a seed cannot judge', () => {
  expect(shipped.about()).toMatchObject({ codes: { coverage: 'seed' }, excludes: { coverage: 'seed' } });
  expect(shipped.find('S72.001A')).toBeUndefined();
  expect(shipped.isBillable('S72.001A')).toBe(false);
  expect(shipped.validate(['S72.001A']).valid).toBe(true);
});

describe('a complete set', () => {
  let index: DiagnosisIndex;
  beforeAll(() => {
    const codes = `${head('complete')}A00\t0\tCholera\nA000\t1\tCholera due to Vibrio\n`;
    const folder = folderWith({
      'icd10cm.tsv.gz': gzipSync(codes),
      'icd10cm-seed.tsv': `${head('seed')}B20\t1\tSeed\n`,
      'icd10cm-excludes-seed.tsv': `${head('seed')}excludes1\tA00\tA01\n`,
    });
    index = openDiagnosisIndex(folder);
  });

  it('is taken instead of the seed', () => {
    expect(index.about().codes).toEqual({ release: '2026', coverage: 'complete', count: 2 });
    expect(index.find('B20')).toBeUndefined();
  });

  it('refuses every code that it does not list', () => {
    expect(index.validate(['A00.0']).valid).toBe(true);
    expect(index.validate(['B20']).errors).toEqual([expect.stringMatching(/^B20 is not a code/)]);
  });
});

// prettier-ignore
const broken: [string, Record<string, string>, RegExp][] = [
  ['a missing file',   {},                                                                        /No data file/],
  ['a missing head',   { 'icd10cm-seed.tsv': 'A00\t1\tCholera\n' },                               /# release:/],
  ['a bad row',        { 'icd10cm-seed.tsv': `${head('seed')}A00\t1\tCholera\nA01\tTyphoid\n` },  /row 2/],
  ['rows out of order', { 'icd10cm-seed.tsv': `${head('seed')}A01\t1\tTyphoid\nA00\t1\tCholera\n` }, /A00 before A01/],
];

it.each(broken)('says what is wrong with %s', (_, files, message) => {
  expect(() => openDiagnosisIndex(folderWith(files)).preload()).toThrow(message);
});
