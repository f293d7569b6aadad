import { setTimeout as sleep } from 'node:timers/promises';
import { startWritingClients, type AcknowledgedIds } from './clients.ts';
import type { FaultStage } from './stage.ts';

/** A failure that is repeated while clients write. */
export interface FaultScene<S extends FaultStage = FaultStage> {
  readonly name: string;
  readonly title: string;
  /** Only with the embedded database. */
  readonly embeddedOnly: boolean;
  readonly kill: (stage: S) => Promise<void>;
  /** What was seen of the service while the failure lasted, one line each. */
  readonly observed?: (stage: S) => readonly string[];
}

/** All current connections of the service, including those of its queue and its listener. */
const TERMINATE = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = 'aliquot' and pid <> pg_backend_pid()`;

const TIMEOUT_MS = 60_000;

export const scenes: readonly FaultScene[] = [
  {
    name: 'connections',
    title: 'all database connections terminated',
    embeddedOnly: false,
    kill: (stage) => stage.onDatabase(async (client) => void (await client.query(TERMINATE))),
  },
  {
    name: 'process',
    title: 'service process killed -9 and restarted',
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

/** Backend processes may answer a little longer, so only a new postmaster counts as restarted. */
export async function killPostmaster({ postmaster }: Pick<FaultStage, 'postmaster'>): Promise<void> {
  const pid = await postmaster?.();
  if (pid === undefined) throw new Error('The postmaster is not running');
  process.kill(pid, 'SIGKILL');
  const until = performance.now() + TIMEOUT_MS;
  for (let now = await postmaster?.(); now === undefined || now === pid; now = await postmaster?.()) {
    if (performance.now() > until) throw new Error('The database was not restarted in time');
    await sleep(5);
  }
}

/** The result of a scene, before the audit. */
export interface PlayedScene {
  readonly scene: Pick<FaultScene, 'name' | 'title'>;
  readonly acknowledged: AcknowledgedIds;
  readonly answers: ReadonlyMap<string, number>;
  readonly kills: number;
  /** Requests that were in flight at the time of a kill, over all kills. */
  readonly interrupted: number;
  /** Milliseconds from a kill to the next acknowledgement. */
  readonly recoveriesMs: readonly number[];
  readonly observed?: readonly string[];
}

const KILLS = 20;
/** Acknowledgements between two kills, so that clients reach full speed again. */
const ACKNOWLEDGED_BETWEEN_KILLS = 24;
const SPREAD_MS = 120;

/** Called after each kill with the number of kills so far. */
export type ReportProgress = (done: number, total: number) => void;

export async function playScene<S extends FaultStage>(
  stage: S,
  scene: FaultScene<S>,
  advance: ReportProgress,
): Promise<PlayedScene> {
  const clients = await startWritingClients(stage, scene.name);
  const { acknowledged, answers, inFlight } = clients;
  const { users, orders } = acknowledged;
  const count = () => users.size + orders.size;
  const struck = await killRepeatedly(stage, {
    count,
    inFlight,
    advance,
    kill: () => scene.kill(stage),
  }).finally(() => clients.stop());
  return { scene, acknowledged, answers, ...struck, observed: scene.observed?.(stage) ?? [] };
}

/** What to kill, and the clients that write meanwhile. */
interface KillPlan {
  /** Number of acknowledgements so far. */
  readonly count: () => number;
  readonly inFlight: () => number;
  readonly kill: () => Promise<void>;
  readonly advance: ReportProgress;
  /** Acknowledgements between two kills; default ACKNOWLEDGED_BETWEEN_KILLS. */
  readonly acknowledgedBetweenKills?: number;
}

/** Kills repeatedly, each time at a random moment when clients are at full speed. */
export async function killRepeatedly(
  stage: FaultStage,
  striking: KillPlan,
): Promise<Pick<PlayedScene, 'kills' | 'interrupted' | 'recoveriesMs'>> {
  const recoveriesMs: number[] = [];
  let interrupted = 0;
  const { acknowledgedBetweenKills = ACKNOWLEDGED_BETWEEN_KILLS } = striking;
  await waitForProgress(stage, striking, acknowledgedBetweenKills);
  striking.advance(0, KILLS);
  for (let kill = 0; kill < KILLS; kill += 1) {
    await sleep(Math.random() * SPREAD_MS);
    interrupted += striking.inFlight();
    const since = performance.now();
    await striking.kill();
    await waitForProgress(stage, striking, 1);
    recoveriesMs.push(performance.now() - since);
    await waitForProgress(stage, striking, acknowledgedBetweenKills);
    striking.advance(kill + 1, KILLS);
  }
  return { kills: KILLS, interrupted, recoveriesMs };
}

/** Waits for `more` further acknowledgements. */
async function waitForProgress(stage: FaultStage, { count }: KillPlan, more: number): Promise<void> {
  const wanted = count() + more;
  const until = performance.now() + TIMEOUT_MS;
  while (count() < wanted) {
    if (performance.now() > until)
      throw new Error(`No progress. Output of the service:\n${stage.service().output()}`);
    await sleep(2);
  }
}

/** Kills and restarts the service process. */
export async function killService(stage: FaultStage): Promise<void> {
  await stage.service().kill();
  await stage.restart();
}
