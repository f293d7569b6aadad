import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnIdentity } from './account.ts';
import { cleanEnvironment } from './cluster.ts';
import { clearLeftovers, readPidFile, shutDown, waitUntil } from './leftovers.ts';
import { rotateLog, sizeOf, readTail } from './log-file.ts';
import type { ServerSetup } from './server-setup.ts';

/** One postmaster, from start to exit. */
export interface PostgresServer {
  readonly pid: number;
  /** Resolves with the exit reason. */
  readonly ended: Promise<string>;
  isGone(): boolean;
  stop(): Promise<void>;
}

/** Crash recovery replays up to max_wal_size, which takes long on a slow disk. */
const READY_LIMIT_MS = 5 * 60_000;
/** How long leftovers of an earlier server may block the start. */
const LEFTOVERS_LIMIT_MS = 15_000;

/** Starts the server. Resolves when it accepts connections. */
export async function launchServer(site: ServerSetup, cancelled?: AbortSignal): Promise<PostgresServer> {
  const end = performance.now() + LEFTOVERS_LIMIT_MS;
  for (;;) {
    await clearLeftovers(site);
    await rotateLog(site.home.logFile);
    const logged = await sizeOf(site.home.logFile);
    const server = await spawnServer(site);
    if (await waitUntilReady(site, server, cancelled)) return server;

    const said = await readTail(site.home.logFile, logged);
    const remains = /pre-existing shared memory block|lock file "[^"]*" already exists/.test(said);
    if (!remains || performance.now() > end || cancelled?.aborted) {
      throw new Error(`The embedded database did not start (${await server.ended}):\n${said}`);
    }
    await sleep(250);
  }
}

async function spawnServer(site: ServerSetup): Promise<PostgresServer> {
  const { home, binaries, socketFolder, port } = site;
  const listen = socketFolder
    ? ['-c', 'listen_addresses=', '-k', socketFolder]
    : ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='];
  const log = await open(home.logFile, 'a', 0o600);
  try {
    const child = spawn(
      join(binaries.folder, 'postgres'),
      ['-D', home.cluster, '-p', String(port), ...listen],
      {
        cwd: home.folder,
        // A file, not a pipe: the server may outlive a killed Node process. Detached: Ctrl-C must only reach Node,
        // which stops the server in order.
        stdio: ['ignore', log.fd, log.fd],
        detached: true,
        windowsHide: true,
        ...cleanEnvironment(),
        ...spawnIdentity(home.account),
      },
    );
    await once(child, 'spawn');
    // A forgotten stop() must not keep Node alive.
    child.unref();
    return wrapChild(site, child);
  } finally {
    await log.close();
  }
}

function wrapChild(site: ServerSetup, child: ChildProcess): PostgresServer {
  const { pid } = child;
  if (pid === undefined) throw new Error('The database server has no pid');
  let end: string | undefined;
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      end = signal ? `killed by ${signal}` : `exit code ${code}`;
      resolve(end);
    });
  });
  const isGone = () => end !== undefined;
  return {
    pid,
    ended,
    isGone,
    async stop() {
      child.ref();
      await shutDown(site, pid, async () => isGone());
    },
  };
}

/**
 * The server writes "ready" to its pid file, which also has its process id and is cheaper to check than a connection.
 */
async function waitUntilReady(
  site: ServerSetup,
  server: PostgresServer,
  cancelled: AbortSignal | undefined,
): Promise<boolean> {
  let ready = false;
  await waitUntil(async () => {
    const status = await readPidFile(site.home.cluster);
    ready = status?.ready === true && status.pid === server.pid;
    return ready || server.isGone() || cancelled?.aborted === true;
  }, READY_LIMIT_MS);
  if (!ready || cancelled?.aborted) await server.stop();
  return ready && !server.isGone();
}
