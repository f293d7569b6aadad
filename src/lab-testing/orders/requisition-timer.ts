import { z } from 'zod';
import { isoDay } from '../../platform/clock.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Work } from '../../platform/work.ts';
import { factsOf, type Order } from './order.ts';
import type { Step } from './status.ts';

/** One timer for each order: when it is to be looked at, to see what can be done without anybody's asking. */
export const requisitionTimer = {
  name: 'orders.request-requisition',
  /** The laboratory, to be told of an order that is erased when it is looked at. */
  input: z.object({ order_id: z.guid(), tries: z.int().min(0), lab: z.string().optional() }),
};

export interface Looking {
  readonly orderId: string;
  /** Undefined where the order is hidden: it is known again when it is not, or of no concern any more. */
  readonly lab: string | undefined;
  readonly dueAt: Date;
  readonly tries?: number;
  /** Leaves a look that another transaction has asked for meanwhile as it is. */
  readonly yields?: boolean;
}

/** Has the order looked at as soon as `dueAt` has come on the tenant's clock; a later call moves the look. */
export const lookAgain = (
  work: Work,
  { orderId, lab, dueAt, tries = 0, yields = false }: Looking,
): Promise<void> =>
  setTimer(work, requisitionTimer, {
    key: orderId,
    dueAt,
    input: { order_id: orderId, tries, ...(lab === undefined ? {} : { lab }) },
    lane: lab,
    yields,
  });

/**
 * To be called whenever an order has come to a step. A scheduled one is looked at when its day begins. In production
 * it is looked at now, if the next step is ours; in sandbox orders stay where they are until they are simulated.
 */
export async function goOnByItself(work: Work, order: Order): Promise<void> {
  if (isScheduled(work, order)) {
    await lookAgain(work, { ...named(order), dueAt: beginningOf(order.activate_by ?? '') });
  } else if (work.tenant.environment === 'production' && isOurTurn(order)) {
    await lookAgain(work, { ...named(order), dueAt: work.now });
  }
}

export const named = ({ id, lab_slug }: Pick<Order, 'id' | 'lab_slug'>) => ({ orderId: id, lab: lab_slug });

/** Whether the order waits in `ordered` for a day to come; days begin at midnight UTC on the tenant's clock. */
export const isScheduled = (work: Work, order: Pick<Order, 'step' | 'activate_by'>): boolean =>
  order.step === 'ordered' && order.activate_by !== null && order.activate_by > isoDay(work.now);

export const beginningOf = (day: string): Date => new Date(`${day}T00:00:00Z`);

/** Nobody else moves these: the laboratory has to be asked, or told that it is not wanted any more. */
const isOurTurn = (order: Order): boolean =>
  order.step === 'ordered' ||
  order.step === 'testkit_registered' ||
  order.step === 'cancelled' ||
  isRegisteredOnItsWay(order);

/** A kit whose holder became known while it was carried, and of which the laboratory does not know yet. */
export const isRegisteredOnItsWay = (order: Order): boolean =>
  order.step === 'with_customer' &&
  order.registrable &&
  order.registered_at !== null &&
  !factsOf(order).hasRequisition;

/**
 * A kit that was carried to a laboratory which nobody had asked for anything. No journey goes there any more; what had
 * gone there before that was so waits for a laboratory that does not know what to do with it.
 */
export const isThereUnasked = (order: Order): boolean =>
  order.registrable &&
  order.registered_at !== null &&
  CARRIED_THERE.has(order.step) &&
  !factsOf(order).hasRequisition;

const CARRIED_THERE = new Set<Step>([
  'transit_lab',
  'problem_in_transit_lab',
  'delivered_to_lab',
  'lab_processing_blocked',
]);
