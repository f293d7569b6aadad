import { topLevel, type TopLevelStatus } from '../ordering/orders/status.ts';
import { addDays, localDay, openLocalDay } from '../platform/time-zone.ts';
import type { Work } from '../platform/work.ts';
import * as store from './trend-store.ts';

export const DAYS_MAX = 90;

/** What happened on one day. */
interface TrendDay {
  readonly day: string;
  orders_created: number;
  readonly orders_by_status: Record<TopLevelStatus, number>;
  results: number;
  deliveries_succeeded: number;
  deliveries_failed: number;
  connections_created: number;
  samples: number;
}

/** The days up to `until`, by default today, oldest first. The cost depends on what happened in these days only, and not on the number of samples. */
export async function readTrends(
  work: Work,
  { days, zone, until }: { days: number; zone: string; until?: string | undefined },
): Promise<TrendDay[]> {
  const last = until ?? localDay(zone, work.now);
  const names = Array.from({ length: days + 1 }, (_, index) => addDays(last, index - days + 1));
  const bounds = names.map((day) => openLocalDay(zone, day).atOrAfterGap(0));
  const rows = names.slice(0, days).map(emptyDay);
  const [orders, results, deliveries, connections, samples] = await Promise.all([
    store.countOrdersByDay(work, bounds),
    store.countResultsByDay(work, bounds),
    store.countDeliveriesByDay(work, bounds),
    store.countConnectionsByDay(work, bounds),
    store.countSamplesByDay(work, bounds),
  ]);
  const add = (day: number, change: (row: TrendDay) => void): void => {
    const row = rows[day];
    if (row) change(row);
  };
  for (const { day, modality, step, count } of orders)
    add(day, (row) => {
      row.orders_created += count;
      row.orders_by_status[topLevel(modality, step)] += count;
    });
  for (const { day, count } of results) add(day, (row) => (row.results = count));
  for (const { day, count } of connections) add(day, (row) => (row.connections_created = count));
  for (const { day, count } of samples) add(day, (row) => (row.samples = count));
  for (const { day, succeeded, failed } of deliveries)
    add(day, (row) => Object.assign(row, { deliveries_succeeded: succeeded, deliveries_failed: failed }));
  return rows;
}

const emptyDay = (day: string): TrendDay => ({
  day,
  orders_created: 0,
  orders_by_status: {
    received: 0,
    collecting_sample: 0,
    sample_with_lab: 0,
    completed: 0,
    cancelled: 0,
    failed: 0,
  },
  results: 0,
  deliveries_succeeded: 0,
  deliveries_failed: 0,
  connections_created: 0,
  samples: 0,
});
