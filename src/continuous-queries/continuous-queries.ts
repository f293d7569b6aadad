import type { App } from '../app.ts';
import type { AnyJob } from '../platform/jobs/jobs.ts';
import type { Work } from '../platform/work.ts';
import { answerForAll } from './begin.ts';
import { evaluate } from './evaluate.ts';
import { notice } from './listen.ts';
import { scheduleFor } from './schedule.ts';

/*
 * Continuous queries: a team says once what it wants to know of every user, and is told when the answer changes.
 */
export { answerForOrder } from './begin.ts';
export { continuousQueryReaction } from './listen.ts';
export { continuousQueryRoutes } from './routes.ts';
export { answerAllAnew } from './schedule.ts';

/** Everything that this slice does outside a request. */
export const continuousQueryJobs: readonly AnyJob<App>[] = [notice, evaluate, answerForAll];

/** For who changes data of a user without an event that tells of it: whatever reads these is answered anew, soon. */
export async function dataChanged(work: Work, userId: string, resources: readonly string[]): Promise<void> {
  for (const resource of resources) await scheduleFor(work, userId, { resource, from: null });
}
