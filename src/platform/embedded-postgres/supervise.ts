import { setTimeout as sleep } from 'node:timers/promises';
import { boundLog } from './log-file.ts';
import { messageOf, send } from './processes.ts';
import { launch, type Server } from './server.ts';
import type { Site } from './site.ts';

export interface Supervised {
  /** Of the server that runs now; another after a restart. */
  pid(): number;
  stop(): Promise<void>;
}

const TURNS_MAX = 20;
const CALM_MS = 60_000;
const LOG_CHECK_MS = 10 * 60_000;

/**
 * Starts the server, and starts it again whenever it dies without being told to. Clients find it on the same socket.
 * It does not give up: what keeps a server from starting, as a full disk, is often gone later, and a service that has
 * no database serves nobody.
 */
export async function supervise(site: Site): Promise<Supervised> {
  const stopping = new AbortController();
  let server = await launch(site);

  // The last chance when Node leaves without stop(): after process.exit() or an uncaught error.
  const lastWish = () => void (server.isGone() || send(server.pid, 'SIGINT'));
  process.once('exit', lastWish);
  const logCheck = setInterval(
    () => void boundLog(site.home.logFile).catch(() => undefined),
    LOG_CHECK_MS,
  ).unref();

  const watch = async () => {
    for (let deaths = 0; ;) {
      const since = performance.now();
      const reason = await server.ended;
      if (stopping.signal.aborted) return;
      deaths = performance.now() - since > CALM_MS ? 1 : deaths + 1;
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
      // A restart may have been under way and may have won.
      await server.stop();
      clearInterval(logCheck);
      process.removeListener('exit', lastWish);
    },
  };
}

/** The first restart is immediate; a server that keeps dying is given longer and longer pauses. Undefined: stopped. */
async function relaunch(site: Site, deaths: number, stopping: AbortSignal): Promise<Server | undefined> {
  for (let failures = 0; !stopping.aborted; failures += 1) {
    const turns = deaths - 1 + failures;
    const pauseMs = turns === 0 ? 0 : Math.min(site.longestPauseMs, 50 * 2 ** Math.min(turns, TURNS_MAX));
    await sleep(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return undefined;
    try {
      return await launch(site, stopping);
    } catch (error) {
      const fields = { error: messageOf(error), failures: failures + 1 };
      site.log('The database server could not be started again', fields, 'error');
    }
  }
  return undefined;
}
