import { emit } from '../../events/events.ts';
import { teamSettings } from '../../management/management.ts';
import { DomainError, found } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { orderUpdated } from './events.ts';
import { insertOrder, type Placing } from './insert-order.ts';
import { factsOf, subjectOfOrder, type Order } from './order.ts';
import { viewOrder } from './view.ts';
import { goOnByItself } from './requisition-timer.ts';
import { after, canCancel, canMove, type Facts, type StatusDetail, type Step } from './status.ts';
import * as reading from './read-store.ts';
import { lockOrder } from './row-store.ts';
import * as store from './store.ts';

export { transactionStatus } from './transaction-status.ts';
export { accountOf } from './account.ts';
export type { Order, OrderHead } from './order.ts';
export { factsOf, subjectOfOrder, OrderedTest } from './order.ts';
export { insertOrder, type Placing } from './insert-order.ts';
export { listTransactionOrders } from './list-store.ts';
export { beginsToken, endsToken, NAME_PLACE, nameKey, patientNameOf } from './names.ts';
export { listOrdersById, listPatients } from './patient-store.ts';
export { headOfOrder, openHead } from './read-store.ts';
export { physicianOf, type OrderPhysician } from './physicians.ts';
export { hasOrder, lockOrder } from './row-store.ts';
export { requisitionNotes, requisitionOf } from './requisition.ts';
export { lookAgain } from './requisition-timer.ts';
export { viewOrder, viewTransaction } from './view.ts';

/** The order of this tenant, or a 404. */
export const getOrder = async (work: Work, id: string): Promise<Order> =>
  found(await reading.findOrder(work, id), 'Order');

/** The same as nobody else can change it until this work ends: what somebody is just doing to it is waited for. */
export const takeOrder = async (work: Work, id: string): Promise<Order> =>
  found(await lockOrder(work, id), 'Order');

export const findOrder = (work: Work, id: string): Promise<Order | undefined> => reading.findOrder(work, id);

export const countOrders = (work: Work): Promise<number> => reading.countOrders(work);

/** How an operation that made or changed an order answers. */
export const orderAnswer = (message: string, order: Order) => ({
  order: viewOrder(order),
  status: 'success',
  message,
});

export interface Move {
  readonly to: Step;
  readonly detail?: StatusDetail;
  /** What is said of the order from this step on, written in the same statement. */
  readonly changes?: store.OrderChanges;
  /** The caller tells of it, when more is known. */
  readonly untold?: boolean;
}

/**
 * The only way an order changes step. 409 when the journey does not go there,
 * or when somebody else moved the order since it was read.
 */
export const advance = (work: Work, order: Order, move: Move): Promise<Order> =>
  advanceThrough(work, order, { ...move, passed: [] });

/** The same over steps on the way, each of which is told of: for news that prove several steps at once. */
export async function advanceThrough(
  work: Work,
  order: Order,
  { passed, to, detail, changes = {}, untold = false }: Move & { passed: readonly Step[] },
): Promise<Order> {
  const way = wayOf(order, passed);
  const facts = { ...(way.at(-1) ?? factsOf(order)), ...factsIn(changes) };
  requireMove(facts, to);
  const { leg } = after(facts, to);
  const stations = await store.moveOrder(work, order, {
    passed: way.map((at) => ({ step: at.step, leg: at.leg })),
    step: to,
    detail: detail ?? null,
    changes: { ...changes, ...(leg === order.leg ? {} : { leg }), waiting_reason: null },
  });
  let here = order;
  for (const moved of unbeaten(stations)) {
    await goOnByItself(work, moved);
    if (!untold && (await isTold(work, moved.step))) await tell(work, moved);
    here = moved;
  }
  return here;
}

export interface Succession {
  /** How the order ends. */
  readonly move: Move;
  /** The order that comes in its place, and joins its transaction. */
  readonly placing: Placing;
}

/**
 * Ends an order with another one in its place. Whoever is told of the end is told of the other one with it: their
 * transaction is not over in between.
 */
export async function succeed(
  work: Work,
  order: Order,
  { move, placing }: Succession,
): Promise<{ ended: Order; next: Order }> {
  const moved = await advance(work, order, { ...move, untold: true });
  const endedBy = ({ siblings }: Order): Order => ({ ...moved, siblings });
  const next = await insertOrder(work, placing, (placed) => tell(work, endedBy(placed)));
  return { ended: endedBy(next), next };
}

function wayOf(order: Order, steps: readonly Step[]): Facts[] {
  let facts = factsOf(order);
  return steps.map((step) => {
    requireMove(facts, step);
    return (facts = after(facts, step));
  });
}

function requireMove(facts: Facts, to: Step): void {
  if (canMove(facts, to)) return;
  throw new DomainError('conflict', `Transition from ${facts.step} to ${to} is not allowed`);
}

/** Writes down what is said of the order beside its journey, and tells of it. */
export async function amend(work: Work, order: Order, changes: store.OrderChanges): Promise<Order> {
  const amended = unbeaten(await store.amendOrder(work, order, changes));
  await tell(work, amended);
  return amended;
}

function unbeaten<T>(changed: T | undefined): T {
  if (!changed) throw new DomainError('conflict', 'The order was changed by someone else; read it again');
  return changed;
}

const tell = (work: Work, order: Order): Promise<void> =>
  emit(work, orderUpdated, { subject: subjectOfOrder(order), data: viewOrder(order) });

/** Partial results can be read at once; their webhook goes only to teams that want it. */
const isTold = async (work: Work, to: Step): Promise<boolean> =>
  to !== 'partial_results' || (await teamSettings(work)).partial_webhooks_enabled;

const factsIn = (changes: store.OrderChanges | undefined) =>
  changes?.registered_at ? { registered: true } : {};

/** Cancels an order that may still be cancelled: 400 where its journey does not allow it any more. */
export async function cancelOrder(work: Work, id: string): Promise<Order> {
  const order = await takeOrder(work, id);
  if (!canCancel(factsOf(order))) {
    throw new DomainError('bad_request', `Transition from ${order.step} to cancelled is not allowed`);
  }
  return advance(work, order, { to: 'cancelled' });
}
