import { isFinalStep, topLevel, type OrderModality, type OrderStep } from './status.ts';

type TransactionStatus = 'active' | 'completed' | 'cancelled';

/**
 * The status of a transaction: active while any order is in progress, cancelled if all were cancelled, else completed,
 * including when lab work failed. An order at `redraw_available` is over; its redraw is in progress instead.
 */
export function transactionStatus(
  orders: readonly { readonly modality: OrderModality; readonly step: OrderStep }[],
): TransactionStatus {
  if (orders.some(({ modality, step }) => !isFinalStep(modality, step))) return 'active';
  const allCancelled = orders.every(({ modality, step }) => topLevel(modality, step) === 'cancelled');
  return allCancelled ? 'cancelled' : 'completed';
}
