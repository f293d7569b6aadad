import { HOUR, later } from '../platform/clock.ts';
import type { Order } from '../ordering/orders/orders.ts';
import { resolveReportTimes } from '../results/results/schema.ts';
import type { StoredReport } from '../results/results/results.ts';

/** Hours before the report of a visit that the order has no event of. */
const COLLECTED = 26;
const RECEIVED = 20;

interface SimulatedSpecimenTimes {
  readonly collectedAt: Date;
  readonly receivedAt: Date;
}

/**
 * When a simulated specimen was collected and received: as in the earlier report, else as the events of the order say,
 * else the day before the report, but not before the order.
 */
export function resolveSpecimenTimes(
  order: Order,
  { known, now }: { known: StoredReport | undefined; now: Date },
): SimulatedSpecimenTimes {
  const recorded = resolveReportTimes(order, known ?? { reportedAt: now });
  const before = (hours: number) => latest(order.created_at, later(now, -hours * HOUR));
  const collectedAt = recorded.collected ?? before(COLLECTED);
  return { collectedAt, receivedAt: recorded.received ?? latest(collectedAt, before(RECEIVED)) };
}

const latest = (...times: readonly Date[]): Date => new Date(Math.max(...times.map((at) => at.getTime())));
