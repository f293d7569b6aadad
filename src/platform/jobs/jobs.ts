import { EventEmitter } from 'node:events';
import { run, type Runner, type TaskList, type WorkerEvents } from 'graphile-worker';
import { sql } from 'kysely';
import type pg from 'pg';
import { z } from 'zod';
import type { Tx } from '../db/database.ts';
import { asSystem } from '../db/transact.ts';
import { ENVIRONMENTS, type Tenant } from '../tenant.ts';
import type { Platform, Work } from '../work.ts';
import { enduringPool } from './enduring-pool.ts';
import { openLanes, type Lanes, type Shares } from './lanes.ts';
import { tendOrphans } from './orphans.ts';
import { queueLogger } from './queue-log.ts';

/**
 * Something to be done after the transaction that asked for it, by any worker, at least once.
 * Effects on the outside stand between short transactions; running it twice does nothing twice.
 * A failure is tried again by the queue, later and later, up to 25 times.
 */
export interface Job<A extends Platform, I> {
  readonly name: string;
  readonly input: z.ZodType<I>;
  /**
   * It comes in crowds, takes long, or asks somebody outside of our own accord: it is done beside the others, by workers
   * who do nothing else, so that however many of them there are and whatever they wait for, no other job waits.
   */
  readonly canWait?: true;
  /**
   * It asks a laboratory for what a patient waits for. It waits for no crowd, and nothing else waits for a laboratory that
   * does not answer: it is done by workers who do nothing else either. A timer that brings it names the laboratory as its
   * lane, and each laboratory holds a share of them at most.
   */
  readonly asksLaboratory?: true;
  /**
   * It asks somebody outside each few minutes or hours what is new, and once does as well as often: a sandbox clock that
   * is moved does not stop for it, and it is done where the clock stops next.
   */
  readonly isUpkeep?: true;
  readonly run: (app: A, tenant: Tenant, input: I) => Promise<void>;
}

export const defineJob = <A extends Platform, I>(job: Job<A, I>): Job<A, I> => job;

/** A job whose input type is nobody's business any more: a row in the table of all jobs. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnyJob<A extends Platform> = Job<A, any>;

const Payload = z.object({
  team_id: z.string(),
  environment: z.enum(ENVIRONMENTS),
  input: z.unknown(),
  /** Of a job that a timer brought: when it was due, on the system's clock. */
  due_wall: z.coerce.date<string>().optional(),
  /** Whom it asks, where it is one of those of which only some are done at a time. */
  lane: z.string().optional(),
});

/** Puts the job into the queue, as part of this work: committed with it, or never there. */
export const enqueue = <A extends Platform, I>(work: Work, job: Job<A, I>, input: I): Promise<void> =>
  enqueueAs(work.tx, { tenant: work.tenant, job: job.name, input });

export async function enqueueAs(
  tx: Tx,
  { tenant, job, input }: { tenant: Tenant; job: string; input: unknown },
): Promise<void> {
  const payload = JSON.stringify({ team_id: tenant.teamId, environment: tenant.environment, input });
  await sql`select aliquot_enqueue(${job}, ${payload}::json)`.execute(tx);
}

/**
 * The same for a job of which one at a time is enough, by the name of `one`: while one waits a further one asks for
 * nothing, and none begins while another runs.
 */
export async function enqueueOneAs(
  tx: Tx,
  { tenant, job, input, one }: { tenant: Tenant; job: string; input: unknown; one: string },
): Promise<void> {
  const payload = JSON.stringify({ team_id: tenant.teamId, environment: tenant.environment, input });
  await sql`select aliquot_enqueue_one(${job}, ${payload}::json, ${one})`.execute(tx);
}

/** The same for many at once. */
export async function enqueueEachOneAs(
  tx: Tx,
  { tenant, job, each }: { tenant: Tenant; job: string; each: readonly { input: unknown; one: string }[] },
): Promise<void> {
  if (each.length === 0) return;
  const payloads = each.map(({ input }) =>
    JSON.stringify({ team_id: tenant.teamId, environment: tenant.environment, input }),
  );
  const ones = each.map(({ one }) => one);
  await sql`select aliquot_enqueue_one(${job}, p.payload::json, p.one)
    from unnest(${payloads}::text[], ${ones}::text[]) as p (payload, one)`.execute(tx);
}

/** A job that a timer brings. */
export interface DueJob {
  readonly tenant: Tenant;
  readonly job: string;
  readonly input: unknown;
  /** When it was due, on the system's clock. */
  readonly dueWall: Date | undefined;
  readonly lane: string | undefined;
}

/** Puts jobs into the queue that are due, the first one first. */
export async function enqueueDue(tx: Tx, due: readonly DueJob[]): Promise<void> {
  if (due.length === 0) return;
  const names = due.map(({ job }) => job);
  const payloads = due.map(({ tenant: { teamId, environment }, input, dueWall, lane }) =>
    JSON.stringify({ team_id: teamId, environment, input, due_wall: dueWall, lane }),
  );
  await sql`select aliquot_enqueue_each(${names}::text[], ${payloads}::text[])`.execute(tx);
}

const STOP_PATIENCE_MS = 5000;

