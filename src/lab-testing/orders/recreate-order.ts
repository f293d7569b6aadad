import { DomainError, found } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import type { CreateOrder } from './commands.ts';
import { insertOrder, type Placing } from './insert-order.ts';
import { factsOf, type Order } from './order.ts';
import { wantedAccount } from './ordered-test.ts';
import { succeed } from './orders.ts';
import { canCancel } from './status.ts';
import { findRecreation, lockOrder } from './row-store.ts';

/** The reason for which the lab account is resolved anew; any other keeps that of the order replaced. */
const INCORRECT_LAB = 'INCORRECT_LAB';

/**
 * The order that this one is to replace, locked until the new one is written, so that of two recreations at once one
 * sees the other. An order is recreated once: 409 afterwards, and the recreation itself can be recreated.
 */
export async function findReplaced(work: Work, command: CreateOrder): Promise<Order | undefined> {
  const { recreate_from_order_id: id } = command;
  if (id == null) return undefined;
  const replaced = found(await lockOrder(work, id), 'Order');
  if (replaced.user_id !== command.user_id.toLowerCase()) {
    throw new DomainError('bad_request', `Order ${replaced.id} is of another user`);
  }
  const recreation = await findRecreation(work, replaced.id);
  if (recreation !== undefined) {
    throw new DomainError('conflict', `Order ${replaced.id} was already recreated as ${recreation}`);
  }
  return replaced;
}

/** Whether a recreation keeps the lab account of the order that it replaces, the platform's own included. */
export const keepsAccount = (command: CreateOrder): boolean =>
  command.recreate_from_order_id != null && command.update_reason !== INCORRECT_LAB;

/** The account that a recreation keeps, null for the platform's own; 400 when it names another one. */
export function keptAccount(replaced: Order, command: CreateOrder): string | null {
  const wanted = wantedAccount(command);
  const kept = replaced.lab_account_id;
  if (wanted !== null && wanted.toLowerCase() !== kept) {
    throw new DomainError(
      'bad_request',
      `A recreation keeps the lab account of order ${replaced.id}; only update_reason ${INCORRECT_LAB} takes another`,
    );
  }
  return kept;
}

/** What the row of a recreation says of where it comes from. */
export const rowOfRecreation = (replaced: Order) => ({
  origin: 'recreation' as const,
  parent_id: replaced.id,
  transaction_id: replaced.transaction_id,
});

/** The new order comes; the replaced one ends with it, where its journey still allows that, and else stays as it is. */
export async function replaceBy(work: Work, replaced: Order, placing: Placing): Promise<Order> {
  if (!canCancel(factsOf(replaced))) return insertOrder(work, placing);
  return (await succeed(work, replaced, { move: { to: 'cancelled' }, placing })).next;
}
