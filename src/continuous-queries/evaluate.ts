import type { z } from 'zod';
import {
  before,
  groundsOf,
  openWall,
  resultTable,
  runPlan,
  truncated,
  type Group,
  type Period,
  type Plan,
} from '../aggregation/aggregation.ts';
import { inTenant, readTenant, type App } from '../app.ts';
import { emit } from '../events/events.ts';
import { DAY } from '../platform/clock.ts';
import { DomainError } from '../platform/errors.ts';
import { defineJob, type Job } from '../platform/jobs/jobs.ts';
import type { Work } from '../platform/work.ts';
import { findUser, subjectOf, type User } from '../users/users.ts';
import { definitionOf } from './define.ts';
import { resultTableChanged } from './events.ts';
import { changedRows, readResult, renewed, shown, writeResult } from './result.ts';
import { evaluation, type TaskInput } from './schedule.ts';
import { findQuery, type QueryRow } from './store.ts';
import * as store from './task-store.ts';

/** Ended tasks that are kept of each query and user. */
const TASKS_KEPT = 50;
/** Rows that one event carries. */
const ROWS_PER_EVENT = 500;
const SAMPLES_MAX = 20_000_000;

/**
 * How far back results go, by the unit of their buckets: as far as somebody would draw them, and no further than can
 * be read at once.
 */
// prettier-ignore
const REACH: Record<Period['unit'], Period> = {
  minute: { value: 3,   unit: 'day' },
  hour:   { value: 60,  unit: 'day' },
  day:    { value: 400, unit: 'day' },
  week:   { value: 104, unit: 'week' },
  month:  { value: 36,  unit: 'month' },
  year:   { value: 10,  unit: 'year' },
};

/** Answers a query anew for one user, keeps the answer and tells what changed of it. */
export const evaluate: Job<App, z.output<typeof TaskInput>> = defineJob({
  ...evaluation,
  canWait: true,
  run: async (app, tenant, { task_id: taskId }) => {
    const begun = await inTenant(app, tenant, (work) => begin(work, taskId));
    if (!begun) return;
    const outcome = await readTenant(app, tenant, (work) => compute(work, begun));
    await inTenant(app, tenant, (work) => end(work, begun, outcome));
  },
});

interface Begun {
  readonly task: store.TaskRow;
  readonly query: QueryRow;
  readonly user: User;
}

/** Undefined where there is nothing to do, or nobody to do it for any more. */
async function begin(work: Work, taskId: string): Promise<Begun | undefined> {
  const task = await store.claimTask(work, taskId);
  if (!task) return undefined;
  const query = await findQuery(work, task.query_id);
  const user = await findUser(work, task.user_id);
  if (query && !query.archived_at && user) return { task, query, user };
  await store.endTask(work, task.id, { status: 'skipped' });
  return undefined;
}

type Outcome =
  | { readonly error: string }
  | {
      readonly error: null;
      readonly plan: Plan;
      readonly old: readonly Group[];
      readonly groups: readonly Group[];
      readonly grounds: string;
      readonly revision: number;
    };

async function compute(work: Work, { task, query, user }: Begun): Promise<Outcome> {
  try {
    const { plan, config } = definitionOf(query);
    const kept = await store.findResult(work, { queryId: query.id, userId: user.id });
    const { groups: old, grounds: known } = readResult(kept?.document);
    const zone = user.fallbackTimeZone?.value ?? null;
    const grounds = await groundsOf(work, plan, { zone, config });
    // Buckets of two time zones, or of two orders of sources, do not fit together: what lies between them would be lost.
    const { from, oldest, to } = timeOf(plan, work, grounds === known ? task.changed_from : null);
    const groups = await runPlan(work, plan, {
      userId: user.id,
      range: { from, to },
      wall: openWall(zone),
      loc: plan.loc,
      budget: { samples: SAMPLES_MAX },
      config,
    });
    return {
      error: null,
      plan,
      old,
      groups: renewed(plan, old, { groups, from, oldest }),
      grounds,
      revision: kept?.revision ?? 0,
    };
  } catch (error) {
    // What the query itself is to blame for does not get better by trying it again.
    if (error instanceof DomainError && error.kind !== 'unavailable') return { error: reasonOf(error) };
    throw error;
  }
}

const reasonOf = ({ detail }: DomainError): string =>
  Array.isArray(detail) ? detail.map(({ msg }) => msg).join('; ') : String(detail);

/** The buckets to be looked at: from the one of the change on, up to where it is not yet tomorrow anywhere. */
function timeOf({ bucket }: Plan, { now }: Work, changedFrom: Date | null) {
  const period = bucket?.period ?? { value: 1, unit: 'day' };
  const to = now.getTime() + 2 * DAY;
  const oldest = truncated(before(now.getTime(), REACH[period.unit]), period);
  const from = changedFrom === null ? oldest : truncated(changedFrom.getTime(), period);
  return { oldest, from: Math.max(oldest, from), to };
}

async function end(work: Work, { task, query, user }: Begun, outcome: Outcome): Promise<void> {
  const status = outcome.error === null ? 'completed' : 'error';
  if (!(await store.endTask(work, task.id, { status, details: outcome.error }))) return;
  await store.trimTasks(work, task, TASKS_KEPT);
  if (outcome.error !== null) return;
  const { plan, old, groups, grounds, revision } = outcome;
  if (!(await store.putResult(work, task, { document: writeResult({ groups, grounds }), revision }))) {
    throw new Error('Another evaluation came in between; this one is done again');
  }
  if (!query.data_events) return;
  const changed = changedRows(shown(plan, old), shown(plan, groups));
  for (let at = 0; at < changed.length; at += ROWS_PER_EVENT) {
    const data = resultTable(plan, changed.slice(at, at + ROWS_PER_EVENT));
    await emit(work, resultTableChanged, {
      subject: subjectOf(user),
      data: [{ query_id: query.id, query_slug: query.slug, data }],
    });
  }
}
