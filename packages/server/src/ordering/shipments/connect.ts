import type { App } from '../../app.ts';
import type { AnyJob } from '../../platform/jobs/jobs.ts';
import { handleOrderEvent } from './handle-order-event.ts';
import { startParcelTracking, pollParcel } from './track-parcel.ts';
import { processTrackingUpdates } from './receive-tracking-updates.ts';
import { retrySendKit } from './send-kit.ts';

export { shipmentEventHandler } from './handle-order-event.ts';
export { shipmentRoutes } from './routes.ts';

/** The background jobs of this module. */
export const shipmentJobs: readonly AnyJob<App>[] = [
  handleOrderEvent,
  startParcelTracking,
  pollParcel,
  processTrackingUpdates,
  retrySendKit,
];
