import { readTeamSettings } from '../../identity/management/management.ts';
import { clearTimer } from '../../platform/jobs/timers.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import type { Order } from './order.ts';
import { advanceOrder, amendOrder, getOrder, getOrderForUpdate } from './orders.ts';
import { requireFutureDay } from './place-order.ts';
import {
  startOfDay,
  scheduleRequisitionCheck,
  toOrderAndLab,
  requisitionTimer,
} from './requisition-timer.ts';
import { setOrderColumns } from './row-store.ts';

const RESCHEDULABLE = new Set(['ordered', 'awaiting_registration']);

/**
 * Changes the day for which the order is scheduled, or releases it now (null). 409 once the order has moved on, 400 for
 * an order that was never scheduled.
 */
export async function rescheduleOrder(work: Work, id: string, day: string | null): Promise<Order> {
  const order = await getOrderForUpdate(work, id);
  if (!RESCHEDULABLE.has(order.step)) {
    throw new DomainError('conflict', `An order at ${order.step} can no longer be rescheduled`);
  }
  if (order.activate_by === null) {
    if (day === null) return order;
    throw new DomainError(
      'bad_request',
      'An order without activate_by, or whose day was cleared, cannot be scheduled; create a new order',
    );
  }
  requireFutureDay(work, day);
  const amended = await amendOrder(work, order, { activate_by: day });
  if (order.step === 'ordered') await updateRequisitionTimer(work, amended);
  return amended;
}

/** In sandbox, an order without a day waits for its simulation, like any other order. */
async function updateRequisitionTimer(work: Work, order: Order): Promise<void> {
  const day = order.activate_by;
  if (day !== null) await scheduleRequisitionCheck(work, { ...toOrderAndLab(order), dueAt: startOfDay(day) });
  else if (work.tenant.environment === 'production') {
    await scheduleRequisitionCheck(work, { ...toOrderAndLab(order), dueAt: work.now });
  } else await clearTimer(work, requisitionTimer, order.id);
}

/** Records that the blood was drawn. 409 if the order cannot move to `draw_completed` from its current step. */
export const completeDraw = async (work: Work, id: string): Promise<Order> =>
  advanceOrder(work, await getOrderForUpdate(work, id), { to: 'draw_completed' });

interface CommunicationSettings {
  readonly order_id: string;
  readonly sms_enabled: boolean;
}

/** Whether the patient gets text messages about the order: the order's own setting, else the team's. */
export async function getCommunicationSettings(work: Work, id: string): Promise<CommunicationSettings> {
  const order = await getOrder(work, id);
  const sms = order.sms_enabled ?? (await readTeamSettings(work)).lab_tests_patient_sms_communication_enabled;
  return { order_id: order.id, sms_enabled: sms };
}

export async function setCommunicationSettings(
  work: Work,
  id: string,
  { sms_enabled }: { sms_enabled: boolean },
): Promise<CommunicationSettings> {
  const order = await getOrder(work, id);
  await setOrderColumns(work, order.id, { sms_enabled });
  return { order_id: order.id, sms_enabled };
}
