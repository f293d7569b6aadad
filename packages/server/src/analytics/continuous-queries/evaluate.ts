import type { z } from 'zod';
import {
  subtractPeriod,
  computeContextKey,
  createLocalTimeConverter,
  toResultTable,
  runPlan,
  truncateToBucket,
  type ResultGroup,
  type BucketPeriod,
  type QueryPlan,
} from '../aggregation/aggregation.ts';
import { inTenant, readTenant, type App } from '../../app.ts';
import { emit } from '../../events/events.ts';
import { DAY } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { defineJob, type Job } from '../../platform/jobs/jobs.ts';
import type { Work } from '../../platform/work.ts';
import { findUser, subjectOf, type User } from '../../users/users/users.ts';
import { parseQueryDefinition } from './define.ts';
import { resultTableChanged } from './events.ts';
import { findChangedRows, parseResult, mergeRecomputed, toResultRows, serializeResult } from './result.ts';
import { evaluationJob, type EvaluationTaskInput } from './schedule.ts';
import { findQuery, type ContinuousQueryRow } from './store.ts';
import * as store from './task-store.ts';

/*
 * One evaluation runs in three transactions: claim the task, compute the result (read-only), store the result. The
 * result is stored with an optimistic revision check. When a concurrent evaluation stored first, the job fails and is
 * retried. The task is completed in the same transaction, so that each evaluation emits its changes once.
 */

/** Ended tasks kept for each query and user. */
const TASKS_KEPT = 50;
/** Maximum number of rows in one event. */
const ROWS_PER_EVENT = 500;
const SAMPLES_MAX = 20_000_000;

/**
 * How far back results go, by the unit of their buckets: far enough for a chart, and no more than one run can read.
 */
// prettier-ignore
const RESULT_RETENTION: Record<BucketPeriod['unit'], BucketPeriod> = {
  minute: { value: 3,   unit: 'day' },
  hour:   { value: 60,  unit: 'day' },
  day:    { value: 400, unit: 'day' },
  week:   { value: 104, unit: 'week' },
  month:  { value: 36,  unit: 'month' },
  year:   { value: 10,  unit: 'year' },
};

/** Evaluates a query for one user, stores the result and emits the changed rows. */
export const evaluateQuery: Job<App, z.output<typeof EvaluationTaskInput>> = defineJob({
  ...evaluationJob,
  canWait: true,
  run: async (app, tenant, { task_id: taskId }) => {
    const begun = await inTenant(app, tenant, (work) => startEvaluation(work, taskId));
    if (!begun) return;
    const outcome = await readTenant(app, tenant, (work) => computeOutcome(work, begun));
    await inTenant(app, tenant, (work) => endEvaluation(work, begun, outcome));
  },
});

interface StartedEvaluation {
  readonly task: store.TaskRow;
  readonly query: ContinuousQueryRow;
  readonly user: User;
}

/** Undefined when the task has ended, or when its query or user is gone. */
async function startEvaluation(work: Work, taskId: string): Promise<StartedEvaluation | undefined> {
  const task = await store.claimTask(work, taskId);
  if (!task) return undefined;
  const query = await findQuery(work, task.query_id);
  const user = await findUser(work, task.user_id);
  if (query && !query.archived_at && user) return { task, query, user };
  await store.endTask(work, task.id, { status: 'skipped' });
  return undefined;
}

type EvaluationOutcome =
  | { readonly error: string }
  | {
      readonly error: null;
      readonly plan: QueryPlan;
      readonly old: readonly ResultGroup[];
      readonly groups: readonly ResultGroup[];
      readonly grounds: string;
      readonly revision: number;
    };

async function computeOutcome(
  work: Work,
  { task, query, user }: StartedEvaluation,
): Promise<EvaluationOutcome> {
  try {
    const { plan, config } = parseQueryDefinition(query);
    const kept = await store.findResult(work, { queryId: query.id, userId: user.id });
    const { groups: old, grounds: known } = parseResult(kept?.document);
    const zone = user.fallbackTimeZone?.value ?? null;
    const grounds = await computeContextKey(work, plan, { zone, config });
    // Buckets of two time zones or two source orders cannot be combined without losing data between them.
    const { from, oldest, to } = findEvaluationRange(
      plan,
      work,
      grounds === known ? task.changed_from : null,
    );
    const groups = await runPlan(work, plan, {
      userId: user.id,
      range: { from, to },
      toLocalTime: createLocalTimeConverter(zone),
      loc: plan.loc,
      budget: { samples: SAMPLES_MAX },
      config,
    });
    return {
      error: null,
      plan,
      old,
      groups: mergeRecomputed(plan, old, { groups, from, oldest }),
      grounds,
      revision: kept?.revision ?? 0,
    };
  } catch (error) {
    // An error in the query itself is permanent: a retry would fail again.
    if (error instanceof DomainError && error.kind !== 'unavailable') return { error: describeError(error) };
    throw error;
  }
}

const describeError = ({ detail }: DomainError): string =>
  Array.isArray(detail) ? detail.map(({ msg }) => msg).join('; ') : String(detail);

/** The buckets to evaluate: from the bucket of the first change to two days ahead, which covers every time zone. */
function findEvaluationRange({ bucket }: QueryPlan, { now }: Work, changedFrom: Date | null) {
  const period = bucket?.period ?? { value: 1, unit: 'day' };
  const to = now.getTime() + 2 * DAY;
  const oldest = truncateToBucket(subtractPeriod(now.getTime(), RESULT_RETENTION[period.unit]), period);
  const from = changedFrom === null ? oldest : truncateToBucket(changedFrom.getTime(), period);
  return { oldest, from: Math.max(oldest, from), to };
}

async function endEvaluation(
  work: Work,
  { task, query, user }: StartedEvaluation,
  outcome: EvaluationOutcome,
): Promise<void> {
  const status = outcome.error === null ? 'completed' : 'error';
  if (!(await store.endTask(work, task.id, { status, details: outcome.error }))) return;
  await store.deleteOldTasks(work, task, TASKS_KEPT);
  if (outcome.error !== null) return;
  const { plan, old, groups, grounds, revision } = outcome;
  if (!(await store.putResult(work, task, { document: serializeResult({ groups, grounds }), revision }))) {
    throw new Error('A concurrent evaluation stored its result first; this one is retried');
  }
  if (!query.data_events) return;
  const changed = findChangedRows(toResultRows(plan, old), toResultRows(plan, groups));
  for (let at = 0; at < changed.length; at += ROWS_PER_EVENT) {
    const data = toResultTable(plan, changed.slice(at, at + ROWS_PER_EVENT));
    await emit(work, resultTableChanged, {
      subject: subjectOf(user),
      data: [{ query_id: query.id, query_slug: query.slug, data }],
    });
  }
}
