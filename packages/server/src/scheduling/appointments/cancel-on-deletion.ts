import { later } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import { GRACE_MS } from '../../users/users/users.ts';
import type { Appointment } from './appointment.ts';
import { cancelAppointment } from './cancel.ts';
import { isIntent, lockAppointment, withdrawBooking } from './intent.ts';
import { appointmentMachine } from './status.ts';
import * as store from './store.ts';

/**
 * Cancels visits of a user who is about to be deleted, if they could take place during the grace period of the
 * deletion. Call before the deletion, because it hides the user's orders. Visits in progress are kept; visits after the
 * grace period are cancelled by the erasure.
 */
export async function cancelVisitsInGrace(work: Work, userId: string): Promise<void> {
  for (const { id } of await store.listActiveOfUser(work, userId)) {
    const { order, appointment } = (await lockAppointment(work, id)) ?? {};
    if (!order || !appointment || !isDuringGrace(work, appointment)) continue;
    if (isIntent(appointment)) await withdrawBooking(work, appointment);
    else
      await cancelAppointment(
        work,
        { order, appointment },
        { cancellation_reason: 'The patient was deleted', note: null },
      );
  }
}

/** Whether the visit may begin within the grace period. Includes visits without a time and reschedules in progress. */
function isDuringGrace({ now }: Work, { status, start_at, wish }: Appointment): boolean {
  if (!appointmentMachine[status].cancel) return false;
  const end = later(now, GRACE_MS);
  if (start_at === null || (wish !== null && new Date(wish.startAt) < end)) return true;
  return start_at > now && start_at < end;
}
