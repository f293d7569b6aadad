import type { App } from '../../app.ts';
import { later, MINUTE } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import { lockOrdersOfUser } from './user-orders-store.ts';
import { scheduleRequisitionCheck } from './requisition-timer.ts';
import { canCancel, topLevel } from './status.ts';

/** A requisition request that is in flight now is finished by then. */
const REQUEST_IN_FLIGHT_MS = 5 * MINUTE;

/**
 * When a user is erased, schedules a last check of every order that can still be cancelled, or whose cancellation the
 * laboratory may not know yet. The check withdraws the requisition of an erased order. The database cannot tell whether
 * a requisition was requested: a process may have died between request and write. Withdrawing an unknown one is safe.
 */
export async function scheduleWithdrawals(_app: App, work: Work, userId: string): Promise<void> {
  for (const { orderId, lab, facts } of await lockOrdersOfUser(work, userId)) {
    const isCancelled = topLevel(facts.modality, facts.step) === 'cancelled';
    if (!isCancelled && !canCancel(facts)) continue;
    await scheduleRequisitionCheck(work, { orderId, lab, dueAt: later(work.now, REQUEST_IN_FLIGHT_MS) });
  }
}
