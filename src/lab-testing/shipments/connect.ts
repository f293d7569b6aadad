import type { App } from '../../app.ts';
import type { AnyJob } from '../../platform/jobs/jobs.ts';
import { attendOrder } from './attend-order.ts';
import { followParcel, lookAfterParcel } from './follow-parcel.ts';
import { takeParcelNews } from './hear-courier.ts';
import { sendKitAgain } from './send-kit.ts';

export { shipmentReaction } from './attend-order.ts';
export { shipmentRoutes } from './routes.ts';

/** Everything that this slice does outside a request. */
export const shipmentJobs: readonly AnyJob<App>[] = [
  attendOrder,
  followParcel,
  lookAfterParcel,
  takeParcelNews,
  sendKitAgain,
];
