import type { App } from '../../app.ts';
import type { AnyJob } from '../../platform/jobs/jobs.ts';
import { escalate } from './escalate.ts';
import { openRecord } from './open-record.ts';

export { criticalReaction } from './open-record.ts';
export { criticalResultRoutes } from './routes.ts';

/** Everything that this slice does outside a request. */
export const criticalResultJobs: readonly AnyJob<App>[] = [openRecord, escalate];
