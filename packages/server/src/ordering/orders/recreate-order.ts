import { DomainError, requireFound } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import type { CreateOrder } from './commands.ts';
import { insertOrder, type OrderPlacement } from './insert-order.ts';
import { factsOf, type Order } from './order.ts';
import { requestedAccountId } from './ordered-test.ts';
import { replaceOrder } from './orders.ts';
import { canCancel } from './status.ts';
import { findRecreation, lockOrder } from './row-store.ts';

/**
 * The only reason for which the lab account is resolved again. With any other, the replaced order's account is kept.
 */
const INCORRECT_LAB = 'INCORRECT_LAB';

/**
 * Locks the order to be replaced until this work ends, so that concurrent recreations see each other. An order can be
 * recreated once: 409 after that. The recreation itself can be recreated.
 */
export async function lockReplacedOrder(work: Work, command: CreateOrder): Promise<Order | undefined> {
  const { recreate_from_order_id: id } = command;
  if (id == null) return undefined;
  const replaced = requireFound(await lockOrder(work, id), 'Order');
  if (replaced.user_id !== command.user_id.toLowerCase()) {
    throw new DomainError('bad_request', `Order ${replaced.id} belongs to another user`);
  }
  const recreation = await findRecreation(work, replaced.id);
  if (recreation !== undefined) {
    throw new DomainError('conflict', `Order ${replaced.id} was already recreated as ${recreation}`);
  }
  return replaced;
}

/** Whether a recreation keeps the lab account of the replaced order, including the platform's own. */
export const keepsLabAccount = (command: CreateOrder): boolean =>
  command.recreate_from_order_id != null && command.update_reason !== INCORRECT_LAB;

/** The id of the account that a recreation keeps, null for the platform's own. 400 if the request names another. */
export function keptLabAccountId(replaced: Order, command: CreateOrder): string | null {
  const wanted = requestedAccountId(command);
  const kept = replaced.lab_account_id;
  if (wanted !== null && wanted.toLowerCase() !== kept) {
    throw new DomainError(
      'bad_request',
      `A recreation keeps the lab account of order ${replaced.id}; use update_reason ${INCORRECT_LAB} to change it`,
    );
  }
  return kept;
}

/** The columns that link a recreation to the replaced order. */
export const recreationColumns = (replaced: Order) => ({
  origin: 'recreation' as const,
  parent_id: replaced.id,
  transaction_id: replaced.transaction_id,
});

/** Inserts the recreation, and cancels the replaced order if its step still allows that. */
export async function insertRecreation(work: Work, replaced: Order, placing: OrderPlacement): Promise<Order> {
  if (!canCancel(factsOf(replaced))) return insertOrder(work, placing);
  return (await replaceOrder(work, replaced, { move: { to: 'cancelled' }, placing })).next;
}
