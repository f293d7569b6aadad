import type { PatientDetails } from '../../people/schema.ts';
import type { Work } from '../../platform/work.ts';
import type { Order } from './order.ts';
import { openOrders, openPrivate, readOrders, wholeOrder } from './read-store.ts';

/** Whom an order is for. */
export interface OrderedFor {
  readonly id: string;
  readonly patient: PatientDetails | null;
}

/** The patients of these orders and no more of the orders, in one query; those of deleted users are not among them. */
export async function listPatients(work: Work, ids: readonly string[]): Promise<OrderedFor[]> {
  if (ids.length === 0) return [];
  const rows = await readOrders(work)
    .select(['o.id', 'o.private'])
    .where('o.id', 'in', [...ids])
    .execute();
  return rows.map((row) => ({ id: row.id, patient: openPrivate(work, row.private).patient }));
}

/** These orders, in one query and in no order; those of deleted users are not among them. */
export async function listOrdersById(work: Work, ids: readonly string[]): Promise<Order[]> {
  if (ids.length === 0) return [];
  const rows = await wholeOrder(readOrders(work))
    .where('o.id', 'in', [...ids])
    .execute();
  return openOrders(work, rows);
}
