/** Mutation testing: puts small faults into the service, one at a time, and counts those that no test detects. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { modules, type MutatedModule } from './modules.ts';
import { listMutants, mutateModule } from './mutate-module.ts';
import { readOptions, USAGE, type MutationOptions } from './options.ts';
import { TABLE_HEAD, readResults, resultRow } from './results.ts';
import { startServer } from './server.ts';

const root = resolve(import.meta.dirname, '../..');

async function runAll(named: readonly MutatedModule[], options: MutationOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-mutation-'));
  const server = join(folder, 'server.json');
  const stop = await startServer(server);
  try {
    for (const module of named) await mutateModule(module, options, { root, folder, server });
  } finally {
    await stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const options = readOptions(process.argv.slice(2));
const named = modules.filter(({ name }) => options.modules.length === 0 || options.modules.includes(name));
if (named.length < Math.max(1, options.modules.length)) throw new Error(`Unknown module\n${USAGE}`);
if (options.list) {
  for (const module of named) await listMutants(root, module, options);
} else {
  if (!options.report) await runAll(named, options);
  const known = await Promise.all(named.map(({ name }) => readResults(root, name)));
  console.log([TABLE_HEAD, ...known.flatMap((results) => (results ? [resultRow(results)] : []))].join('\n'));
}
