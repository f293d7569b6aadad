import type { App } from '../../app.ts';
import type { AnyJob } from '../../platform/jobs/jobs.ts';
import { matchRegisteredKits } from './match-registered-kits.ts';

export { kitRegistrationHandler } from './match-registered-kits.ts';

/** The background jobs of this module. */
export const incomingResultJobs: readonly AnyJob<App>[] = [matchRegisteredKits];
