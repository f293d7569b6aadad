import { z } from 'zod';
import { inTenant, type App } from '../app.ts';
import { DomainError } from '../platform/errors.ts';
import { defineJob, enqueue, type Job } from '../platform/jobs/jobs.ts';
import type { Work } from '../platform/work.ts';
import { definitionOf } from './define.ts';
import { dueOf, schedule } from './schedule.ts';
import { findQuery, listActive, nextUsers, type QueryRow } from './store.ts';

const Input = z.object({
  query_id: z.guid(),
  after: z.guid(),
  /** Only if it looks at the order of sources of one of these kinds of data. */
  ordered_by: z.array(z.string()).optional(),
});
const USERS_AT_ONCE = 200;
export const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** A query is answered for every user who is there, some at a time. */
export const answerForAll: Job<App, z.output<typeof Input>> = defineJob({
  name: 'continuous-queries.answer-for-all',
  input: Input,
  canWait: true,
  run: (app, tenant, { query_id: queryId, after, ordered_by: dataTypes }) =>
    inTenant(app, tenant, async (work) => {
      const query = await findQuery(work, queryId);
      if (!query || query.archived_at || (dataTypes && !isOrderedBy(query, dataTypes))) return;
      const users = await nextUsers(work, after, USERS_AT_ONCE);
      await schedule(
        work,
        users.map((userId) => dueOf(query, userId)),
        null,
      );
      const last = users.at(-1);
      if (last !== undefined && users.length === USERS_AT_ONCE) {
        await enqueue(work, answerForAll, { query_id: queryId, after: last });
      }
    }),
});

/** After the team's order of sources changed for these kinds of data: what rests on it is answered anew for everybody. */
export async function answerForOrder(work: Work, dataTypes: readonly string[]): Promise<void> {
  if (dataTypes.length === 0) return;
  for (const { id } of await listActive(work)) {
    await enqueue(work, answerForAll, { query_id: id, after: BEFORE_ALL, ordered_by: [...dataTypes] });
  }
}

function isOrderedBy(query: QueryRow, dataTypes: readonly string[]): boolean {
  try {
    const { priority } = definitionOf(query).plan.table;
    return priority !== null && dataTypes.includes(priority);
  } catch (error) {
    // What is not understood any more is not answered any more.
    if (error instanceof DomainError) return false;
    throw error;
  }
}
