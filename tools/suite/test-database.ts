/**
 * `npm run test:database [-- VITEST OPTIONS]`: runs the test files that open a database, and no others. For a second run
 * of the suite against another server (DATABASE_URL): the rest cannot tell the difference.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { databaseFiles } from './database-files.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const files = await databaseFiles(root);
console.log(`${files.length} test files open a database`);
const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')));
const { status, signal } = spawnSync(process.execPath, [vitest, 'run', ...process.argv.slice(2), ...files], {
  cwd: root,
  stdio: 'inherit',
});
if (signal) process.kill(process.pid, signal);
process.exitCode = status ?? 1;
