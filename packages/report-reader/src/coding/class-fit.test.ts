import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type CodableLine, type LoincIndex, openLoincIndex } from './coding.ts';
import { readBundledCodes } from './read-bundled.ts';

const folder = new URL('../../data/loinc/', import.meta.url);
const classes = new Map(readBundledCodes(folder).map(({ code, loincClass }) => [code, loincClass]));

const EXTRA: readonly (readonly [
  code: string,
  component: string,
  name: string,
  scale: string,
  klass: string,
])[] = [
  ['90001-1', 'Rh group', 'Rhodotorula group [Presence] in Specimen by Culture', 'Ord', 'MICRO'],
  ['90002-9', 'Blood group B', 'Streptococcus group B [Presence] in Blood by Culture', 'Ord', 'MICRO'],
  ['90003-7', 'ABO typ', 'Aborivirus type [Identifier] in Isolate', 'Nom', 'MICRO'],
  ['90004-5', 'Blood grouping gene', 'Blood grouping gene [Susceptibility]', 'OrdQn', 'ABXBACT'],
];
let index: LoincIndex;
beforeAll(async () => {
  const place = await mkdtemp(join(tmpdir(), 'loinc-'));
  const loincCsv = join(place, 'Loinc.csv');
  const head =
    'LOINC_NUM,COMPONENT,PROPERTY,TIME_ASPCT,SYSTEM,SCALE_TYP,METHOD_TYP,CLASS,STATUS,CLASSTYPE,SHORTNAME,LONG_COMMON_NAME';
  const rows = EXTRA.map(
    ([code, component, name, scale, klass]) =>
      `${code},${component},PrThr,Pt,Bld,${scale},,${klass},ACTIVE,1,,${name}`,
  );
  await writeFile(loincCsv, [head, ...rows].join('\n'));
  for (const [code, , , , klass] of EXTRA) classes.set(code, klass);
  index = await openLoincIndex({ folder, loincCsv }).finally(() => rm(place, { recursive: true }));
});

type MoreOfLine = Partial<CodableLine>;
const match = (testName: string, printedValue: string, more: MoreOfLine = {}) => {
  const value = Number(printedValue.replace(/^[<>]=?/, ''));
  const rest = { unit: null, panel: null, section: null, specimen: null, ...more };
  return index.codeLine({ testName, printedValue, value: Number.isNaN(value) ? null : value, ...rest })
    .matches;
};
const classesOf = (...line: Parameters<typeof match>) =>
  match(...line).map(({ loinc_code: code }) => classes.get(code));

describe('a blood group', () => {
  test.each([
    ['Blood Group', 'A positive'],
    ['Blood group B', 'Positive'],
    ['Rh Group', 'Positive'],
    ['Rh Typ', 'Negative'],
    ['ABO Typ', 'AB'],
    ['ABO Typing', 'O'],
    ['Blood Grouping & Rh Typing', 'O negative'],
    ['Blood Grouping gene', 'B pos'],
    ['Grupo sanguíneo', 'O Rh positivo'],
    ['Blutgruppe', 'B Rh neg.'],
    ['Gruppo sanguigno', 'AB'],
    ['Groupe sanguin', 'A+'],
  ])('%s: %s has codes of the blood bank only', (name, value) =>
    expect(classesOf(name, value).filter((one) => one !== 'BLDBK')).toEqual([]),
  );

  test('still has its code', () => {
    expect(match('Blood Group', 'A positive')[0]?.loinc_code).toBe('882-1');
    expect(match('Rh Factor', 'Positive')[0]?.loinc_code).toBe('10331-7');
  });
});

describe('the class of a code', () => {
  const WORDS = /\[(?:Presence|Type|Identifier|Susceptibility)\]|identified/;
  test.each<[string, string, MoreOfLine]>([
    ['Yeast', '5.1', { unit: 'mmol/L' }],
    ['Vancomycin', '12', { unit: 'ug/mL' }],
    ['Gentamicin', '1.2', { unit: 'mg/L' }],
    ['Tobramycin', '6.4', { unit: 'ug/mL' }],
    ['Glucose', '92', { unit: 'mg/dL' }],
  ])('%s: %s %o is that of an amount', (name, value, more) =>
    expect(match(name, value, more).filter(({ loinc_name: one }) => WORDS.test(one))).toEqual([]),
  );

  test('is that of an antibiogram for S, I and R', () => {
    expect(match('Penicillin', 'S').map(({ loinc_name: name }) => name)).not.toContainEqual(
      expect.stringContaining('IgE'),
    );
    expect(classesOf('Penicillin', 'S')[0]).toBe('ABXBACT');
  });

  test.each([
    ['Amikacin', '<=2', 'ug/mL', 'Susceptibility'],
    ['Gentamicin', '>8', 'mg/L', 'Antibiogramm'],
    ['Vancomycin', '1', 'ug/mL', 'Urine culture - sensitivity'],
  ])('is not that of a drug level in an antibiogram: %s', (name, value, unit, section) =>
    expect(classesOf(name, value, { unit, section })).not.toContain('DRUG/TOX'),
  );

  test('is that of an organism if the line names it', () => {
    expect(classesOf('Neisseria gonorrhoeae DNA', 'Not detected')[0]).toBe('MICRO');
    expect(classesOf('HBsAg', 'Negative')[0]).toBe('MICRO');
    expect(classesOf('Yeast', 'Few', { section: 'Vaginal culture' })).not.toEqual([]);
  });
});
