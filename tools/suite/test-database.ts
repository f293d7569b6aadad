/**
 * `npm run test:database [-- VITEST OPTIONS]`: runs only the test files that open a database. Use it to repeat the
 * suite against another server (DATABASE_URL); the other tests do not depend on it.
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
