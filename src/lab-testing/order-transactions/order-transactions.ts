import { found } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { listTransactionOrders, type Order, transactionStatus } from '../orders/orders.ts';
import { findReport } from '../results/results.ts';
import { viewResult } from '../results/schema.ts';
import { combine, type Part } from './combine.ts';
import type { CombinedView } from './schema.ts';

export { createRedraw, redrawnMarkers, type Missing, type Redrawn } from './redraw.ts';

/** The orders of a transaction, oldest first, or a 404. */
export async function getTransaction(work: Work, id: string): Promise<readonly [Order, ...Order[]]> {
  const [first, ...rest] = await listTransactionOrders(work, id);
  return [found(first, 'Order transaction'), ...rest];
}

/** The newest results of all orders of a transaction as one, or a 404 while there are none. */
export async function combinedResults(work: Work, id: string): Promise<CombinedView> {
  const orders = await getTransaction(work, id);
  const [first, ...rest] = (await Promise.all(orders.map((order) => partOf(work, order)))).flat();
  return combine([found(first, 'Results'), ...rest], {
    isActive: transactionStatus(orders) === 'active',
  });
}

/** What the order brings to the whole; nothing while it has no results. */
async function partOf(work: Work, order: Order): Promise<Part[]> {
  const report = await findReport(work, order.id);
  return report ? [{ orderId: order.id, result: viewResult(order, report) }] : [];
}
