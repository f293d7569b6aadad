import type { z } from 'zod';
import { OrderedTest, type Order } from '../../ordering/orders/orders.ts';

export type OrderedTestSnapshot = z.output<typeof OrderedTest>;
const parsedSnapshots = new WeakMap<object, OrderedTestSnapshot>();

/** The ordered test. Orders of one lab test share an immutable snapshot, so it is parsed only once. */
export function orderedTestOf({ lab_test: snapshot }: Pick<Order, 'lab_test'>): OrderedTestSnapshot {
  if (typeof snapshot !== 'object' || snapshot === null) return OrderedTest.parse(snapshot);
  const known = parsedSnapshots.get(snapshot) ?? OrderedTest.parse(snapshot);
  parsedSnapshots.set(snapshot, known);
  return known;
}
