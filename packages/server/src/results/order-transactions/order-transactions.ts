import { requireFound } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { listTransactionOrders, type Order, transactionStatus } from '../../ordering/orders/orders.ts';
import { findReport } from '../results/results.ts';
import { viewResult } from '../results/schema.ts';
import { combineResults, type TransactionPart } from './combine.ts';
import type { CombinedView } from './schema.ts';

export { createRedraw, markersToRedraw } from './redraw.ts';

/** The orders of a transaction, oldest first, or a 404. */
export async function getTransaction(work: Work, id: string): Promise<readonly [Order, ...Order[]]> {
  const [first, ...rest] = await listTransactionOrders(work, id);
  return [requireFound(first, 'Order transaction'), ...rest];
}

/** The combined results of all orders of a transaction, or a 404 while there are none. */
export async function getCombinedResults(work: Work, id: string): Promise<CombinedView> {
  const orders = await getTransaction(work, id);
  const [first, ...rest] = (await Promise.all(orders.map((order) => resultsOfOrder(work, order)))).flat();
  return combineResults([requireFound(first, 'Results'), ...rest], {
    isActive: transactionStatus(orders) === 'active',
  });
}

/** The results of one order; an empty array while there are none. */
async function resultsOfOrder(work: Work, order: Order): Promise<TransactionPart[]> {
  const report = await findReport(work, order.id);
  return report ? [{ orderId: order.id, result: viewResult(order, report) }] : [];
}
