import { later } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import { GRACE_MS } from '../../users/users.ts';
import type { Appointment } from './appointment.ts';
import { cancelWith } from './cancel.ts';
import { isIntent, lockAppointment, withdraw } from './intent.ts';
import { appointmentMachine } from './status.ts';
import * as store from './store.ts';

/**
 * Calls off the visits of a user who is about to be deleted that could take place while nobody here knows the user:
 * time does not stand still until an undo. To be done before the user is deleted, as its orders are hidden with it.
 * What is going on stands, and what would be later is left to the erasure.
 */
export async function callOffInGrace(work: Work, userId: string): Promise<void> {
  for (const { id } of await store.listActiveOfUser(work, userId)) {
    const { order, appointment } = (await lockAppointment(work, id)) ?? {};
    if (!order || !appointment || !isInGrace(work, appointment)) continue;
    if (isIntent(appointment)) await withdraw(work, appointment);
    else
      await cancelWith(
        work,
        { order, appointment },
        { cancellation_reason: 'The patient was deleted', note: null },
      );
  }
}

/** Whether it is still to come, and may come within the grace period: it has no time yet, or one is wished for. */
function isInGrace({ now }: Work, { status, start_at, wish }: Appointment): boolean {
  if (!appointmentMachine[status].cancel) return false;
  const end = later(now, GRACE_MS);
  if (start_at === null || (wish !== null && new Date(wish.startAt) < end)) return true;
  return start_at > now && start_at < end;
}
