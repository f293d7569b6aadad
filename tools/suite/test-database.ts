/**
 * `npm run test:database [-- [--cover FILE] VITEST OPTIONS]`: runs only the test files that open a database. Use it to
 * repeat the suite against another server (DATABASE_URL); the other tests do not depend on it.
 *
 * With --cover, FILE is what a run with STATEMENTS_FILE=FILE wrote: then only files that together run every SQL statement
 * of that run are repeated, and those of the parts that speak to the server most directly.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { chooseCover, readStatements } from './cover.ts';
import { databaseFiles } from './database-files.ts';

/** Transactions, locks, notifications and queues differ between servers and drivers in more than their statements. */
const ALWAYS = /^packages\/server\/src\/(platform|events|delivery\/webhooks)\//;

/**
 * Browsers, builds, compilers, clients of the interface, commands and readers of files cannot tell one server from
 * another, and take long.
 */
const NEVER = [
  /^packages\/dashboard\//,
  /^packages\/server\/src\/cli\/(demo|mcp)[.]/,
  /^packages\/server\/src\/lab-reports\/readers\//,
  /^packages\/server\/src\/wearables\/files\//,
  /^packages\/server\/test\/e2e\/(builds|cli|local-socket|point-in-time|sdk|three-services|tls)[.]/,
  /^tools\/generators\//,
];
const isLeftOut = (file: string): boolean => NEVER.some((pattern) => pattern.test(file));

const root = fileURLToPath(new URL('../../', import.meta.url));
const options = process.argv.slice(2);
const at = options.indexOf('--cover');
const [, log] = at === -1 ? [] : options.splice(at, 2);

const all = await databaseFiles(root);
const files = log === undefined ? all : await chooseFiles(log);
console.log(`${all.length} test files open a database; ${files.length} of them are run`);

/** A file that left no log, because it starts the service in other ways, is always run. */
async function chooseFiles(path: string): Promise<string[]> {
  const logged = (await readStatements(path, root)).filter(({ file }) => !isLeftOut(file));
  const known = new Set(logged.map(({ file }) => file));
  const cover = new Set(chooseCover(logged));
  return all.filter((file) => !isLeftOut(file) && (ALWAYS.test(file) || cover.has(file) || !known.has(file)));
}

const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')));
const { status, signal } = spawnSync(process.execPath, [vitest, 'run', ...options, ...files], {
  cwd: root,
  stdio: 'inherit',
});
if (signal) process.kill(process.pid, signal);
process.exitCode = status ?? 1;
