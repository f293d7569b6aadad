import { z } from 'zod';
import { isoDay } from '../../platform/clock.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Work } from '../../platform/work.ts';
import { factsOf, type Order } from './order.ts';
import type { OrderStep } from './status.ts';

/** One timer per order: when to check whether the service can advance it. */
export const requisitionTimer = {
  name: 'orders.request-requisition',
  /** `lab` is needed to withdraw the requisition of an order that is erased by then. */
  input: z.object({ order_id: z.guid(), tries: z.int().min(0), lab: z.string().optional() }),
};

interface RequisitionCheck {
  readonly orderId: string;
  /** Undefined while the order is hidden, during the grace period of a user deletion. */
  readonly lab: string | undefined;
  readonly dueAt: Date;
  readonly tries?: number;
  /** Keeps a check that another transaction has scheduled in the meantime. */
  readonly yields?: boolean;
}

/** Schedules the check of an order for `dueAt` on the tenant's clock; replaces a scheduled one. */
export const scheduleRequisitionCheck = (
  work: Work,
  { orderId, lab, dueAt, tries = 0, yields = false }: RequisitionCheck,
): Promise<void> =>
  setTimer(work, requisitionTimer, {
    key: orderId,
    dueAt,
    input: { order_id: orderId, tries, ...(lab === undefined ? {} : { lab }) },
    lane: lab,
    yields,
  });

/**
 * Call this whenever an order reaches a step. A scheduled order is checked when its day begins. In production, an order
 * whose next step is the service's is checked now; in sandbox, orders stay where they are until they are simulated.
 */
export async function scheduleAutoAdvance(work: Work, order: Order): Promise<void> {
  if (isScheduled(work, order)) {
    await scheduleRequisitionCheck(work, {
      ...toOrderAndLab(order),
      dueAt: startOfDay(order.activate_by ?? ''),
    });
  } else if (work.tenant.environment === 'production' && needsService(order)) {
    await scheduleRequisitionCheck(work, { ...toOrderAndLab(order), dueAt: work.now });
  }
}

export const toOrderAndLab = ({ id, lab_slug }: Pick<Order, 'id' | 'lab_slug'>) => ({
  orderId: id,
  lab: lab_slug,
});

/** Whether the order waits in `ordered` for a future day. Days begin at midnight UTC on the tenant's clock. */
export const isScheduled = (work: Work, order: Pick<Order, 'step' | 'activate_by'>): boolean =>
  order.step === 'ordered' && order.activate_by !== null && order.activate_by > isoDay(work.now);

export const startOfDay = (day: string): Date => new Date(`${day}T00:00:00Z`);

/** Whether the service has to act: request the requisition, or withdraw it. */
const needsService = (order: Order): boolean =>
  order.step === 'ordered' ||
  order.step === 'testkit_registered' ||
  order.step === 'cancelled' ||
  isRegisteredInTransit(order);

/** A kit that was registered in transit, has reached its user, and has no requisition yet. */
export const isRegisteredInTransit = (order: Order): boolean =>
  order.step === 'with_customer' &&
  order.registrable &&
  order.registered_at !== null &&
  !factsOf(order).hasRequisition;

/**
 * A registered kit that is on its way to the laboratory, or there, without a requisition. The state machine no longer
 * allows this; orders from older versions can still be in this state, and their requisition is requested late.
 */
export const isAtLabWithoutRequisition = (order: Order): boolean =>
  order.registrable &&
  order.registered_at !== null &&
  LAB_SIDE_STEPS.has(order.step) &&
  !factsOf(order).hasRequisition;

const LAB_SIDE_STEPS = new Set<OrderStep>([
  'transit_lab',
  'problem_in_transit_lab',
  'delivered_to_lab',
  'lab_processing_blocked',
]);
