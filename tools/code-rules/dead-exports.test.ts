import { describe, expect, it } from 'vitest';
import { findDeadExports, type EntryPoints } from './dead-exports.ts';

const find = (files: Record<string, string>, entryPoints: EntryPoints = {}) =>
  findDeadExports(
    Object.entries(files).map(([path, text]) => ({ path, text })),
    entryPoints,
  );

describe('exports that nothing imports', () => {
  it('are reported with their file, line and name', () => {
    expect(
      find({
        'tools/a.ts': 'export const used = 1;\n\nexport interface Slot {}\n',
        'tools/b.ts': "import { used } from './a.ts';\nexport function run() { used; run(); }\n",
      }),
    ).toEqual([
      'tools/a.ts:3: dead-export: nothing imports Slot',
      'tools/b.ts:2: dead-export: nothing imports run',
    ]);
  });

  // prettier-ignore
  it.each([
    ['a constant',           'export const a = 1;'],
    ['a type',               'export type a = 1;'],
    ['a class',              'export abstract class a {}'],
    ['a generator',          'export async function* a() {}'],
    ['overloads, once',      'export function a(): 1;\nexport function a(b = 1) {}'],
    ['a destructured name',  'export const { b: a } = c;'],
    ['a default of one',     'export const [a = 2] = c;'],
    ['a list',               'const b = 1;\nexport { b as a };'],
    ['a name of elsewhere',  "export { a } from 'elsewhere';"],
    ['what a type names',    'export declare const a: string;'],
  ])('are found in %s', (_what, text) => {
    expect(find({ 'tools/a.ts': text })).toEqual([
      expect.stringMatching(/^tools\/a\.ts:\d: dead-export: nothing imports a$/),
    ]);
    expect(find({ 'tools/a.ts': text, 'tools/b.ts': "import { a } from './a.ts';" })).toEqual([]);
  });

  // prettier-ignore
  it.each([
    ['an import',                     "import { a, b } from './a.ts';"],
    ['an import of types',            "import type { a } from './a.ts';\nimport { type b } from './a.ts';"],
    ['an import by another name',     "import { a as one, b as two } from './a.ts';"],
    ['an export of an entry point',   "export { a, b } from './a.ts';"],
    ['properties of a namespace',     "import * as all from './a.ts';\nall.a(...all.b);"],
    ['a namespace that is passed on', "import * as all from './a.ts';\nrun(all);"],
    ['the type of a module',          "import type * as all from './a.ts';\nlet x: typeof all;"],
    ['an import at run time',         "const { a, b: two } = await import('./a.ts');"],
    ['its property',                  "(await import('./a.ts')).a;\nlet x: import('./a.ts').b;"],
    ['a module in a variable',        "const all = await import('./a.ts');"],
    ['an import by a test',           "import { a, b } from '../tools/a.ts';"],
  ])('are none with %s', (what, text) => {
    const path = what.endsWith('test') ? 'bench/a.test.ts' : 'tools/main.ts';
    expect(
      find({ 'tools/a.ts': 'export const a = 1;\nexport type b = 1;\n', [path]: text }, { [path]: 'main' }),
    ).toEqual([]);
  });

  it('are reported where only one property of a namespace or module is used', () => {
    const a = 'export const a = 1;\nexport const b = 1;\n';
    const dead = ['tools/a.ts:2: dead-export: nothing imports b'];
    for (const text of [
      "import * as all from './a.ts';\nall.a; other.all.b;",
      "(await import('./a.ts')).a;",
      "const { a } = await import('./a.ts');",
      "// import { b } from './a.ts';\nimport { a } from './a.ts';",
    ])
      expect(find({ 'tools/a.ts': a, 'tools/b.ts': text })).toEqual(dead);
  });

  it('are looked for behind a file that passes all exports on', () => {
    expect(
      find({
        'packages/server/src/people/fields.ts': 'export const a = 1;\nexport const b = 1;\n',
        'packages/server/src/people/schema.ts': "export * from './fields.ts';\nexport const c = 1;\n",
        'packages/server/src/users/users.ts': "import { a, c } from '../people/schema.ts';",
      }),
    ).toEqual(['packages/server/src/people/fields.ts:2: dead-export: nothing imports b']);
  });

  it('are none in a declaration file whose program is imported', () => {
    expect(
      find({
        'tools/build.d.mts': 'export function open(): void;\n',
        'tools/build.mjs': 'export function open() {}\n',
        'tools/a.test.ts': "import { open } from './build.mjs';",
      }),
    ).toEqual([]);
  });

  it('are none at an entry point, which must exist', () => {
    expect(find({ 'tools/a.ts': 'export const a = 1;' }, { 'tools/a.ts': 'why' })).toEqual([]);
    expect(find({ 'tools/b.ts': '' }, { 'tools/a.ts': 'why' })).toEqual([
      'tools/a.ts:1: dead-export: an entry point of tools/code-rules that does not exist',
    ]);
  });

  it('are found through the names of the packages', () => {
    expect(
      find({
        'packages/report-reader/src/values.ts': 'export const a = 1;\nexport const b = 1;\n',
        'packages/server/src/a.ts': "import { a } from 'aliquot-report-reader/values';",
      }),
    ).toEqual(['packages/report-reader/src/values.ts:2: dead-export: nothing imports b']);
  });
});
