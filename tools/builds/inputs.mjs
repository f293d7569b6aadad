import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { bundledVersions } from './bundled-versions.mjs';
import { OWN_PACKAGE_FILES } from './own-packages.mjs';
import { ROOT } from './paths.mjs';
import { IS_SPREAD_FIRST_SLOW } from './slow-spread.mjs';

/** Files that esbuild reads in addition to the sources, and files that decide how it is called. */
const SETTINGS = [
  'package.json',
  ...OWN_PACKAGE_FILES,
  'packages/server/package.json',
  'packages/dashboard/package.json',
  'packages/dashboard/tsconfig.json',
  'tsconfig.json',
  'tools/builds/bundle.mjs',
  'tools/builds/bundled-versions.mjs',
  'tools/builds/dashboard.mjs',
  'tools/builds/own-packages.mjs',
  'tools/builds/slow-spread.mjs',
  'tools/spread-first.mjs',
];

/** Installed versions, because node_modules can differ from package-lock.json. Other packages stay external. */
const BUNDLERS = ['esbuild', 'acorn', 'acorn-walk'];

/**
 * Names the build of the current sources by a hash of all its inputs. Reading 1,400 files takes 30 ms, bundling them
 * takes a second. It compares contents, not times, so that `git checkout` back and forth finds the earlier build.
 *
 * @returns {{ name: string, files: ReadonlySet<string> }} `files` are paths from the root, with slashes.
 */
export function readInputs() {
  const files = [...SETTINGS, ...sourceFiles()];
  const hash = createHash('sha256');
  for (const file of files) {
    const bytes = readFileSync(join(ROOT, file));
    hash.update(`${file}\0${bytes.length}\0`).update(bytes);
  }
  const require = createRequire(import.meta.url);
  for (const name of BUNDLERS) hash.update(`${name}\0${require(`${name}/package.json`).version}\0`);
  hash.update(`${bundledVersions().join('\0')}\0`);
  hash.update(`spread first: ${IS_SPREAD_FIRST_SLOW}\0`);
  return { name: hash.digest('hex').slice(0, 20), files: new Set(files) };
}

function sourceFiles() {
  return ['packages/server/src', 'packages/report-reader/src', 'packages/dashboard/src']
    .flatMap(filesIn)
    .toSorted();
}

const filesIn = (folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && !entry.name.endsWith('.test.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
