import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { allPids, commandOf, folderOf, lifeOf, send } from './processes.ts';
import type { Site } from './site.ts';

const run = promisify(execFile);

const PATIENCE_MS = 10_000;
const SOCKET = '.s.PGSQL.5432';

/** What PostgreSQL writes about itself into its data folder. */
export async function readPidFile(cluster: string): Promise<{ pid: number; ready: boolean } | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Math.abs(Number(lines[0]));
  return pid > 0 ? { pid, ready: lines[7]?.trim() === 'ready' } : undefined;
}

/**
 * Clears away what a kill -9 left of an earlier server. Only the owner of the lock may call this: whatever runs on this
 * folder now has lost its Node.
 */
export async function clearLeftovers(site: Site): Promise<void> {
  const { cluster } = site.home;
  const left = await readPidFile(cluster);
  const isOurs = async () => left !== undefined && (await isServerOf(cluster, left.pid));
  if (left && (await isOurs())) {
    site.log('Stopping the database server that an earlier process left behind', { pid: left.pid });
    await shutDown(site, left.pid, async () => (await lifeOf(left.pid)) === undefined);
  }
  if (left) await dismissOrphans(cluster);
  if (site.socketFolder && (await answers(join(site.socketFolder, SOCKET)))) {
    throw new Error(
      `The database in ${site.home.folder} is in use by a server that cannot be seen from here, perhaps in another ` +
        'container. Stop that one, or give this one another DATA_DIR.',
    );
  }
  if (process.platform === 'win32' || (await isOurs())) return;
  // PostgreSQL would take a zombie, or another program of this user with the same pid, for a living server. The socket
  // has a lock of its own with that pid, which may be the only one left, as where an earlier start failed of it.
  await rm(join(cluster, 'postmaster.pid'), { force: true });
  if (site.socketFolder) await rm(join(site.socketFolder, `${SOCKET}.lock`), { force: true });
}

/** Fast shutdown, then immediate, then none. Resolves when the server is gone. */
export async function shutDown(site: Site, pid: number, isGone: () => Promise<boolean>): Promise<void> {
  for (const [signal, mode] of [
    ['SIGINT', 'fast'],
    ['SIGQUIT', 'immediate'],
    ['SIGKILL', 'kill'],
  ] as const) {
    if (await isGone()) return;
    if (process.platform === 'win32') await windowsStop(site, mode);
    else send(pid, signal);
    if (await until(isGone, PATIENCE_MS)) return;
    site.log('The database server does not stop', { pid, signal });
  }
  throw new Error(`The database server ${pid} does not stop, not even by SIGKILL`);
}

/** Asks again and again, up to the limit; says whether it came true. */
export async function until(isTrue: () => Promise<boolean>, limitMs: number): Promise<boolean> {
  const end = performance.now() + limitMs;
  for (;;) {
    if (await isTrue()) return true;
    if (performance.now() > end) return false;
    await sleep(10);
  }
}

async function isServerOf(cluster: string, pid: number): Promise<boolean> {
  if ((await lifeOf(pid)) === undefined) return false;
  // Windows does not tell; pg_ctl signals through a pipe that only a PostgreSQL of this pid has.
  if (process.platform === 'win32') return true;
  const command = await commandOf(pid);
  return command.includes('postgres') && (command.includes(cluster) || (await folderOf(pid)) === cluster);
}

/**
 * When a postmaster is killed its children leave by themselves, except one in the middle of a long computation:
 * that one would hold the shared memory and no server could start. Where processes cannot be listed the start is
 * tried again until it has left.
 */
async function dismissOrphans(cluster: string): Promise<void> {
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    const orphans = await orphansOf(cluster);
    for (const pid of orphans) send(pid, signal);
    if (await until(async () => (await orphansOf(cluster)).length === 0, PATIENCE_MS / 5)) return;
  }
}

async function orphansOf(cluster: string): Promise<number[]> {
  const there = await Promise.all(
    (await allPids()).map(async (pid) => {
      if ((await folderOf(pid)) !== cluster) return [];
      // Somebody's shell may stand in this folder too.
      return (await commandOf(pid)).startsWith('postgres: ') ? [pid] : [];
    }),
  );
  return there.flat();
}

const answers = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = connect({ path: socket });
    probe.once('connect', () => resolve(true)).once('error', () => resolve(false));
    probe.once('connect', () => probe.destroy());
  });

async function windowsStop({ home, binaries }: Site, mode: string): Promise<void> {
  if (mode === 'kill') return;
  await run(join(binaries.folder, 'pg_ctl'), ['stop', '-D', home.cluster, '-m', mode, '-W']).catch(
    () => undefined,
  );
}
