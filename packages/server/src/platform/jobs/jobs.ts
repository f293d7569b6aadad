import { EventEmitter } from 'node:events';
import { run, type Runner, type TaskList, type WorkerEvents } from 'graphile-worker';
import { sql } from 'kysely';
import type pg from 'pg';
import { z } from 'zod';
import type { Tx } from '../db/database.ts';
import { asSystem } from '../db/transact.ts';
import { ENVIRONMENTS, type Tenant } from '../tenant.ts';
import type { Platform, Work } from '../work.ts';
import { createRetryingPool } from './retrying-pool.ts';
import { openLanes, type JobLanes, type LaneShares } from './lanes.ts';
import { startOrphanRecovery } from './orphans.ts';
import { queueLogger } from '../queue-log.ts';
import { currentTraceparent } from '../telemetry/telemetry.ts';
import { observeJob } from './job-signals.ts';
import { toTenant } from '../db/tenant-rows.ts';

/**
 * A background job that any worker runs after the commit of the transaction that enqueued it, at least once. Calls to
 * external systems go between short transactions, and running a job twice must have no further effect. The queue
 * retries a failed job with increasing delays, up to 25 times.
 */
export interface Job<A extends Platform, I> {
  readonly name: string;
  readonly input: z.ZodType<I>;
  /**
   * For jobs that come in bulk, take long, or call external systems on our initiative: they run in their own worker
   * pool, so that however many there are and whatever they wait for, no other job waits for them.
   */
  readonly canWait?: true;
  /**
   * For jobs that call a laboratory while a patient waits: they run in their own worker pool, so that they do not wait
   * for bulk jobs, and nothing else waits for a laboratory that does not respond. Their timer names the laboratory as
   * its lane, and each laboratory can occupy only a share of the pool.
   */
  readonly asksLaboratory?: true;
  /**
   * For periodic polling of external systems, where one run is as good as many: advancing a sandbox clock does not stop
   * for it, and it runs at the next stop.
   */
  readonly isMaintenance?: true;
  readonly run: (app: A, tenant: Tenant, input: I) => Promise<void>;
}

export const defineJob = <A extends Platform, I>(job: Job<A, I>): Job<A, I> => job;

/** A job with an erased input type, for the table of all jobs. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnyJob<A extends Platform> = Job<A, any>;

const Payload = z.object({
  team_id: z.string(),
  environment: z.enum(ENVIRONMENTS),
  input: z.unknown(),
  /** For a job from a timer: when it was due, in system time. */
  due_wall: z.coerce.date<string>().optional(),
  /** The lane, for jobs whose concurrency per external system is limited. */
  lane: z.string().optional(),
  /** The trace of what enqueued it. */
  traceparent: z.string().optional(),
});

/** Enqueues a job as part of this work: committed with it, or not at all. */
export const enqueue = <I>(
  work: Work,
  job: Pick<Job<Platform, I>, 'name' | 'input'>,
  input: I,
): Promise<void> => enqueueForTenant(work.tx, { tenant: work.tenant, job: job.name, input });

export async function enqueueForTenant(
  tx: Tx,
  { tenant, job, input }: { tenant: Tenant; job: string; input: unknown },
): Promise<void> {
  const traceparent = currentTraceparent();
  const { teamId, environment } = tenant;
  const payload = JSON.stringify({ team_id: teamId, environment, input, traceparent });
  await sql`select aliquot_enqueue(${job}, ${payload}::json)`.execute(tx);
}

/**
 * The same for a job that needs only one instance, with the key `one`: while one is queued another is dropped, and none
 * starts while another runs.
 */
export async function enqueueUnique(
  tx: Tx,
  { tenant, job, input, one }: { tenant: Tenant; job: string; input: unknown; one: string },
): Promise<void> {
  const payload = JSON.stringify({ team_id: tenant.teamId, environment: tenant.environment, input });
  await sql`select aliquot_enqueue_one(${job}, ${payload}::json, ${one})`.execute(tx);
}

