import { randomUUID } from 'node:crypto';
import type { App } from '../packages/server/src/app.ts';
import { getAvailability } from '../packages/server/src/scheduling/availability/availability.ts';
import { createOrganization, createTeam } from '../packages/server/src/identity/management/management.ts';
import { readConfig } from '../packages/server/src/platform/config.ts';
import { openLog } from '../packages/server/src/platform/log.ts';
import { openApp, startWorkers } from '../packages/server/src/service.ts';
import { freePort, startProcess } from '../packages/server/test/faults/service-process.ts';
import { site } from '../packages/server/test/scheduling.ts';
import { defineCase, defineStage, type BenchSize } from '../tools/bench/bench-case.ts';
import type { CleanupTasks } from '../tools/stage/cleanup.ts';
import { openFolder } from './folder.ts';
import { alternate, ratioOf, type RoundTimes } from './result.ts';

const LATENCY_MS = 50;
const LOCATION_COUNT = 5;
const CONCURRENCIES = [1, 16];
const TOKEN = 'token-of-the-bench';

/** Resolves to whether the answer came from the cache. */
type AskAvailability = (allowStale: boolean) => Promise<boolean>;

const cacheStage = defineStage<AskAvailability>({
  name: 'availability-cache',
  expectedSeconds: { full: 12, quick: 6 },
  open: openStage,
});

/**
 * One process with its worker, which refreshes the cache. The provider is the real implementation of the port, talking
 * to a scheduler in a separate process that answers after fifty milliseconds.
 */
async function openStage(cleanups: CleanupTasks, size: BenchSize): Promise<AskAvailability> {
  const folder = await openFolder('cache', cleanups, size);
  const scheduler = await startProcess(['--import', 'tsx', 'bench/scheduler.ts'], {
    PORT: String(await freePort()),
    LATENCY_MS: String(LATENCY_MS),
  });
  cleanups.push(() => scheduler.stop());
  const config = readConfig({
    DATA_DIR: folder,
    LOG_LEVEL: 'warn',
    SCHEDULING_QUEST_URL: `${scheduler.url}/`,
    SCHEDULING_QUEST_TOKEN: TOKEN,
  });
  const opened = await openApp({
    config,
    root: new URL('../packages/server/', import.meta.url),
    log: openLog('warn'),
  });
  cleanups.push(() => opened.close());
  const workers = await startWorkers(opened.app, opened.pools);
  cleanups.push(() => workers.stop());
  return createAsker(opened.app);
}

async function createAsker(app: App): Promise<AskAvailability> {
  const org = await createOrganization(app, { name: 'Bench' });
  const team = await createTeam(app, { orgId: org.id, name: randomUUID(), region: 'us' });
  const tenant = { teamId: team.id, environment: 'production' } as const;
  const places = Array.from({ length: LOCATION_COUNT }, (_, n) => site({ code: `SITE${n}` }));
  return async (allowStale) => {
    const wanted = { provider: 'quest', places, from: null, days: 14, allowStale } as const;
    const answer = await getAvailability(app, tenant, wanted);
    if (answer.places.some(({ slots }) => slots.length < 100))
      throw new Error('The provider returned too few slots');
    return answer.isCached;
  };
}

/** Availability of five sites from the cache (`ours`) and from the provider (`bare`), through the same port. */
export const availabilityCache = defineCase<AskAvailability, RoundTimes>({
  name: 'availability-cache',
  group: {
    heading: `Availability responses per second: from the cache, and from a provider ${LATENCY_MS} ms away`,
    columns: ['cached/s', 'remote/s'],
  },
  // The cache must be ten times as fast as a provider that is fifty milliseconds away.
  goal: 10,
  stage: cacheStage,
  sizes: {
    full: { rounds: 5, roundMs: 1000, warmUpMs: 1000 },
    quick: { rounds: 1, roundMs: 200, warmUpMs: 100 },
  },
  expectedSeconds: { full: 25, quick: 2 },
  run: async (ask, { parameters: { rounds, roundMs, warmUpMs }, goal, report, advance }) => {
    for (const [n, concurrency] of CONCURRENCIES.entries()) {
      await ask(true);
      const cached = { allowStale: true, concurrency };
      const asked = { allowStale: false, concurrency };
      await runLoad(ask, { ...cached, forMs: warmUpMs });
      await runLoad(ask, { ...asked, forMs: warmUpMs });
      const measured = await alternate({
        rounds,
        ours: () => runLoad(ask, { ...cached, forMs: roundMs }),
        bare: () => runLoad(ask, { ...asked, forMs: roundMs }),
        advance: (done) => advance(n * rounds + done, CONCURRENCIES.length * rounds),
      });
      report(ratioOf(`availability-cache, ${concurrency} at once`, { ...measured, goal }));
    }
  },
});

interface CacheLoad {
  readonly allowStale: boolean;
  readonly concurrency: number;
  readonly forMs: number;
}

async function runLoad(ask: AskAvailability, { allowStale, concurrency, forMs }: CacheLoad): Promise<number> {
  const start = performance.now();
  let finished = 0;
  const asking = async () => {
    while (performance.now() - start < forMs) {
      if ((await ask(allowStale)) !== allowStale)
        throw new Error('The answer did not come from the expected source');
      finished += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, asking));
  return (finished * 1000) / (performance.now() - start);
}
