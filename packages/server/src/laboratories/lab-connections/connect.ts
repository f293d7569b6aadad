import type { App } from '../../app.ts';
import type { AnyJob } from '../../platform/jobs/jobs.ts';
import { redactDecidedMessage } from './redact-messages.ts';
import { processMessages } from './process-messages.ts';
import { withdrawErasedOrder } from './withdraw-erased.ts';

export { expireMessages } from './expire-messages-store.ts';
export { openOutbox } from './outbox.ts';
export { redactMessages } from './redact-messages.ts';
export { withdrawOrders } from './withdraw-erased.ts';
export { labConnectionRoutes } from './routes.ts';
export { startFolderPolling } from './poll-folders.ts';

/** The background jobs of this module. */
export const labConnectionJobs: readonly AnyJob<App>[] = [
  processMessages,
  redactDecidedMessage,
  withdrawErasedOrder,
];
