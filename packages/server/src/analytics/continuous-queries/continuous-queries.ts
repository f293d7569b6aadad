import type { App } from '../../app.ts';
import type { AnyJob } from '../../platform/jobs/jobs.ts';
import type { Work } from '../../platform/work.ts';
import { evaluateForAllUsers } from './evaluate-for-all-users.ts';
import { evaluateQuery } from './evaluate.ts';
import { handleDataEvent } from './event-handler.ts';
import { scheduleForResource } from './schedule.ts';

/*
 * Continuous queries: a team stores an aggregation query once. It is evaluated for every user, again whenever data that
 * it reads change, and webhooks receive the rows that changed.
 */
export { evaluateForSourceOrder } from './evaluate-for-all-users.ts';
export { continuousQueryEventHandler } from './event-handler.ts';
export { continuousQueryRoutes } from './routes.ts';
export { evaluateAllQueries } from './schedule.ts';

/** The background jobs of this module. */
export const continuousQueryJobs: readonly AnyJob<App>[] = [
  handleDataEvent,
  evaluateQuery,
  evaluateForAllUsers,
];

/** For changes of a user's data that emit no event: schedules every query that reads these resources. */
export async function scheduleForChangedData(
  work: Work,
  userId: string,
  resources: readonly string[],
): Promise<void> {
  for (const resource of resources) await scheduleForResource(work, userId, { resource, from: null });
}
