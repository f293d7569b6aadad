import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import { defineJob } from '../../platform/jobs/jobs.ts';
import { HOUR, later } from '../../platform/clock.ts';
import { topLevel } from '../orders/status.ts';
import { attend } from './attend-order.ts';
import { cancelWith } from './cancel.ts';
import { lockAppointment } from './intent.ts';
import { appointmentMachine } from './status.ts';
import { expireAt, expireLater, expireTimer, expiryOfReservation } from './timers.ts';

/** How often it is looked whether a deleted user is back. */
const HIDDEN_MS = HOUR;

/** Gives up a reserved visit whose requisition did not come in time. */
export const expireReservation = defineJob({
  ...expireTimer,
  run: (app: App, tenant, { appointment_id: id }) =>
    inTenant(app, tenant, async (work) => {
      const locked = await lockAppointment(work, id);
      const { order, appointment } = locked ?? {};
      if (!appointment?.until_requisition || !appointmentMachine[appointment.status].active) return;
      // The order of a user in the grace period of a deletion comes back with its user, or goes with it.
      if (!order) return expireAt(work, appointment, later(work.now, HIDDEN_MS));
      const isCancelled = topLevel(order.modality, order.step) === 'cancelled';
      if (order.step !== 'ordered' && !isCancelled) return attend(work, { order, appointment });
      const end = expiryOfReservation(order, appointment);
      if (!end) return;
      if (work.now < end) return expireLater(work, { order, appointment });
      await cancelWith(work, { order, appointment }, { message: 'The requisition did not come in time' });
    }),
});
