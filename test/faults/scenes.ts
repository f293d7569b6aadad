import { setTimeout as sleep } from 'node:timers/promises';
import { startClients, type Acknowledged } from './clients.ts';
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
    kill: killService,
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

/** Told after each kill how many of them are done. */
export type Advance = (done: number, total: number) => void;

export async function play<S extends Stage>(stage: S, scene: Scene<S>, advance: Advance): Promise<Played> {
  const clients = await startClients(stage, scene.name);
  const { acknowledged, answers, underWay } = clients;
  const { users, orders } = acknowledged;
  const count = () => users.size + orders.size;
  const struck = await strike(stage, { count, underWay, advance, kill: () => scene.kill(stage) }).finally(
    () => clients.stop(),
  );
  return { scene, acknowledged, answers, ...struck };
}

/** Those who write while it happens. */
export interface Striking {
  /** How much they have had acknowledged so far. */
  readonly count: () => number;
  readonly underWay: () => number;
  readonly kill: () => Promise<void>;
  readonly advance: Advance;
  /** So many more are acknowledged between two kills, that all are at full speed again. */
  readonly calmAfter?: number;
}

/** Kills again and again, each time when they are at full speed and at a moment that nobody chose. */
export async function strike(
  stage: Stage,
  striking: Striking,
): Promise<Pick<Played, 'kills' | 'interrupted' | 'recoveriesMs'>> {
  const recoveriesMs: number[] = [];
  let interrupted = 0;
  const { calmAfter = CALM_AFTER } = striking;
  await progress(stage, striking, calmAfter);
  striking.advance(0, KILLS);
  for (let kill = 0; kill < KILLS; kill += 1) {
    await sleep(Math.random() * SPREAD_MS);
    interrupted += striking.underWay();
    const since = performance.now();
    await striking.kill();
    await progress(stage, striking, 1);
    recoveriesMs.push(performance.now() - since);
    await progress(stage, striking, calmAfter);
    striking.advance(kill + 1, KILLS);
  }
  return { kills: KILLS, interrupted, recoveriesMs };
}

/** Waits until so many more are acknowledged. */
async function progress(stage: Stage, { count }: Striking, more: number): Promise<void> {
  const wanted = count() + more;
  const until = performance.now() + PATIENCE_MS;
  while (count() < wanted) {
    if (performance.now() > until)
      throw new Error(`No progress. The service said:\n${stage.service().said()}`);
    await sleep(2);
  }
}

/** The service process, killed and started again. */
export async function killService(stage: Stage): Promise<void> {
  await stage.service().kill();
  await stage.restart();
}