/** Starts the workers of this process on the queue: those for each kind of jobs that keeps others waiting, and those for all others. */
export async function startQueue<A extends Platform>(
  app: A,
  pool: pg.Pool,
  jobs: readonly AnyJob<A>[],
): Promise<{ stop(): Promise<void> }> {
  const twice = jobs.find((job, at) => jobs.findIndex(({ name }) => name === job.name) < at);
  if (twice) throw new Error(`Two jobs are called ${twice.name}`);
  const stopping = new AbortController();
  const lasting = enduringPool(pool, stopping.signal);
  const crews: Crew[] = [];
  for (const kind of KINDS) {
    const some = jobs.filter((job) => kindOf(job) === kind);
    if (some.length > 0) crews.push(await startCrew(app, lasting, { jobs: some, ...CREWS[kind] }));
  }
  const orphans = await tendOrphans(
    app,
    pool,
    crews.map(({ name }) => name),
  );
  return {
    stop: async () => {
      // What is under way is marked as done first; a database that stays away is waited for no longer.
      const patience = setTimeout(() => stopping.abort(), STOP_PATIENCE_MS);
      await Promise.all(crews.map(({ runner }) => runner.stop())).finally(() => clearTimeout(patience));
      stopping.abort();
      await orphans.stop();
    },
  };
}

const KINDS = ['urgent', 'asks a laboratory', 'can wait'] as const;

interface CrewSize {
  /** So many jobs are done at a time. */
  readonly workers: number;
  readonly shares: Shares;
}

/** No lane is wider than its crew where nothing is said of it. */
const wide = (workers: number): CrewSize => ({
  workers,
  shares: { ofTenant: workers, ofAll: workers, together: workers },
});

/**
 * A laboratory that hangs for all teams leaves workers to the others, and one team's does so to the same of another team. A
 * team of which several hang leaves workers to other teams.
 */
const CREWS: Readonly<Record<(typeof KINDS)[number], CrewSize>> = {
  urgent: wide(4),
  'asks a laboratory': { workers: 12, shares: { ofTenant: 4, ofAll: 8, together: 8 } },
  'can wait': wide(4),
};

const kindOf = <A extends Platform>({ canWait, asksLaboratory }: AnyJob<A>): (typeof KINDS)[number] =>
  canWait ? 'can wait' : asksLaboratory ? 'asks a laboratory' : 'urgent';

/** Workers who take some of the jobs, under the name by which those are locked that they are at. */
interface Crew {
  readonly runner: Runner;
  readonly name: string;
}

async function startCrew<A extends Platform>(
  app: A,
  pgPool: pg.Pool,
  { jobs, workers, shares }: CrewSize & { jobs: readonly AnyJob<A>[] },
): Promise<Crew> {
  const lanes = openLanes(shares);
  const taskList: TaskList = Object.fromEntries(
    jobs.map((job) => [
      job.name,
      (payload: unknown) => performInLane(app, lanes, { job, ...Payload.parse(payload) }),
    ]),
  );
  const events: WorkerEvents = new EventEmitter();
  let name = '';
  events.on('pool:create', ({ workerPool }) => (name = workerPool.id));
  const runner = await run({
    pgPool,
    taskList,
    concurrency: workers,
    forbiddenFlags: () => lanes.full(),
    noHandleSignals: true,
    pollInterval: 1000,
    logger: queueLogger(app.log),
    events,
  });
  return { runner, name };
}

type Task<A extends Platform> = { readonly job: AnyJob<A> } & z.output<typeof Payload>;

/**
 * Of several workers who look for a job in the same moment each finds one of a lane that has room for one of them only:
 * the others put theirs back, and find that there is no room any more when they look again.
 */
async function performInLane<A extends Platform>(app: A, lanes: Lanes, task: Task<A>): Promise<void> {
  const { job, lane, input, due_wall: dueWall } = task;
  if (lane === undefined) return perform(app, task);
  const tenant = tenantOf(task);
  if (!lanes.enter({ tenant, lane })) {
    return asSystem(app.db, (tx) => enqueueDue(tx, [{ tenant, job: job.name, input, dueWall, lane }]));
  }
  await perform(app, task).finally(() => lanes.leave({ tenant, lane }));
}

const tenantOf = ({ team_id: teamId, environment }: z.output<typeof Payload>): Tenant => ({
  teamId,
  environment,
});

async function perform<A extends Platform>(app: A, task: Task<A>): Promise<void> {
  const { job, input, due_wall: due } = task;
  try {
    await job.run(due ? notBefore(app, due) : app, tenantOf(task), job.input.parse(input));
  } catch (error) {
    app.log.warn(
      { job: job.name, team_id: task.team_id, err: error },
      'job failed; the queue tries it again',
    );
    throw error;
  }
}

/**
 * Who fired a timer may have a clock that is ahead of ours, and ours may have been set back since. The timer is gone,
 * so what asks whether it is due must find that it is.
 */
const notBefore = <A extends Platform>(app: A, due: Date): A => ({
  ...app,
  clock: { now: () => new Date(Math.max(app.clock.now().getTime(), due.getTime())) },
});
