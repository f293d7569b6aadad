import type { App } from '../../app.ts';
import type { AnyJob } from '../../platform/jobs/jobs.ts';
import { emptyMessage } from './redact-messages.ts';
import { takeMessages } from './take-messages.ts';
import { withdrawErased } from './withdraw-erased.ts';

export { openOutbox } from './outbox.ts';
export { redactMessages } from './redact-messages.ts';
export { withdrawOrders } from './withdraw-erased.ts';
export { labConnectionRoutes } from './routes.ts';
export { startLabFolders } from './look-into-folders.ts';

/** Everything that this slice does outside a request. */
export const labConnectionJobs: readonly AnyJob<App>[] = [takeMessages, emptyMessage, withdrawErased];
