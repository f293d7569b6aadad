/**
 * The documents that are printed from the sources. Run by `npm run check:drift`: prints them in memory and fails,
 * naming each file that says something else. `npm run generate` (--write) writes them down.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { printDocuments } from './documents.ts';

const { values: flags } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const root = new URL('../../', import.meta.url);

const onDisk = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

let drifted = 0;
for (const [name, text] of Object.entries(await printDocuments(root))) {
  const file = fileURLToPath(new URL(name, root));
  const known = await onDisk(file);
  if (known === text) continue;
  drifted += 1;
  if (flags.write) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const state = known === undefined ? 'is missing' : 'differs from the sources';
  console.log(flags.write ? `${name} written` : `${name} ${state}; run \`npm run generate\``);
}
console.log(`${drifted} documents ${flags.write ? 'changed' : 'drifted'}`);
process.exitCode = drifted > 0 && !flags.write ? 1 : 0;
