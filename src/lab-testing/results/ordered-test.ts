import type { z } from 'zod';
import { OrderedTest, type Order } from '../orders/orders.ts';

export type Ordered = z.output<typeof OrderedTest>;
const parsed = new WeakMap<object, Ordered>();

/** What was ordered. Orders of the same lab test share its snapshot, which is never changed, so it is parsed once. */
export function orderedTestOf({ lab_test: snapshot }: Pick<Order, 'lab_test'>): Ordered {
  if (typeof snapshot !== 'object' || snapshot === null) return OrderedTest.parse(snapshot);
  const known = parsed.get(snapshot) ?? OrderedTest.parse(snapshot);
  parsed.set(snapshot, known);
  return known;
}
