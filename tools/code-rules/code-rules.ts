/**
 * Rules of this code that no linter knows: the clock, the environment, external systems, SQL, `app.` in a
 * transaction, names, types that are defined twice, folders that import each other, exports that nothing imports,
 * migrations that take something away. Run by
 * `npm run check:rules [ROOT]`; exits with 1 on any violation.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { checkFile } from './check.ts';
import { ENTRY_POINTS, findDeadExports } from './dead-exports.ts';
import { findFolderCycles } from './folder-cycles.ts';
import { checkMigration } from './migrations.ts';
import { findSharedTypeNames } from './type-names.ts';

const FOLDERS = ['packages', 'tools', 'bench'];
const SOURCE = /\.[cm]?tsx?$/;
/** Programs in JavaScript are built and started with; the rules of style are not theirs. */
const PROGRAM = /\.[cm]?js$/;
/** Installed, built or generated. */
const NOT_OURS = /(?:^|\/)(?:node_modules|dist|coverage)\/|^packages\/dashboard\/src\/api\/openapi\.d\.ts$/;

async function filesOf(root: string): Promise<string[]> {
  const found = await Promise.all(
    FOLDERS.map((folder) =>
      readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(() => []),
    ),
  );
  return found
    .flat()
    .filter((entry) => entry.isFile() && (SOURCE.test(entry.name) || PROGRAM.test(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !NOT_OURS.test(relative(root, file).split(sep).join('/')))
    .toSorted();
}

const root = process.argv[2] ?? process.cwd();
const files = await filesOf(root);
const allTexts = await Promise.all(
  files.map(async (file) => ({
    path: relative(root, file).split(sep).join('/'),
    text: await readFile(file, 'utf8'),
  })),
);
const MIGRATIONS = 'packages/server/migrations';
const migrations = await Promise.all(
  (await readdir(join(root, MIGRATIONS)).catch(() => []))
    .filter((name) => name.endsWith('.sql'))
    .map(async (name) => ({
      path: `${MIGRATIONS}/${name}`,
      text: await readFile(join(root, MIGRATIONS, name), 'utf8'),
    })),
);
const texts = allTexts.filter(({ path }) => SOURCE.test(path));
const breaches = [
  ...texts.flatMap(({ path, text }) => checkFile(path, text)),
  ...migrations.flatMap(({ path, text }) => checkMigration(path, text)),
  ...findSharedTypeNames(texts),
  ...findFolderCycles(texts),
  ...findDeadExports(allTexts, ENTRY_POINTS),
];
for (const line of breaches) console.log(line);
console.log(`${breaches.length} violations of the code rules in ${texts.length} files`);
process.exitCode = breaches.length > 0 ? 1 : 0;
