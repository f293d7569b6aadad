import { z } from 'zod';
import { inTenant, type App } from '../app.ts';
import { defineJob, enqueue, type Job } from '../platform/jobs/jobs.ts';
import { dueOf, schedule } from './schedule.ts';
import { findQuery, nextUsers } from './store.ts';

const Input = z.object({ query_id: z.guid(), after: z.guid() });
const USERS_AT_ONCE = 200;
export const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** A new query is answered for every user who is there, some at a time. */
export const answerForAll: Job<App, z.output<typeof Input>> = defineJob({
  name: 'continuous-queries.answer-for-all',
  input: Input,
  canWait: true,
  run: (app, tenant, { query_id: queryId, after }) =>
    inTenant(app, tenant, async (work) => {
      const query = await findQuery(work, queryId);
      if (!query || query.archived_at) return;
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
