import { z } from 'zod';
import { inTenant, type App } from '../../app.ts';
import { DomainError } from '../../platform/errors.ts';
import { defineJob, enqueue, type Job } from '../../platform/jobs/jobs.ts';
import type { Work } from '../../platform/work.ts';
import { parseQueryDefinition } from './define.ts';
import { toEvaluationRequest, scheduleEvaluations } from './schedule.ts';
import { findQuery, listActiveQueries, listUsersAfter, type ContinuousQueryRow } from './store.ts';

const EvaluateForAllUsersInput = z.object({
  query_id: z.guid(),
  after: z.guid(),
  /** Only when the query depends on the source order of one of these kinds of data. */
  ordered_by: z.array(z.string()).optional(),
});
const USERS_PER_RUN = 200;
export const FIRST_USER_CURSOR = '00000000-0000-0000-0000-000000000000';

/** Schedules a query for every user of the tenant, one batch of users per run. */
export const evaluateForAllUsers: Job<App, z.output<typeof EvaluateForAllUsersInput>> = defineJob({
  name: 'continuous-queries.answer-for-all',
  input: EvaluateForAllUsersInput,
  canWait: true,
  run: (app, tenant, { query_id: queryId, after, ordered_by: dataTypes }) =>
    inTenant(app, tenant, async (work) => {
      const query = await findQuery(work, queryId);
      if (!query || query.archived_at || (dataTypes && !usesSourceOrder(query, dataTypes))) return;
      const users = await listUsersAfter(work, after, USERS_PER_RUN);
      await scheduleEvaluations(
        work,
        users.map((userId) => toEvaluationRequest(query, userId)),
        null,
      );
      const last = users.at(-1);
      if (last !== undefined && users.length === USERS_PER_RUN) {
        await enqueue(work, evaluateForAllUsers, { query_id: queryId, after: last });
      }
    }),
});

/** After the team changed its source order for these kinds of data: evaluates the queries that use it for all users. */
export async function evaluateForSourceOrder(work: Work, dataTypes: readonly string[]): Promise<void> {
  if (dataTypes.length === 0) return;
  for (const { id } of await listActiveQueries(work)) {
    await enqueue(work, evaluateForAllUsers, {
      query_id: id,
      after: FIRST_USER_CURSOR,
      ordered_by: [...dataTypes],
    });
  }
}

function usesSourceOrder(query: ContinuousQueryRow, dataTypes: readonly string[]): boolean {
  try {
    const { priority } = parseQueryDefinition(query).plan.table;
    return priority !== null && dataTypes.includes(priority);
  } catch (error) {
    // A stored query that no longer validates is no longer evaluated.
    if (error instanceof DomainError) return false;
    throw error;
  }
}
