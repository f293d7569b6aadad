import { emit } from '../../events/events.ts';
import { readTeamSettings } from '../../identity/management/management.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { orderUpdated } from './events.ts';
import { insertOrder, type OrderPlacement } from './insert-order.ts';
import { factsOf, subjectOfOrder, type Order } from './order.ts';
import { viewOrder } from './view.ts';
import { scheduleAutoAdvance } from './requisition-timer.ts';
import {
  factsAfter,
  canCancel,
  canMove,
  type OrderFacts,
  type StatusDetail,
  type OrderStep,
} from './status.ts';
import * as reading from './read-store.ts';
import { lockOrder } from './row-store.ts';
import * as store from './store.ts';

export { transactionStatus } from './transaction-status.ts';
export { findOrderLabAccount } from './account.ts';
export type { Order, OrderHead } from './order.ts';
export { factsOf, subjectOfOrder, OrderedTest } from './order.ts';
export { insertOrder, type OrderPlacement } from './insert-order.ts';
export { listTransactionOrders } from './list-store.ts';
export { prefixToken, suffixToken, NAME_SEAL_CONTEXT, nameKey, patientNameOf } from './names.ts';
export { listOrdersById, listPatients } from './patient-store.ts';
export { selectOrderHead, openOrderHead } from './read-store.ts';
export { physicianOf, type OrderPhysician } from './physicians.ts';
export { hasOrder, lockOrder } from './row-store.ts';
export { requisitionNotes, buildRequisition } from './requisition.ts';
export { scheduleRequisitionCheck } from './requisition-timer.ts';
export { viewOrder, viewTransaction } from './view.ts';

/** The order of this tenant, or a 404. */
export const getOrder = async (work: Work, id: string): Promise<Order> =>
  requireFound(await reading.findOrder(work, id), 'Order');

/** The order of this tenant, locked until this work ends, or a 404. Waits for a concurrent change to finish. */
export const getOrderForUpdate = async (work: Work, id: string): Promise<Order> =>
  requireFound(await lockOrder(work, id), 'Order');

export const findOrder = (work: Work, id: string): Promise<Order | undefined> => reading.findOrder(work, id);

export const countOrders = (work: Work): Promise<number> => reading.countOrders(work);

/** The response of an operation that created or changed an order. */
export const toOrderResponse = (message: string, order: Order) => ({
  order: viewOrder(order),
  status: 'success',
  message,
});

export interface OrderTransition {
  readonly to: OrderStep;
  readonly detail?: StatusDetail;
  /** Changes to other columns, written in the same statement. */
  readonly changes?: store.OrderChanges;
  /** Emits no event; the caller emits it later, with more data. */
  readonly isSilent?: boolean;
}

/**
 * The only function that changes the step of an order. 409 if the state machine does not allow the transition, or if
 * the order was changed since it was read.
 */
export const advanceOrder = (work: Work, order: Order, move: OrderTransition): Promise<Order> =>
  advanceOrderThrough(work, order, { ...move, passed: [] });

/** Moves the order through several steps and emits an event for each: for a report that implies earlier steps. */
export async function advanceOrderThrough(
  work: Work,
  order: Order,
  { passed, to, detail, changes = {}, isSilent = false }: OrderTransition & { passed: readonly OrderStep[] },
): Promise<Order> {
  const way = factsAlongPath(order, passed);
  const facts = { ...(way.at(-1) ?? factsOf(order)), ...factsOfChanges(changes) };
  requireTransition(facts, to);
  const { leg } = factsAfter(facts, to);
  const stations = await store.moveOrder(work, order, {
    passed: way.map((at) => ({ step: at.step, leg: at.leg })),
    step: to,
    detail: detail ?? null,
    changes: { ...changes, ...(leg === order.leg ? {} : { leg }), waiting_reason: null },
  });
  let here = order;
  for (const moved of assertNotStale(stations)) {
    await scheduleAutoAdvance(work, moved);
    if (!isSilent && (await isUpdateEmitted(work, moved.step))) await emitOrderUpdated(work, moved);
    here = moved;
  }
  return here;
}

interface OrderReplacement {
  /** How the order ends. */
  readonly move: OrderTransition;
  /** The order that takes its place and joins its transaction. */
  readonly placing: OrderPlacement;
}

/**
 * Ends an order and places another one in the same transaction. The event of the ended order already shows both, so
 * the transaction never appears completed in between.
 */
export async function replaceOrder(
  work: Work,
  order: Order,
  { move, placing }: OrderReplacement,
): Promise<{ ended: Order; next: Order }> {
  const moved = await advanceOrder(work, order, { ...move, isSilent: true });
  const endedBy = ({ siblings }: Order): Order => ({ ...moved, siblings });
  const next = await insertOrder(work, placing, (placed) => emitOrderUpdated(work, endedBy(placed)));
  return { ended: endedBy(next), next };
}

function factsAlongPath(order: Order, steps: readonly OrderStep[]): OrderFacts[] {
  let facts = factsOf(order);
  return steps.map((step) => {
    requireTransition(facts, step);
    return (facts = factsAfter(facts, step));
  });
}

function requireTransition(facts: OrderFacts, to: OrderStep): void {
  if (canMove(facts, to)) return;
  throw new DomainError('conflict', `Transition from ${facts.step} to ${to} is not allowed`);
}

/** Changes an order without moving it, and emits `labtest.order.updated`. */
export async function amendOrder(work: Work, order: Order, changes: store.OrderChanges): Promise<Order> {
  const amended = assertNotStale(await store.amendOrder(work, order, changes));
  await emitOrderUpdated(work, amended);
  return amended;
}

function assertNotStale<T>(changed: T | undefined): T {
  if (!changed) throw new DomainError('conflict', 'The order was changed by another request; read it again');
  return changed;
}

const emitOrderUpdated = (work: Work, order: Order): Promise<void> =>
  emit(work, orderUpdated, { subject: subjectOfOrder(order), data: viewOrder(order) });

/** Events for partial results go only to teams that have enabled them (`partial_webhooks_enabled`). */
const isUpdateEmitted = async (work: Work, to: OrderStep): Promise<boolean> =>
  to !== 'partial_results' || (await readTeamSettings(work)).partial_webhooks_enabled;

const factsOfChanges = (changes: store.OrderChanges | undefined) =>
  changes?.registered_at ? { registered: true } : {};

/** Cancels an order. 400 if its current step no longer allows that. */
export async function cancelOrder(work: Work, id: string): Promise<Order> {
  const order = await getOrderForUpdate(work, id);
  if (!canCancel(factsOf(order))) {
    throw new DomainError('bad_request', `Transition from ${order.step} to cancelled is not allowed`);
  }
  return advanceOrder(work, order, { to: 'cancelled' });
}
