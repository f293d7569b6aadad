import { EventEmitter } from 'node:events';
import { run, type Task, type WorkerEvents } from 'graphile-worker';
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
  readonly run: (app: A, tenant: Tenant, input: I) => Promise<void>;
}

export const defineJob = <A extends Platform, I>(job: Job<A, I>): Job<A, I> => job;

/** A job whose input type is nobody's business any more: a row in the table of all jobs. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnyJob<A extends Platform> = Job<A, any>;

const Payload = z.object({ team_id: z.string(), environment: z.enum(ENVIRONMENTS), input: z.unknown() });

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

const STOP_PATIENCE_MS = 5000;

/** Starts the workers of this process on the queue. */
export async function startQueue<A extends Platform>(
  app: A,
  pool: pg.Pool,
  jobs: readonly AnyJob<A>[],
): Promise<{ stop(): Promise<void> }> {
  const tasks: Record<string, Task> = {};
  for (const job of jobs) {
    if (tasks[job.name]) throw new Error(`Two jobs are called ${job.name}`);
    tasks[job.name] = (payload) => perform(app, job, payload);
  }
  const events: WorkerEvents = new EventEmitter();
  let name = '';
  events.on('pool:create', ({ workerPool }) => (name = workerPool.id));
  const stopping = new AbortController();
  const runner = await run({
    pgPool: enduringPool(pool, stopping.signal),
    taskList: tasks,
    concurrency: 4,
    noHandleSignals: true,
    pollInterval: 1000,
    logger: queueLogger(app.log),
    events,
  });
  const orphans = await tendOrphans(app, pool, name);
  return {
    stop: async () => {
      // What is under way is marked as done first; a database that stays away is waited for no longer.
      const patience = setTimeout(() => stopping.abort(), STOP_PATIENCE_MS);
      await runner.stop().finally(() => clearTimeout(patience));
      stopping.abort();
      await orphans.stop();
    },
  };
}

async function perform<A extends Platform>(app: A, job: AnyJob<A>, payload: unknown): Promise<void> {
  const { team_id: teamId, environment, input } = Payload.parse(payload);
  try {
    await job.run(app, { teamId, environment }, job.input.parse(input));
  } catch (error) {
    app.log.warn({ job: job.name, team_id: teamId, err: error }, 'job failed; the queue tries it again');
    throw error;
  }
}
