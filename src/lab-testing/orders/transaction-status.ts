import { isOver, topLevel, type Modality, type Step } from './status.ts';

export type TransactionStatus = 'active' | 'completed' | 'cancelled';

/**
 * What may be said of orders that belong together: active while one is under way, cancelled when all were cancelled,
 * else completed: all lab work that was expected is over, also where it failed. An order that waits for nothing but
 * its redraw is over; the redraw is under way in its place.
 */
export function transactionStatus(
  orders: readonly { readonly modality: Modality; readonly step: Step }[],
): TransactionStatus {
  if (orders.some(({ modality, step }) => !isOver(modality, step))) return 'active';
  const allCancelled = orders.every(({ modality, step }) => topLevel(modality, step) === 'cancelled');
  return allCancelled ? 'cancelled' : 'completed';
}
