import { z } from 'zod';
import { later, SECOND } from '../platform/clock.ts';
import { setTimer, type TimedJob } from '../platform/jobs/timers.ts';
import type { App } from '../app.ts';
import type { Work } from '../platform/work.ts';
import * as store from './store.ts';
import { scheduleTasks } from './task-store.ts';

export const TaskInput = z.object({ task_id: z.guid() });

/** Its timers are set here; what it does stands in evaluate.ts. */
export const evaluation: TimedJob<App, z.output<typeof TaskInput>> = {
  name: 'continuous-queries.evaluate',
  input: TaskInput,
};

/** What comes within this time after the first of it is answered together. */
const SETTLING_MS = 10 * SECOND;
/** Between two evaluations for one user, where a query asks for no longer time. */
const GAP_SECONDS = 60;

export interface Change {
  readonly resource: string;
  /** On the user's wall; null: anything may have changed. */
  readonly from: Date | null;
}

/** The queries that read this are answered anew for the user, soon. */
export async function scheduleFor(work: Work, userId: string, { resource, from }: Change): Promise<void> {
  const queries = await store.listActive(work);
  const concerned = queries.filter(({ resources }) => resources.includes(resource));
  await schedule(
    work,
    concerned.map((query) => dueOf(query, userId)),
    from,
  );
}

/** For a user who comes back, since nothing was answered while the user was deleted; or whose days are others now. */
export async function answerAllAnew(work: Work, userId: string): Promise<void> {
  const queries = await store.listActive(work);
  await schedule(
    work,
    queries.map((query) => dueOf(query, userId)),
    null,
  );
}

export const dueOf = ({ id, minimum_gap_seconds: gap }: store.QueryRow, userId: string) => ({
  queryId: id,
  userId,
  gapSeconds: gap ?? GAP_SECONDS,
});

export async function schedule(
  work: Work,
  due: readonly ReturnType<typeof dueOf>[],
  changedFrom: Date | null,
): Promise<void> {
  if (due.length === 0) return;
  const waiting = await scheduleTasks(work, due, { changedFrom, notBefore: later(work.now, SETTLING_MS) });
  for (const { id, scheduled_at: dueAt } of waiting) {
    await setTimer(work, evaluation, { key: id, dueAt, input: { task_id: id } });
  }
}
