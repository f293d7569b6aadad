import { teamSettings } from '../../management/management.ts';
import { clearTimer } from '../../platform/jobs/timers.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import type { Order } from './order.ts';
import { advance, amend, getOrder, takeOrder } from './orders.ts';
import { requireDayToCome } from './place-order.ts';
import { beginningOf, lookAgain, named, requisitionTimer } from './requisition-timer.ts';
import { markOrder } from './row-store.ts';

const RESCHEDULABLE = new Set(['ordered', 'awaiting_registration']);

/**
 * Moves the day for which the order is scheduled, or lets it go on now (null). 409 once it has gone on, 400 for an
 * order that is not scheduled.
 */
export async function reschedule(work: Work, id: string, day: string | null): Promise<Order> {
  const order = await takeOrder(work, id);
  if (!RESCHEDULABLE.has(order.step)) {
    throw new DomainError('conflict', `An order at ${order.step} cannot be scheduled any more`);
  }
  if (order.activate_by === null) {
    if (day === null) return order;
    throw new DomainError(
      'bad_request',
      'An order that was created without activate_by, or whose day was cleared, cannot be scheduled',
    );
  }
  requireDayToCome(work, day);
  const amended = await amend(work, order, { activate_by: day });
  if (order.step === 'ordered') await setLook(work, amended);
  return amended;
}

/** In sandbox an order without a day waits to be simulated, like any other. */
async function setLook(work: Work, order: Order): Promise<void> {
  const day = order.activate_by;
  if (day !== null) await lookAgain(work, { ...named(order), dueAt: beginningOf(day) });
  else if (work.tenant.environment === 'production') {
    await lookAgain(work, { ...named(order), dueAt: work.now });
  } else await clearTimer(work, requisitionTimer, order.id);
}

/** The blood is drawn: 409 where the journey has no such step from here. */
export const completeDraw = async (work: Work, id: string): Promise<Order> =>
  advance(work, await takeOrder(work, id), { to: 'draw_completed' });

export interface CommunicationSettings {
  readonly order_id: string;
  readonly sms_enabled: boolean;
}

/** Whether the patient is sent text messages about the order: as said for it alone, else as the team has it. */
export async function readCommunication(work: Work, id: string): Promise<CommunicationSettings> {
  const order = await getOrder(work, id);
  const sms = order.sms_enabled ?? (await teamSettings(work)).lab_tests_patient_sms_communication_enabled;
  return { order_id: order.id, sms_enabled: sms };
}

export async function setCommunication(
  work: Work,
  id: string,
  { sms_enabled }: { sms_enabled: boolean },
): Promise<CommunicationSettings> {
  const order = await getOrder(work, id);
  await markOrder(work, order.id, { sms_enabled });
  return { order_id: order.id, sms_enabled };
}
