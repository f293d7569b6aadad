import type { Work } from '../../platform/work.ts';
import type { Order } from '../../ordering/orders/orders.ts';
import { findReport } from '../results/results.ts';
import { readCriticalReport, toValueKey } from './open-critical-results.ts';
import * as store from './store.ts';

/**
 * Whether the newest results of an order have a critical value that no person has read back, or an earlier value is
 * still waiting for it. A value without a record counts as not read back: records are opened a moment after the report.
 * As when they are opened, a value that a report repeats from the one before it has the record of that report.
 */
export async function hasUnconfirmedCriticalValues(work: Work, order: Order): Promise<boolean> {
  const records = await store.listOfOrder(work, order.id);
  if (records.some(({ status }) => status !== 'acknowledged')) return true;
  const newest = await findReport(work, order.id);
  if (!newest) return false;
  let open = [...(await readCriticalKeys(work, order, newest.version))];
  for (let { version } = newest; open.length > 0; version -= 1) {
    const record = records.find((one) => one.version === version);
    const confirmed = new Set(record?.private.values.map(toValueKey));
    open = open.filter((key) => !confirmed.has(key));
    const before = version > 1 ? await readCriticalKeys(work, order, version - 1) : new Set<string>();
    if (open.some((key) => !before.has(key))) return true;
  }
  return false;
}

const readCriticalKeys = async (work: Work, order: Order, version: number): Promise<Set<string>> =>
  new Set((await readCriticalReport(work, order, version))?.values.map(toValueKey));
