import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runAs } from './account.ts';
import { cleanEnvironment } from './cluster.ts';
import { clearLeftovers, readPidFile, shutDown, until } from './leftovers.ts';
import { boundLog, sizeOf, tailOf } from './log-file.ts';
import type { Site } from './site.ts';

/** One postmaster, from its start to its end. */
export interface Server {
  readonly pid: number;
  /** Resolves with the way it ended. */
  readonly ended: Promise<string>;
  isGone(): boolean;
  stop(): Promise<void>;
}

/** Crash recovery replays up to max_wal_size, and takes its time on a slow disk. */
const READY_LIMIT_MS = 5 * 60_000;
/** How long the remains of an earlier server may stand in the way. */
const REMAINS_LIMIT_MS = 15_000;

/** Starts the server and resolves when it takes connections. */
export async function launch(site: Site, cancelled?: AbortSignal): Promise<Server> {
  const end = performance.now() + REMAINS_LIMIT_MS;
  for (;;) {
    await clearLeftovers(site);
    await boundLog(site.home.logFile);
    const logged = await sizeOf(site.home.logFile);
    const server = await spawnServer(site);
    if (await becomesReady(site, server, cancelled)) return server;

    const said = await tailOf(site.home.logFile, logged);
    const remains = /pre-existing shared memory block|lock file "[^"]*" already exists/.test(said);
    if (!remains || performance.now() > end || cancelled?.aborted) {
      throw new Error(`The embedded database did not start (${await server.ended}):\n${said}`);
    }
    await sleep(250);
  }
}

async function spawnServer(site: Site): Promise<Server> {
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
        // A file, not a pipe: the server may outlive a killed Node. Detached: Ctrl-C is for Node, which stops it in order.
        stdio: ['ignore', log.fd, log.fd],
        detached: true,
        windowsHide: true,
        ...cleanEnvironment(),
        ...runAs(home.account),
      },
    );
    await once(child, 'spawn');
    // A forgotten stop() must not keep Node alive.
    child.unref();
    return watched(site, child);
  } finally {
    await log.close();
  }
}

function watched(site: Site, child: ChildProcess): Server {
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

/** The server writes "ready" into its pid file: cheaper to ask for than a connection, and it names its process. */
async function becomesReady(
  site: Site,
  server: Server,
  cancelled: AbortSignal | undefined,
): Promise<boolean> {
  let ready = false;
  await until(async () => {
    const status = await readPidFile(site.home.cluster);
    ready = status?.ready === true && status.pid === server.pid;
    return ready || server.isGone() || cancelled?.aborted === true;
  }, READY_LIMIT_MS);
  if (!ready || cancelled?.aborted) await server.stop();
  return ready && !server.isGone();
}
