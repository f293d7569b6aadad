import type { App } from '../../app.ts';
import type { AnyJob } from '../../platform/jobs/jobs.ts';
import { escalate } from './escalate.ts';
import { openCriticalResults } from './open-critical-results.ts';

export { criticalResultHandler } from './open-critical-results.ts';
export { criticalResultRoutes } from './routes.ts';

/** The background jobs of this module. */
export const criticalResultJobs: readonly AnyJob<App>[] = [openCriticalResults, escalate];
