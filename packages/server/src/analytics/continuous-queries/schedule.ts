import { z } from 'zod';
import { later, SECOND } from '../../platform/clock.ts';
import { setTimer, type TimedJob } from '../../platform/jobs/timers.ts';
import type { App } from '../../app.ts';
import type { Work } from '../../platform/work.ts';
import * as store from './store.ts';
import { scheduleTasks } from './task-store.ts';

export const EvaluationTaskInput = z.object({ task_id: z.guid() });

/** The job's name and input; its implementation is in evaluate.ts. */
export const evaluationJob: TimedJob<App, z.output<typeof EvaluationTaskInput>> = {
  name: 'continuous-queries.evaluate',
  input: EvaluationTaskInput,
};

/** Debounce: changes within this time after the first one share an evaluation. */
const DEBOUNCE_MS = 10 * SECOND;
/** Minimum time between two evaluations for one user, unless the query sets its own. */
const DEFAULT_GAP_SECONDS = 60;

interface ResourceChange {
  readonly resource: string;
  /** The earliest change, in the user's local time; null if anything may have changed. */
  readonly from: Date | null;
}

/** Schedules an evaluation of every query that reads this resource. */
export async function scheduleForResource(
  work: Work,
  userId: string,
  { resource, from }: ResourceChange,
): Promise<void> {
  const queries = await store.listActiveQueries(work);
  const concerned = queries.filter(({ resources }) => resources.includes(resource));
  await scheduleEvaluations(
    work,
    concerned.map((query) => toEvaluationRequest(query, userId)),
    from,
  );
}

/** For a restored user, who was not evaluated while deleted, and for a user whose time zone changed. */
export async function evaluateAllQueries(work: Work, userId: string): Promise<void> {
  const queries = await store.listActiveQueries(work);
  await scheduleEvaluations(
    work,
    queries.map((query) => toEvaluationRequest(query, userId)),
    null,
  );
}

export const toEvaluationRequest = (
  { id, minimum_gap_seconds: gap }: store.ContinuousQueryRow,
  userId: string,
) => ({
  queryId: id,
  userId,
  gapSeconds: gap ?? DEFAULT_GAP_SECONDS,
});

export async function scheduleEvaluations(
  work: Work,
  due: readonly ReturnType<typeof toEvaluationRequest>[],
  changedFrom: Date | null,
): Promise<void> {
  if (due.length === 0) return;
  const waiting = await scheduleTasks(work, due, { changedFrom, notBefore: later(work.now, DEBOUNCE_MS) });
  for (const { id, scheduled_at: dueAt } of waiting) {
    await setTimer(work, evaluationJob, { key: id, dueAt, input: { task_id: id } });
  }
}
