import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import { defineJob } from '../../platform/jobs/jobs.ts';
import { cancelWith } from './cancel.ts';
import { lockAppointment } from './intent.ts';
import { appointmentMachine } from './status.ts';
import { expireLater, expireTimer, expiryOfReservation } from './timers.ts';

/** Gives up a reserved visit whose requisition did not come in time. */
export const expireReservation = defineJob({
  ...expireTimer,
  run: (app: App, tenant, { appointment_id: id }) =>
    inTenant(app, tenant, async (work) => {
      const locked = await lockAppointment(work, id);
      const { order, appointment } = locked ?? {};
      if (!order || !appointment?.until_requisition || !appointmentMachine[appointment.status].active) return;
      const end = expiryOfReservation(order, appointment);
      if (!end) return;
      if (work.now < end) return expireLater(work, { order, appointment });
      await cancelWith(work, { order, appointment }, { message: 'The requisition did not come in time' });
    }),
});
