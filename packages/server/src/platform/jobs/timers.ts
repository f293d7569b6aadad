import { sql } from 'kysely';
import { asSystem } from '../db/transact.ts';
import type { Environment } from '../tenant.ts';
import { defer, type Platform, type Work } from '../work.ts';
import { enqueueDue, type Job } from './jobs.ts';
import { toTenant } from '../db/tenant-rows.ts';

declare module '../db/database.ts' {
  interface Database {
    timer: {
      team_id: string;
      environment: string;
      job: string;
      key: string;
      due_at: Date;
      due_wall: Date;
      input: unknown;
      lane: string | null;
    };
  }
}

/** The parts of a job that a timer needs; code that sets one need not know what the job does. */
export type TimedJob<A extends Platform, I> = Pick<Job<A, I>, 'name' | 'input'>;

/**
 * Sets the timer of this job and key: at `dueAt`, in tenant time, the job is enqueued. Setting it again moves it. The
 * write is deferred to the next statement of this work. The lane names the external system that the job calls, so that
 * one that does not respond does not delay others.
 */
export async function setTimer<A extends Platform, I>(
  work: Work,
  job: TimedJob<A, I>,
  timer: {
    key: string;
    dueAt: Date;
    input: I;
    lane?: string | undefined;
    /** Leaves an existing timer unchanged. */
    yields?: boolean;
  },
): Promise<void> {
  const moving = {
    due_at: timer.dueAt,
    due_wall: toSystemTime(work, timer.dueAt),
    input: JSON.stringify(timer.input),
    lane: timer.lane ?? null,
  };
  const statement = work.tx
    .insertInto('timer')
    .values({
      team_id: work.tenant.teamId,
      environment: work.tenant.environment,
      job: job.name,
      key: timer.key,
      ...moving,
    })
    .onConflict((conflict) => {
      const same = conflict.columns(['team_id', 'environment', 'job', 'key']);
      return timer.yields === true ? same.doNothing() : same.doUpdateSet(moving);
    });
  defer(work, statement);
  work.wakeups.add('timers');
}

export async function clearTimer<A extends Platform, I>(
  work: Work,
  job: TimedJob<A, I>,
  key: string,
): Promise<void> {
  await work.tx
    .deleteFrom('timer')
    .where('team_id', '=', work.tenant.teamId)
    .where('environment', '=', work.tenant.environment)
    .where('job', '=', job.name)
    .where('key', '=', key)
    .execute();
}

/** The same for many keys of several jobs. */
export async function clearTimers<A extends Platform, I>(
  work: Work,
  jobs: readonly TimedJob<A, I>[],
  keys: readonly string[],
): Promise<void> {
  await work.tx
    .deleteFrom('timer')
    .where('team_id', '=', work.tenant.teamId)
    .where('environment', '=', work.tenant.environment)
    .where('job', '=', sql<string>`any(${jobs.map(({ name }) => name)}::text[])`)
    .where('key', '=', sql<string>`any(${[...keys]}::text[])`)
    .execute();
}

/** Converts a tenant timestamp to system time. */
export const toSystemTime = (work: Work, moment: Date): Date =>
  new Date(moment.getTime() - work.clockOffsetMs);

const BATCH = 100;

/** Enqueues the jobs of due timers in order of their due times. Returns whether there may be more. */
export function fireTimers(app: Platform): Promise<boolean> {
  return asSystem(app.db, async (tx) => {
    const due = await sql<{
      team_id: string;
      environment: Environment;
      job: string;
      due_wall: Date;
      input: unknown;
      lane: string | null;
    }>`
      delete from timer where (team_id, environment, job, key) in (
        select team_id, environment, job, key from timer where due_wall <= ${app.clock.now()}
        order by due_wall limit ${BATCH} for update skip locked)
      returning team_id, environment, job, due_wall, input, lane`.execute(tx);
    const rows = due.rows.toSorted((a, b) => a.due_wall.getTime() - b.due_wall.getTime());
    const jobs = rows.map(({ job, input, due_wall: dueWall, lane, ...row }) => ({
      tenant: toTenant(row),
      job,
      input,
      dueWall,
      lane: lane ?? undefined,
    }));
    await enqueueDue(tx, jobs);
    return rows.length === BATCH;
  });
}
