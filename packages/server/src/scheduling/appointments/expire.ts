import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import { defineJob } from '../../platform/jobs/jobs.ts';
import { HOUR, later } from '../../platform/clock.ts';
import { topLevel } from '../../ordering/orders/status.ts';
import { syncWithOrder } from './sync-with-order.ts';
import { cancelAppointment } from './cancel.ts';
import { lockAppointment } from './intent.ts';
import { appointmentMachine } from './status.ts';
import { scheduleExpiryAt, scheduleExpiry, expireTimer, reservationExpiry } from './timers.ts';

/** How often to check whether a deleted user was restored. */
const RESTORE_CHECK_MS = HOUR;

/** Cancels a reserved visit whose requisition did not arrive in time. */
export const expireReservation = defineJob({
  ...expireTimer,
  run: (app: App, tenant, { appointment_id: id }) =>
    inTenant(app, tenant, async (work) => {
      const locked = await lockAppointment(work, id);
      const { order, appointment } = locked ?? {};
      if (!appointment?.until_requisition || !appointmentMachine[appointment.status].active) return;
      // During the grace period of a user deletion, the order may still be restored or erased.
      if (!order) return scheduleExpiryAt(work, appointment, later(work.now, RESTORE_CHECK_MS));
      const isCancelled = topLevel(order.modality, order.step) === 'cancelled';
      if (order.step !== 'ordered' && !isCancelled) return syncWithOrder(work, { order, appointment });
      const end = reservationExpiry(order, appointment);
      if (!end) return;
      if (work.now < end) return scheduleExpiry(work, { order, appointment });
      await cancelAppointment(
        work,
        { order, appointment },
        { message: 'The requisition did not arrive in time' },
      );
    }),
});
