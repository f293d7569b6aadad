import type { App } from '../../app.ts';
import type { AnyJob } from '../../platform/jobs/jobs.ts';
import { syncAppointments } from './sync-with-order.ts';
import { cancelErasedVisit } from './cancel-on-erasure.ts';
import { expireReservation } from './expire.ts';
import { pollAppointment } from './poll-provider.ts';
import { runProviderAction } from './run-provider-action.ts';

export { appointmentEventHandler } from './sync-with-order.ts';
export { cancelVisitsInGrace } from './cancel-on-deletion.ts';
export { cancelVisitsOnErasure } from './cancel-on-erasure.ts';
export { appointmentRoutes } from './routes.ts';

/** The background jobs of this module. */
export const appointmentJobs: readonly AnyJob<App>[] = [
  runProviderAction,
  pollAppointment,
  expireReservation,
  syncAppointments,
  cancelErasedVisit,
];
