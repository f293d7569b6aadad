import type { App } from '../../app.ts';
import type { AnyJob } from '../../platform/jobs/jobs.ts';
import { attendOrder } from './attend-order.ts';
import { callOffErased } from './call-off-erased.ts';
import { expireReservation } from './expire.ts';
import { followAppointment } from './follow.ts';
import { settleAppointment } from './settle.ts';

export { appointmentReaction } from './attend-order.ts';
export { callOffInGrace } from './call-off-deleted.ts';
export { callOffVisits } from './call-off-erased.ts';
export { appointmentRoutes } from './routes.ts';

/** Everything that this slice does outside a request. */
export const appointmentJobs: readonly AnyJob<App>[] = [
  settleAppointment,
  followAppointment,
  expireReservation,
  attendOrder,
  callOffErased,
];
