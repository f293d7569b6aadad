import { z } from 'zod';
import type { App } from '../../app.ts';
import { inTenant, readTenant } from '../../app.ts';
import type { Reaction } from '../../events/events.ts';
import { defineJob, enqueueAs, type Job } from '../../platform/jobs/jobs.ts';
import type { Work } from '../../platform/work.ts';
import { advance, factsOf } from '../orders/orders.ts';
import { orderUpdated } from '../orders/events.ts';
import { topLevel } from '../orders/status.ts';
import { cancelWith } from './cancel.ts';
import { isIntent, lockAppointment, withdraw } from './intent.ts';
import { appointmentMachine, stepWith } from './status.ts';
import * as store from './store.ts';
import { toConfirm } from './take-answer.ts';
import { expireLater, expiryOfReservation, settleAt } from './timers.ts';
import type { Visit } from './view.ts';

/** Listens to orders whose patients have an appointment; all others cost one question a batch. */
export const appointmentReaction: Reaction<App> = {
  name: 'appointments.attend-order',
  take: async (_app, tx, events) => {
    const told = events.filter(({ type }) => type === orderUpdated.type);
    const users = [...new Set(told.flatMap(({ userId }) => (userId === null ? [] : [userId])))];
    if (users.length === 0) return;
    for (const { tenant, userId } of await store.listAttended(tx, users)) {
      await enqueueAs(tx, { tenant, job: attendOrder.name, input: { user_id: userId } });
    }
  },
};

const Input = z.object({ user_id: z.guid() });

/** Brings the appointments of a patient where their orders have gone. */
export const attendOrder: Job<App, z.output<typeof Input>> = defineJob({
  name: 'appointments.attend-order',
  input: Input,
  async run(app, tenant, { user_id }) {
    const active = await readTenant(app, tenant, (work) => store.listActiveOfUser(work, user_id));
    for (const { id } of active) {
      await inTenant(app, tenant, async (work) => {
        const { order, appointment } = (await lockAppointment(work, id)) ?? {};
        if (order && appointment && appointmentMachine[appointment.status].active) {
          await attend(work, { order, appointment });
        }
      });
    }
  },
});

/** Brings an appointment where its order has gone. */
export async function attend(work: Work, visit: Visit): Promise<void> {
  const { order, appointment } = visit;
  if (topLevel(order.modality, order.step) === 'cancelled') {
    // At a center the patient may come without an order of ours; at home nobody is to ring the bell.
    if (appointment.type !== 'phlebotomy') return;
    if (isIntent(appointment)) await withdraw(work, appointment);
    else await cancelWith(work, visit, { cancellation_reason: 'The order was cancelled', note: null });
  } else if (appointment.until_requisition) {
    if (order.step === 'ordered') await expireSooner(work, visit);
    else await confirmReserved(work, visit);
  }
}

/** An order that was put off does not wait any longer than others once its day is cleared. */
async function expireSooner(work: Work, visit: Visit): Promise<void> {
  const end = expiryOfReservation(visit.order, visit.appointment);
  // What is past already is left to when the provider is asked next: the requisition may be on its way.
  if (end && end > work.now) await expireLater(work, visit);
}

/** The requisition is there: the order takes its first step, and the provider is asked to confirm. */
async function confirmReserved(work: Work, { order, appointment }: Visit): Promise<void> {
  const isAnswered = appointment.told_at !== null && appointment.errand === null;
  const changed = await store.changeAppointment(work, appointment, {
    until_requisition: false,
    ...(isAnswered ? toConfirm(appointment) : {}),
  });
  if (isAnswered) await settleAt(work, changed, work.now);
  if (appointment.told_at === null) return;
  const step = stepWith(changed.type, changed.status, factsOf(order));
  if (step) await advance(work, order, { to: step });
}
