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

const LONGEST_PAUSE_MS = 2_000;
/** Starts that fail one after the other before the supervisor gives up. */
const FAILED_STARTS = 10;
const CALM_MS = 60_000;
const LOG_CHECK_MS = 10 * 60_000;

/**
 * Starts the server, and starts it again whenever it dies without being told to. Clients find it on the same socket.
 * `gaveUp` is called when it cannot be brought back.
 */
export async function supervise(site: Site, gaveUp: (reason: string) => void): Promise<Supervised> {
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
      site.log('The database server died; starting it again', { reason, deaths });
      const next = await relaunch(site, deaths, stopping.signal);
      if (!next) {
        // Not returned: a gaveUp that waits for stop() would wait for this very loop.
        if (!stopping.signal.aborted) gaveUp(reason);
        return;
      }
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

/** The first restart is immediate; a server that keeps dying is given longer and longer pauses. */
async function relaunch(site: Site, deaths: number, stopping: AbortSignal): Promise<Server | undefined> {
  for (let failures = 0; failures < FAILED_STARTS; failures += 1) {
    const turns = deaths - 1 + failures;
    const pauseMs = turns === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, 50 * 2 ** turns);
    await sleep(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return undefined;
    try {
      return await launch(site, stopping);
    } catch (error) {
      site.log('The database server could not be started again', {
        error: messageOf(error),
        failures: failures + 1,
      });
    }
  }
  return undefined;
}
