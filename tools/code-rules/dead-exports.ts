import { dirname, join } from 'node:path/posix';
import { exportsOf, passedOnBy, usesOf, type Export } from './exports.ts';
import { sourceFile } from './file.ts';
import type { TextFile } from './type-names.ts';

/** Files whose exports are used by something other than an import in this repository, with the reason. */
export type EntryPoints = Readonly<Record<string, string>>;

const PUBLIC = 'exported by the package.json of the report reader';

export const ENTRY_POINTS: EntryPoints = {
  'packages/report-reader/src/report-reader.ts': PUBLIC,
  'packages/report-reader/src/values.ts': PUBLIC,
  'packages/report-reader/src/files/files.ts': PUBLIC,
  'packages/report-reader/src/quantities.ts': PUBLIC,
  'packages/report-reader/src/coding/read-loinc-csv.ts': PUBLIC,
  'packages/report-reader/src/loinc-search.ts': PUBLIC,
  'tools/build.mjs': 'the aliquot.js that it writes into dist/ imports runBuild',
  'tools/docs-site/site-config.ts': 'the configuration that is written into the staged folder imports it',
};

/** Modules that are imported by the name of their package. */
const PACKAGES: Readonly<Record<string, string>> = {
  'aliquot-report-reader': 'packages/report-reader/src/report-reader.ts',
  'aliquot-report-reader/values': 'packages/report-reader/src/values.ts',
  'aliquot-report-reader/files': 'packages/report-reader/src/files/files.ts',
  'aliquot-report-reader/quantities': 'packages/report-reader/src/quantities.ts',
  'aliquot-report-reader/loinc-search': 'packages/report-reader/src/loinc-search.ts',
  'aliquot-report-reader/loinc-csv': 'packages/report-reader/src/coding/read-loinc-csv.ts',
};

interface Module {
  readonly exports: readonly Export[];
  readonly passedOn: readonly string[];
  readonly used: Set<string>;
}

/**
 * Exports that no other file imports, as `tools/a.ts:3: dead-export: ...` in the order of paths. An import by a test
 * counts. An entry point that is not there is reported, too.
 */
export function findDeadExports(files: readonly TextFile[], entryPoints: EntryPoints): string[] {
  const sources = files.map(({ path, text }) => sourceFile(path, text));
  const modules = new Map<string, Module>(
    sources.map((file) => [
      file.path,
      {
        exports: exportsOf(file),
        passedOn: passedOnBy(file).map((module) => resolve(file.path, module)),
        used: new Set(),
      },
    ]),
  );
  for (const file of sources)
    for (const { module, names } of usesOf(file)) markUsed(modules, resolve(file.path, module), names);
  const missing = Object.keys(entryPoints)
    .filter((path) => !modules.has(path))
    .map((path) => `${path}:1: dead-export: an entry point of tools/code-rules that does not exist`);
  const dead = sources
    .filter(({ path }) => !(path in entryPoints))
    .flatMap(({ path, source }) => {
      const { exports = [], used = new Set() } = modules.get(path) ?? {};
      return exports
        .filter(({ name }) => !used.has(name))
        .map(
          ({ name, offset }) =>
            `${path}:${source.slice(0, offset).split('\n').length}: dead-export: nothing imports ${name}`,
        );
    });
  return [...missing, ...dead].toSorted();
}

function markUsed(
  modules: ReadonlyMap<string, Module>,
  path: string,
  names: readonly string[] | undefined,
): void {
  // A declaration file states what a program in JavaScript exports.
  const declarations = modules.get(path.replace(/\.([cm]?)js$/, '.d.$1ts'));
  for (const module of [modules.get(path), declarations]) {
    if (module === undefined) continue;
    const own = module.exports.map(({ name }) => name);
    for (const name of names ?? own) module.used.add(name);
    const others = names?.filter((name) => !own.includes(name));
    if (others === undefined || others.length > 0)
      for (const target of module.passedOn) markUsed(modules, target, others);
  }
}

const resolve = (from: string, module: string): string =>
  module.startsWith('.') ? join(dirname(from), module) : (PACKAGES[module] ?? module);
