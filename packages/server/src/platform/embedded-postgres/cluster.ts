import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFile, mkdir, open, readFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chownTo, spawnIdentity } from './account.ts';
import type { PostgresBinaries } from './binaries.ts';
import type { DatabaseHome } from './home.ts';
import { errorCodeOf, messageOf } from './processes.ts';
import { SETTINGS_FILE } from './settings.ts';

const run = promisify(execFile);

export const SUPERUSER = 'aliquot';

/** The environment of PostgreSQL's programs: ours would pass on PGPORT and LD_LIBRARY_PATH. */
export const cleanEnvironment = (): { env?: Record<string, string> } =>
  process.platform === 'win32' ? {} : { env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' } };

/**
 * Finds or creates the data folder. It gets its name only when it is complete and synced to disk. `passwordFile` is for
 * Windows, where a loopback port replaces the private socket.
 */
export async function ensureCluster(
  home: DatabaseHome,
  binaries: PostgresBinaries,
  how: { passwordFile: string | undefined; synced: boolean },
): Promise<void> {
  await sweepPartials(home);
  const found = await readFile(join(home.cluster, 'PG_VERSION'), 'utf8').catch((error: unknown) => {
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (found !== undefined) return assertMajorVersion(home, found.trim(), binaries.major);

  // A new name each time: an initdb that outlived a killed Node process may still be writing to the last one.
  const partial = join(home.folder, `cluster-${randomBytes(4).toString('hex')}.partial`);
  await mkdir(partial, { mode: 0o700 });
  await chownTo(home.account, partial);
  // prettier-ignore
  await initdb(home, join(binaries.folder, 'initdb'), [
    '-D', partial, '-U', SUPERUSER, '-E', 'UTF8', '--data-checksums', '--no-instructions',
    '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--set', 'huge_pages=off',
    ...(how.passwordFile ? ['-A', 'scram-sha-256', `--pwfile=${how.passwordFile}`] : ['-A', 'trust']),
    ...(how.synced ? [] : ['--no-sync']),
  ]);
  await appendFile(join(partial, 'postgresql.conf'), `\ninclude_if_exists '${SETTINGS_FILE}'\n`);
  await rename(partial, home.cluster);
  if (how.synced) await syncFolder(home.folder);
}

function assertMajorVersion(home: DatabaseHome, found: string, wanted: string): void {
  if (found === wanted) return;
  throw new Error(
    `The database in ${home.cluster} was written by PostgreSQL ${found}, but this version of Aliquot includes PostgreSQL ${wanted}, ` +
      'which cannot read it. Export it with the version of Aliquot that wrote it, ' +
      `start this one with another DATA_DIR and import there, or set DATABASE_URL to a PostgreSQL ${found}.`,
  );
}

async function initdb(home: DatabaseHome, program: string, args: string[]): Promise<void> {
  try {
    await run(program, args, { cwd: home.folder, ...cleanEnvironment(), ...spawnIdentity(home.account) });
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new Error(
      `The embedded database could not be created in ${home.folder}: ${said || messageOf(error)}\n` +
        'To use your own PostgreSQL 15 or newer instead, set DATABASE_URL.',
      { cause: error },
    );
  }
}

async function sweepPartials({ folder }: DatabaseHome): Promise<void> {
  const partial = (await readdir(folder)).filter((name) => /^cluster-.*\.partial$/.test(name));
  await Promise.all(
    partial.map((name) => rm(join(folder, name), { recursive: true, force: true, maxRetries: 5 })),
  );
}

/** initdb has synced the files; the new name of the folder still needs a sync. Windows does not support it. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}
