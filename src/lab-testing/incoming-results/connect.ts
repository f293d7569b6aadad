import type { App } from '../../app.ts';
import type { AnyJob } from '../../platform/jobs/jobs.ts';
import { attendKits } from './attend-kits.ts';

export { kitReaction } from './attend-kits.ts';

/** Everything that this slice does outside a request. */
export const incomingResultJobs: readonly AnyJob<App>[] = [attendKits];
