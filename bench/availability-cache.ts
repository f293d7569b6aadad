import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from '../src/app.ts';
import { availabilityOf } from '../src/lab-testing/availability/availability.ts';
import { createOrganization, createTeam } from '../src/management/management.ts';
import { readConfig } from '../src/platform/config.ts';
import { openLog } from '../src/platform/log.ts';
import { openApp, startWorkers } from '../src/service.ts';
import { freePort, startProcess } from '../test/faults/service-process.ts';
import { site } from '../test/scheduling.ts';
import { ratioOf, type Result } from './result.ts';

const ROUNDS = 5;
const ROUND_MS = 1000;
const LATENCY_MS = 50;
const PLACES = 5;
const CONCURRENCIES = [1, 16];
/** What is kept is to give ten times the answers of a provider that is fifty milliseconds away. */
const GOAL = 10;
const TOKEN = 'token-of-the-bench';

/** Answers whether it came from what is kept. */
type Ask = (allowStale: boolean) => Promise<boolean>;

/**
 * The availability of five sites from what is kept (`ours`) and from the provider (`bare`), through the same door, in
 * one process with its worker, which refreshes what is kept. The provider is the real body of the port, and a
 * scheduler in a process of its own that answers after fifty milliseconds.
 */
export async function availabilityCache(): Promise<Result[]> {
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-bench-cache-'));
  const leave: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    const scheduler = await startProcess(['--import', 'tsx', 'bench/scheduler.ts'], {
      PORT: String(await freePort()),
      LATENCY_MS: String(LATENCY_MS),
    });
    leave.push(() => scheduler.stop());
    const config = readConfig({
      DATA_DIR: folder,
      LOG_LEVEL: 'warn',
      SCHEDULING_QUEST_URL: `${scheduler.url}/`,
      SCHEDULING_QUEST_TOKEN: TOKEN,
    });
    const opened = await openApp({ config, root: new URL('../', import.meta.url), log: openLog('warn') });
    leave.push(() => opened.close());
    const workers = await startWorkers(opened.app, opened.pools);
    leave.push(() => workers.stop());
    const ask = await asker(opened.app);
    const results: Result[] = [];
    for (const concurrency of CONCURRENCIES) results.push(await measure(ask, concurrency));
    return results;
  } finally {
    for (const each of leave.toReversed()) await each();
  }
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

async function measure(ask: Ask, concurrency: number): Promise<Result> {
  await ask(true);
  const [kept, asked] = [
    { allowStale: true, concurrency },
    { allowStale: false, concurrency },
  ];
  await fire(ask, kept);
  await fire(ask, asked);
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push(await fire(ask, kept));
    bare.push(await fire(ask, asked));
  }
  return ratioOf(`availability-cache, ${concurrency} at once`, { ours, bare, goal: GOAL });
}

async function fire(ask: Ask, { allowStale, concurrency }: { allowStale: boolean; concurrency: number }) {
  const start = performance.now();
  let finished = 0;
  const asking = async () => {
    while (performance.now() - start < ROUND_MS) {
      if ((await ask(allowStale)) !== allowStale) throw new Error('The answer came from the wrong place');
      finished += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, asking));
  return (finished * 1000) / (performance.now() - start);
}
