import { EventEmitter } from 'node:events';
import { run, type Runner, type TaskList, type WorkerEvents } from 'graphile-worker';
import { sql } from 'kysely';
import type pg from 'pg';
import { z } from 'zod';
import type { Tx } from '../db/database.ts';
import { ENVIRONMENTS, type Tenant } from '../tenant.ts';
import type { Platform, Work } from '../work.ts';
import { enduringPool } from './enduring-pool.ts';
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
  readonly dueWall: Date;
}

/** Puts jobs into the queue that are due, the first one first. */
export async function enqueueDue(tx: Tx, due: readonly DueJob[]): Promise<void> {
  if (due.length === 0) return;
  const names = due.map(({ job }) => job);
  const payloads = due.map(({ tenant, input, dueWall }) =>
    JSON.stringify({ team_id: tenant.teamId, environment: tenant.environment, input, due_wall: dueWall }),
  );
  await sql`select aliquot_enqueue_each(${names}::text[], ${payloads}::text[])`.execute(tx);
}

const STOP_PATIENCE_MS = 5000;
/** Of each of the two kinds of jobs so many are done at a time. */
const CONCURRENCY = 4;

/** Starts the workers of this process on the queue: those for the jobs that can wait, and those for all others. */
export async function startQueue<A extends Platform>(
  app: A,
  pool: pg.Pool,
  jobs: readonly AnyJob<A>[],
): Promise<{ stop(): Promise<void> }> {
  const twice = jobs.find((job, at) => jobs.findIndex(({ name }) => name === job.name) < at);
  if (twice) throw new Error(`Two jobs are called ${twice.name}`);
  const stopping = new AbortController();
  const lasting = enduringPool(pool, stopping.signal);
  const kinds = [jobs.filter(({ canWait }) => !canWait), jobs.filter(({ canWait }) => canWait)];
  const crews: Crew[] = [];
  for (const kind of kinds) if (kind.length > 0) crews.push(await startCrew(app, lasting, kind));
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

/** Workers who take some of the jobs, under the name by which those are locked that they are at. */
interface Crew {
  readonly runner: Runner;
  readonly name: string;
}

async function startCrew<A extends Platform>(
  app: A,
  pgPool: pg.Pool,
  jobs: readonly AnyJob<A>[],
): Promise<Crew> {
  const taskList: TaskList = Object.fromEntries(
    jobs.map((job) => [job.name, (payload: unknown) => perform(app, job, payload)]),
  );
  const events: WorkerEvents = new EventEmitter();
  let name = '';
  events.on('pool:create', ({ workerPool }) => (name = workerPool.id));
  const runner = await run({
    pgPool,
    taskList,
    concurrency: CONCURRENCY,
    noHandleSignals: true,
    pollInterval: 1000,
    logger: queueLogger(app.log),
    events,
  });
  return { runner, name };
}

async function perform<A extends Platform>(app: A, job: AnyJob<A>, payload: unknown): Promise<void> {
  const { team_id: teamId, environment, input, due_wall: due } = Payload.parse(payload);
  try {
    await job.run(due ? notBefore(app, due) : app, { teamId, environment }, job.input.parse(input));
  } catch (error) {
    app.log.warn({ job: job.name, team_id: teamId, err: error }, 'job failed; the queue tries it again');
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
