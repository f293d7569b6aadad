import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { allPids, commandOf, workingDirectoryOf, processIdentity, sendSignal } from './processes.ts';
import type { ServerSetup } from './server-setup.ts';

const run = promisify(execFile);

const STOP_TIMEOUT_MS = 10_000;
const SOCKET = '.s.PGSQL.5432';

interface ServerStatus {
  readonly pid: number;
  readonly ready: boolean;
  readonly port: number;
  /** Empty on Windows. */
  readonly socketFolder: string;
}

/** The status that PostgreSQL writes to its data folder. */
export async function readPidFile(cluster: string): Promise<ServerStatus | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Math.abs(Number(lines[0]));
  if (!(pid > 0)) return undefined;
  return {
    pid,
    ready: lines[7]?.trim() === 'ready',
    port: Number(lines[3]),
    socketFolder: lines[4]?.trim() ?? '',
  };
}

/**
 * Cleans up after a killed process: stops its server and its orphaned children, and removes stale lock files. The
 * caller must own the folder lock: any server on this folder then has lost its Node process.
 */
export async function clearLeftovers(site: ServerSetup): Promise<void> {
  const { cluster } = site.home;
  const left = await readPidFile(cluster);
  const isOurs = async () => left !== undefined && (await isServerOf(cluster, left.pid));
  if (left && (await isOurs())) {
    site.log('Stopping the database server of an earlier process', { pid: left.pid });
    await shutDown(site, left.pid, async () => (await processIdentity(left.pid)) === undefined);
  }
  if (left) await killOrphans(cluster);
  if (site.socketFolder && (await isListening(join(site.socketFolder, SOCKET)))) {
    throw new Error(
      `The database in ${site.home.folder} is in use by a server that is not visible to this process, perhaps in another ` +
        'container. Stop that server, or use another DATA_DIR.',
    );
  }
  if (process.platform === 'win32' || (await isOurs())) return;
  // PostgreSQL would take a zombie, or another program of this user with the same pid, for a running server. The socket
  // has its own lock file with that pid, which may be the only one left after a failed start.
  await rm(join(cluster, 'postmaster.pid'), { force: true });
  if (site.socketFolder) await rm(join(site.socketFolder, `${SOCKET}.lock`), { force: true });
}

/** Fast shutdown, then immediate, then SIGKILL. Resolves when the server is gone. */
export async function shutDown(
  site: ServerSetup,
  pid: number,
  isGone: () => Promise<boolean>,
): Promise<void> {
  for (const [signal, mode] of [
    ['SIGINT', 'fast'],
    ['SIGQUIT', 'immediate'],
    ['SIGKILL', 'kill'],
  ] as const) {
    if (await isGone()) return;
    if (process.platform === 'win32') await windowsStop(site, mode);
    else sendSignal(pid, signal);
    if (await waitUntil(isGone, STOP_TIMEOUT_MS)) return;
    site.log('The database server does not stop', { pid, signal });
  }
  throw new Error(`The database server ${pid} does not stop, not even by SIGKILL`);
}

/** Polls until the condition is true or the limit has passed; returns whether it is true. */
export async function waitUntil(isTrue: () => Promise<boolean>, limitMs: number): Promise<boolean> {
  const end = performance.now() + limitMs;
  for (;;) {
    if (await isTrue()) return true;
    if (performance.now() > end) return false;
    await sleep(10);
  }
}

async function isServerOf(cluster: string, pid: number): Promise<boolean> {
  if ((await processIdentity(pid)) === undefined) return false;
  // Windows does not show it; pg_ctl signals through a pipe that only a PostgreSQL with this pid has.
  if (process.platform === 'win32') return true;
  const command = await commandOf(pid);
  return (
    command.includes('postgres') && (command.includes(cluster) || (await workingDirectoryOf(pid)) === cluster)
  );
}

/**
 * When a postmaster is killed its children exit, except one in a long computation, which would keep the shared memory
 * and prevent a new start. Where processes cannot be listed, the start is retried until it has exited.
 */
async function killOrphans(cluster: string): Promise<void> {
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    const orphans = await orphansOf(cluster);
    for (const pid of orphans) sendSignal(pid, signal);
    if (await waitUntil(async () => (await orphansOf(cluster)).length === 0, STOP_TIMEOUT_MS / 5)) return;
  }
}

async function orphansOf(cluster: string): Promise<number[]> {
  const there = await Promise.all(
    (await allPids()).map(async (pid) => {
      if ((await workingDirectoryOf(pid)) !== cluster) return [];
      // The working directory of a user's shell may also be this folder.
      return (await commandOf(pid)).startsWith('postgres: ') ? [pid] : [];
    }),
  );
  return there.flat();
}

const isListening = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = connect({ path: socket });
    probe.once('connect', () => resolve(true)).once('error', () => resolve(false));
    probe.once('connect', () => probe.destroy());
  });

async function windowsStop({ home, binaries }: ServerSetup, mode: string): Promise<void> {
  if (mode === 'kill') return;
  await run(join(binaries.folder, 'pg_ctl'), ['stop', '-D', home.cluster, '-m', mode, '-W']).catch(
    () => undefined,
  );
}