/** The same for many keys at once. */
export async function enqueueManyUnique(
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

/** A job that a timer enqueues. */
interface DueJob {
  readonly tenant: Tenant;
  readonly job: string;
  readonly input: unknown;
  /** When it was due, in system time. */
  readonly dueWall: Date | undefined;
  readonly lane: string | undefined;
}

/** Enqueues due jobs, in order of their due times. */
export async function enqueueDue(tx: Tx, due: readonly DueJob[]): Promise<void> {
  if (due.length === 0) return;
  const names = due.map(({ job }) => job);
  const payloads = due.map(({ tenant: { teamId, environment }, input, dueWall, lane }) =>
    JSON.stringify({ team_id: teamId, environment, input, due_wall: dueWall, lane }),
  );
  await sql`select aliquot_enqueue_each(${names}::text[], ${payloads}::text[])`.execute(tx);
}

const STOP_TIMEOUT_MS = 5000;

/** Starts the worker pools of this process: one for urgent jobs, and one for each kind of slow jobs. */
export async function startQueue<A extends Platform>(
  app: A,
  pool: pg.Pool,
  jobs: readonly AnyJob<A>[],
): Promise<{ stop(): Promise<void> }> {
  const twice = jobs.find((job, at) => jobs.findIndex(({ name }) => name === job.name) < at);
  if (twice) throw new Error(`Two jobs are called ${twice.name}`);
  const stopping = new AbortController();
  const lasting = createRetryingPool(pool, stopping.signal);
  const crews: WorkerPool[] = [];
  for (const kind of JOB_KINDS) {
    const some = jobs.filter((job) => kindOf(job) === kind);
    if (some.length > 0)
      crews.push(await startWorkerPool(app, lasting, { jobs: some, ...WORKER_POOLS[kind] }));
  }
  const orphans = await startOrphanRecovery(
    app,
    pool,
    crews.map(({ name }) => name),
  );
  return {
    stop: async () => {
      // Running jobs are marked as done first, but an unavailable database is not waited for longer than this.
      const patience = setTimeout(() => stopping.abort(), STOP_TIMEOUT_MS);
      await Promise.all(crews.map(({ runner }) => runner.stop())).finally(() => clearTimeout(patience));
      stopping.abort();
      await orphans.stop();
    },
  };
}

const JOB_KINDS = ['urgent', 'asks a laboratory', 'can wait'] as const;

interface WorkerPoolSize {
  /** Number of concurrent jobs. */
  readonly workers: number;
  readonly shares: LaneShares;
}

/** Lanes are limited by the size of the pool only. */
const unlimitedPool = (workers: number): WorkerPoolSize => ({
  workers,
  shares: { ofTenant: workers, ofAll: workers, together: workers },
});

/**
 * A laboratory that hangs for all teams leaves workers for other laboratories. One that hangs for one team leaves
 * workers for the other teams of the same laboratory. A team with several hanging laboratories leaves workers for other
 * teams.
 */
const WORKER_POOLS: Readonly<Record<(typeof JOB_KINDS)[number], WorkerPoolSize>> = {
  urgent: unlimitedPool(4),
  'asks a laboratory': { workers: 12, shares: { ofTenant: 4, ofAll: 8, together: 8 } },
  'can wait': unlimitedPool(4),
};

const kindOf = <A extends Platform>({ canWait, asksLaboratory }: AnyJob<A>): (typeof JOB_KINDS)[number] =>
  canWait ? 'can wait' : asksLaboratory ? 'asks a laboratory' : 'urgent';

/** Workers for some of the jobs, with the name under which the queue locks their running jobs. */
interface WorkerPool {
  readonly runner: Runner;
  readonly name: string;
}

async function startWorkerPool<A extends Platform>(
  app: A,
  pgPool: pg.Pool,
  { jobs, workers, shares }: WorkerPoolSize & { jobs: readonly AnyJob<A>[] },
): Promise<WorkerPool> {
  const lanes = openLanes(shares);
  const taskList: TaskList = Object.fromEntries(
    jobs.map((job) => [
      job.name,
      (payload: unknown) => runInLane(app, lanes, { job, ...Payload.parse(payload) }),
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

type QueuedTask<A extends Platform> = { readonly job: AnyJob<A> } & z.output<typeof Payload>;

/**
 * Several workers can take jobs of one lane at the same moment, although it has room for one only. The others put
 * theirs back, and then see that the lane is full.
 */
async function runInLane<A extends Platform>(app: A, lanes: JobLanes, task: QueuedTask<A>): Promise<void> {
  const { job, lane, input, due_wall: dueWall } = task;
  if (lane === undefined) return runJob(app, task);
  const tenant = toTenant(task);
  if (!lanes.enter({ tenant, lane })) {
    return asSystem(app.db, (tx) => enqueueDue(tx, [{ tenant, job: job.name, input, dueWall, lane }]));
  }
  await runJob(app, task).finally(() => lanes.leave({ tenant, lane }));
}

async function runJob<A extends Platform>(app: A, task: QueuedTask<A>): Promise<void> {
  const { job, input, due_wall: due, traceparent } = task;
  const run = () => job.run(due ? withClockNotBefore(app, due) : app, toTenant(task), job.input.parse(input));
  try {
    await observeJob(app.telemetry, { name: job.name, traceparent, run });
  } catch (error) {
    app.log.warn(
      { job: job.name, team_id: task.team_id, err: error },
      'job failed; the queue tries it again',
    );
    throw error;
  }
}

/**
 * The clock of the process that fired the timer may be ahead of ours. The timer is gone, so code that checks whether it
 * is due must see that it is.
 */
const withClockNotBefore = <A extends Platform>(app: A, due: Date): A => ({
  ...app,
  clock: { now: () => new Date(Math.max(app.clock.now().getTime(), due.getTime())) },
});
