/**
 * The rules of the house that no linter knows: the clock, the environment, the outside, SQL, `app.` in a
 * transaction, names. Run by `npm run check:house [ROOT]`; exits with 1 on any breach.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { checkFile } from './check.ts';

const FOLDERS = ['src', 'test', 'tools', 'bench'];
const SOURCE = /\.[cm]?tsx?$/;

async function filesOf(root: string): Promise<string[]> {
  const found = await Promise.all(
    FOLDERS.map((folder) =>
      readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(() => []),
    ),
  );
  return found
    .flat()
    .filter((entry) => entry.isFile() && SOURCE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes(`${sep}node_modules${sep}`))
    .toSorted();
}

const root = process.argv[2] ?? process.cwd();
const files = await filesOf(root);
const breaches = await Promise.all(
  files.map(async (file) =>
    checkFile(relative(root, file).split(sep).join('/'), await readFile(file, 'utf8')),
  ),
);
for (const line of breaches.flat()) console.log(line);
console.log(`${breaches.flat().length} breaches of the house rules in ${files.length} files`);
process.exitCode = breaches.flat().length > 0 ? 1 : 0;
