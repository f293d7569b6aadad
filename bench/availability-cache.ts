import { randomUUID } from 'node:crypto';
import type { App } from '../src/app.ts';
import { availabilityOf } from '../src/lab-testing/availability/availability.ts';
import { createOrganization, createTeam } from '../src/management/management.ts';
import { readConfig } from '../src/platform/config.ts';
import { openLog } from '../src/platform/log.ts';
import { openApp, startWorkers } from '../src/service.ts';
import { freePort, startProcess } from '../test/faults/service-process.ts';
import { site } from '../test/scheduling.ts';
import { defineCase, defineStage, type BenchSize } from '../tools/bench/bench-case.ts';
import type { CleanupTasks } from '../tools/stage/cleanup.ts';
import { openFolder } from './folder.ts';
import { alternate, ratioOf, type RoundTimes } from './result.ts';

const LATENCY_MS = 50;
const PLACES = 5;
const CONCURRENCIES = [1, 16];
const TOKEN = 'token-of-the-bench';

/** Answers whether it came from what is kept. */
type Ask = (allowStale: boolean) => Promise<boolean>;

const cacheStage = defineStage<Ask>({
  name: 'availability-cache',
  expectedSeconds: { full: 12, quick: 6 },
  open: openStage,
});

/**
 * One process with its worker, which refreshes what is kept. The provider is the real implementation of the port, and a
 * scheduler in a process of its own that answers after fifty milliseconds.
 */
async function openStage(cleanups: CleanupTasks, size: BenchSize): Promise<Ask> {
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
  const opened = await openApp({ config, root: new URL('../', import.meta.url), log: openLog('warn') });
  cleanups.push(() => opened.close());
  const workers = await startWorkers(opened.app, opened.pools);
  cleanups.push(() => workers.stop());
  return asker(opened.app);
}

async function asker(app: App): Promise<Ask> {
  const org = await createOrganization(app, { name: 'Bench' });
  const team = await createTeam(app, { orgId: org.id, name: randomUUID(), region: 'us' });
  const tenant = { teamId: team.id, environment: 'production' } as const;
  const places = Array.from({ length: PLACES }, (_, n) => site({ code: `SITE${n}` }));
  return async (allowStale) => {
    const wanted = { provider: 'quest', places, from: null, days: 14, allowStale } as const;
    const answer = await availabilityOf(app, tenant, wanted);
    if (answer.places.some(({ slots }) => slots.length < 100)) throw new Error('There are too few slots');
    return answer.isCached;
  };
}

/** The availability of five sites from what is kept (`ours`) and from the provider (`bare`), through the same port. */
export const availabilityCache = defineCase<Ask, RoundTimes>({
  name: 'availability-cache',
  group: {
    heading: `Availability answers a second from the cache, and from a provider ${LATENCY_MS} ms away`,
    columns: ['cached/s', 'asked/s'],
  },
  // The cache has to give ten times the answers of a provider that is fifty milliseconds away.
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
      await fire(ask, { ...cached, forMs: warmUpMs });
      await fire(ask, { ...asked, forMs: warmUpMs });
      const measured = await alternate({
        rounds,
        ours: () => fire(ask, { ...cached, forMs: roundMs }),
        bare: () => fire(ask, { ...asked, forMs: roundMs }),
        advance: (done) => advance(n * rounds + done, CONCURRENCIES.length * rounds),
      });
      report(ratioOf(`availability-cache, ${concurrency} at once`, { ...measured, goal }));
    }
  },
});

interface Load {
  readonly allowStale: boolean;
  readonly concurrency: number;
  readonly forMs: number;
}

async function fire(ask: Ask, { allowStale, concurrency, forMs }: Load): Promise<number> {
  const start = performance.now();
  let finished = 0;
  const asking = async () => {
    while (performance.now() - start < forMs) {
      if ((await ask(allowStale)) !== allowStale) throw new Error('The answer came from the wrong place');
      finished += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, asking));
  return (finished * 1000) / (performance.now() - start);
}
