import type { PatientDetails } from '../../people/schema.ts';
import type { Work } from '../../platform/work.ts';
import type { Order } from './order.ts';
import { openOrders, openPrivate, selectOrders, selectFullOrder } from './read-store.ts';

/** The patient of an order. */
interface PatientOfOrder {
  readonly id: string;
  readonly patient: PatientDetails | null;
}

/** The patients of these orders, in one query. Orders of deleted users are left out. */
export async function listPatients(work: Work, ids: readonly string[]): Promise<PatientOfOrder[]> {
  if (ids.length === 0) return [];
  const rows = await selectOrders(work)
    .select(['o.id', 'o.private'])
    .where('o.id', 'in', [...ids])
    .execute();
  return rows.map((row) => ({ id: row.id, patient: openPrivate(work, row.private).patient }));
}

/** These orders, in one query and in no particular order. Orders of deleted users are left out. */
export async function listOrdersById(work: Work, ids: readonly string[]): Promise<Order[]> {
  if (ids.length === 0) return [];
  const rows = await selectFullOrder(selectOrders(work))
    .where('o.id', 'in', [...ids])
    .execute();
  return openOrders(work, rows);
}
