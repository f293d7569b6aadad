import { setTimeout as sleep } from 'node:timers/promises';
import { rotateLog } from './log-file.ts';
import { messageOf, sendSignal } from './processes.ts';
import { launchServer, type PostgresServer } from './server.ts';
import type { ServerSetup } from './server-setup.ts';

interface SupervisedServer {
  /** The process id of the current server; it changes with a restart. */
  pid(): number;
  stop(): Promise<void>;
}

const DOUBLINGS_MAX = 20;
const STABLE_AFTER_MS = 60_000;
const LOG_CHECK_MS = 10 * 60_000;

/**
 * Starts the server, and restarts it when it dies unexpectedly. Clients find it on the same socket. It never gives up:
 * the cause of a failed start, such as a full disk, is often temporary, and the service is useless without its
 * database.
 */
export async function supervise(site: ServerSetup): Promise<SupervisedServer> {
  const stopping = new AbortController();
  let server = await launchServer(site);

  // The last chance when Node exits without stop(): after process.exit() or an uncaught error.
  const lastWish = () => void (server.isGone() || sendSignal(server.pid, 'SIGINT'));
  process.once('exit', lastWish);
  const logCheck = setInterval(
    () => void rotateLog(site.home.logFile).catch(() => undefined),
    LOG_CHECK_MS,
  ).unref();

  const watch = async () => {
    for (let deaths = 0; ;) {
      const since = performance.now();
      const reason = await server.ended;
      if (stopping.signal.aborted) return;
      deaths = performance.now() - since > STABLE_AFTER_MS ? 1 : deaths + 1;
      site.log('The database server died; starting it again', { reason, deaths }, 'warn');
      const next = await relaunch(site, deaths, stopping.signal);
      if (!next) return;
      server = next;
      site.log('The database server is back', { pid: server.pid });
    }
  };
  const watching = watch();

  return {
    pid: () => server.pid,
    async stop() {
      stopping.abort();
      await server.stop();
      await watching;
      // A restart may have completed meanwhile.
      await server.stop();
      clearInterval(logCheck);
      process.removeListener('exit', lastWish);
    },
  };
}

/** The first restart is immediate; a server that keeps dying gets increasing pauses. Undefined: stopped. */
async function relaunch(
  site: ServerSetup,
  deaths: number,
  stopping: AbortSignal,
): Promise<PostgresServer | undefined> {
  for (let failures = 0; !stopping.aborted; failures += 1) {
    const turns = deaths - 1 + failures;
    const pauseMs = turns === 0 ? 0 : Math.min(site.longestPauseMs, 50 * 2 ** Math.min(turns, DOUBLINGS_MAX));
    await sleep(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return undefined;
    try {
      return await launchServer(site, stopping);
    } catch (error) {
      const fields = { error: messageOf(error), failures: failures + 1 };
      site.log('The database server could not be started again', fields, 'error');
    }
  }
  return undefined;
}
