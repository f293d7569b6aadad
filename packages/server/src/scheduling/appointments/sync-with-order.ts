import { z } from 'zod';
import type { App } from '../../app.ts';
import { inTenant, readTenant } from '../../app.ts';
import type { EventHandler } from '../../events/events.ts';
import { defineJob, enqueueForTenant, type Job } from '../../platform/jobs/jobs.ts';
import type { Work } from '../../platform/work.ts';
import { advanceOrder, factsOf } from '../../ordering/orders/orders.ts';
import { orderUpdated } from '../../ordering/orders/events.ts';
import { topLevel } from '../../ordering/orders/status.ts';
import { cancelAppointment } from './cancel.ts';
import { isIntent, lockAppointment, withdrawBooking } from './intent.ts';
import { appointmentMachine, orderStepFor } from './status.ts';
import * as store from './store.ts';
import { confirmAction } from './apply-provider-visit.ts';
import { scheduleExpiry, reservationExpiry, scheduleProviderAction } from './timers.ts';
import type { AppointmentWithOrder } from './view.ts';

/** Handles updates of orders whose users have an active appointment. Costs one query per batch of events. */
export const appointmentEventHandler: EventHandler<App> = {
  name: 'appointments.attend-order',
  handle: async (_app, tx, events) => {
    const told = events.filter(({ type }) => type === orderUpdated.type);
    const users = [...new Set(told.flatMap(({ userId }) => (userId === null ? [] : [userId])))];
    if (users.length === 0) return;
    for (const { tenant, userId } of await store.listUsersWithActiveAppointment(tx, users)) {
      await enqueueForTenant(tx, { tenant, job: syncAppointments.name, input: { user_id: userId } });
    }
  },
};

const SyncAppointmentsInput = z.object({ user_id: z.guid() });

/** Updates the active appointments of a user after their orders changed. */
export const syncAppointments: Job<App, z.output<typeof SyncAppointmentsInput>> = defineJob({
  name: 'appointments.attend-order',
  input: SyncAppointmentsInput,
  async run(app, tenant, { user_id }) {
    const active = await readTenant(app, tenant, (work) => store.listActiveOfUser(work, user_id));
    for (const { id } of active) {
      await inTenant(app, tenant, async (work) => {
        const { order, appointment } = (await lockAppointment(work, id)) ?? {};
        if (order && appointment && appointmentMachine[appointment.status].active) {
          await syncWithOrder(work, { order, appointment });
        }
      });
    }
  },
});

/** Updates an appointment after its order changed: cancels it with the order, or confirms a reservation. */
export async function syncWithOrder(work: Work, visit: AppointmentWithOrder): Promise<void> {
  const { order, appointment } = visit;
  if (topLevel(order.modality, order.step) === 'cancelled') {
    // A patient may visit a center without an order, but no phlebotomist should come for a cancelled order.
    if (appointment.type !== 'phlebotomy') return;
    if (isIntent(appointment)) await withdrawBooking(work, appointment);
    else await cancelAppointment(work, visit, { cancellation_reason: 'The order was cancelled', note: null });
  } else if (appointment.until_requisition) {
    if (order.step === 'ordered') await expireSooner(work, visit);
    else await confirmReserved(work, visit);
  }
}

/** Clearing the day of a scheduled order shortens the time that its reservation is kept. */
async function expireSooner(work: Work, visit: AppointmentWithOrder): Promise<void> {
  const end = reservationExpiry(visit.order, visit.appointment);
  // If the new expiry has passed, the existing timer decides: the requisition may still arrive.
  if (end && end > work.now) await scheduleExpiry(work, visit);
}

/** The requisition exists now: moves the order to its appointment step, and asks the provider to confirm. */
async function confirmReserved(work: Work, { order, appointment }: AppointmentWithOrder): Promise<void> {
  const isAnswered = appointment.told_at !== null && appointment.errand === null;
  const changed = await store.updateAppointment(work, appointment, {
    until_requisition: false,
    ...(isAnswered ? confirmAction(appointment) : {}),
  });
  if (isAnswered) await scheduleProviderAction(work, changed, work.now);
  if (appointment.told_at === null) return;
  const step = orderStepFor(changed.type, changed.status, factsOf(order));
  if (step) await advanceOrder(work, order, { to: step });
}
