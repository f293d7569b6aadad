import { setTimeout as sleep } from 'node:timers/promises';
import { startClients, type Acknowledged, type Clients } from './clients.ts';
import type { Stage } from './stage.ts';

/** One way to fail, again and again, while clients write. */
export interface Scene<S extends Stage = Stage> {
  readonly name: string;
  readonly title: string;
  /** Only for the database that the service carries with it. */
  readonly embeddedOnly: boolean;
  readonly kill: (stage: S) => Promise<void>;
}

/** All connections that the service has at this moment, its queue's and its listener's among them. */
const TERMINATE = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = 'aliquot' and pid <> pg_backend_pid()`;

const PATIENCE_MS = 60_000;

export const scenes: readonly Scene[] = [
  {
    name: 'connections',
    title: 'all database connections terminated',
    embeddedOnly: false,
    kill: (stage) => stage.onDatabase(async (client) => void (await client.query(TERMINATE))),
  },
  {
    name: 'process',
    title: 'service process killed -9 and started again',
    embeddedOnly: false,
    kill: async (stage) => {
      await stage.service().kill();
      await stage.restart();
    },
  },
  {
    name: 'postmaster',
    title: 'embedded postmaster killed -9',
    embeddedOnly: true,
    kill: killPostmaster,
  },
];

/** Its children answer for a moment longer, so that only another postmaster counts as back. */
export async function killPostmaster({ postmaster }: Pick<Stage, 'postmaster'>): Promise<void> {
  const pid = await postmaster?.();
  if (pid === undefined) throw new Error('There is no postmaster');
  process.kill(pid, 'SIGKILL');
  const until = performance.now() + PATIENCE_MS;
  for (let now = await postmaster?.(); now === undefined || now === pid; now = await postmaster?.()) {
    if (performance.now() > until) throw new Error('The database was not started again');
    await sleep(5);
  }
}

/** What came of a scene, before the books are checked. */
export interface Played {
  readonly scene: Pick<Scene, 'name' | 'title'>;
  readonly acknowledged: Acknowledged;
  readonly answers: ReadonlyMap<string, number>;
  readonly kills: number;
  /** Requests that were on their way when it happened, over all kills. */
  readonly interrupted: number;
  /** From a kill to the next acknowledgement. */
  readonly recoveriesMs: readonly number[];
}

const KILLS = 20;
/** The clients are at full speed again before the next kill. */
const CALM_AFTER = 24;
const SPREAD_MS = 120;

export async function play<S extends Stage>(stage: S, scene: Scene<S>): Promise<Played> {
  const clients = await startClients(stage, scene.name);
  const recoveriesMs: number[] = [];
  let interrupted = 0;
  try {
    await progress(stage, clients, CALM_AFTER);
    for (let kill = 0; kill < KILLS; kill += 1) {
      await sleep(Math.random() * SPREAD_MS);
      interrupted += clients.underWay();
      const since = performance.now();
      await scene.kill(stage);
      await progress(stage, clients, 1);
      recoveriesMs.push(performance.now() - since);
      await progress(stage, clients, CALM_AFTER);
    }
  } finally {
    await clients.stop();
  }
  const { acknowledged, answers } = clients;
  return { scene, acknowledged, answers, kills: KILLS, interrupted, recoveriesMs };
}

/** Waits until so many more are acknowledged. */
async function progress(
  stage: Stage,
  { acknowledged: { users, orders } }: Clients,
  count: number,
): Promise<void> {
  const wanted = users.size + orders.size + count;
  const until = performance.now() + PATIENCE_MS;
  while (users.size + orders.size < wanted) {
    if (performance.now() > until)
      throw new Error(`No progress. The service said:\n${stage.service().said()}`);
    await sleep(2);
  }
}
