import type { ParcelStatus } from '../../adapters/courier/port.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import { advanceOrder, amendOrder, factsOf, findOrder, type Order } from '../orders/orders.ts';
import { Shipment } from './schema.ts';
import { isIgnoredStatus, stepsForParcelStatus, type ShipmentLeg } from './status.ts';
import * as store from './store.ts';
import type { TrackingUpdateOutcome } from './table.ts';

/**
 * Applies the pending tracking updates of a parcel to its order, oldest first. Updates that are outdated, that do not
 * affect the order, or that its current step does not allow, are marked as processed and change nothing. The last one
 * that was not allowed is retried when the order moves.
 */
export async function applyTrackingUpdates(work: Work, key: store.ParcelKey): Promise<void> {
  const parcel = await store.lockParcel(work, key);
  let order = await findOrder(work, key.orderId);
  if (!parcel || !order) return;
  let { status, heard_at: heardAt, is_waiting: isWaiting } = parcel;
  if (isWaiting && status !== null) {
    const taken = await applyStatus(work, order, { leg: key.leg, status, said: null });
    order = taken.order;
    isWaiting = taken.outcome === 'not_allowed';
  }
  for (const news of await store.listPendingUpdates(work, key)) {
    const unheeded = outcomeIfIgnored(news, heardAt);
    if (unheeded) {
      await store.setUpdateOutcome(work, news, unheeded);
      continue;
    }
    const taken = await applyStatus(work, order, { leg: key.leg, status: news.status, said: news.said });
    await store.setUpdateOutcome(work, news, taken.outcome);
    order = taken.order;
    ({ status, at: heardAt } = news);
    isWaiting = taken.outcome === 'not_allowed';
  }
  await store.updateParcel(work, key, { status, heard_at: heardAt, is_waiting: isWaiting });
  if (key.leg === 'inbound' && isWaiting) await reportUnregisteredKit(work, order, status);
}

/**
 * Tells the team, in the order's `notes`, to register a kit that is being returned: it has no requisition until then.
 */
async function reportUnregisteredKit(work: Work, order: Order, status: ParcelStatus | null): Promise<void> {
  if (order.step !== 'with_customer' || !order.registrable || order.registered_at !== null) return;
  const where = status === 'delivered' ? 'at the laboratory' : 'on its way back to the laboratory';
  const reason = `The kit is ${where}, but it is not registered`;
  if (order.waiting_reason !== reason) await amendOrder(work, order, { waiting_reason: reason });
}

/** The outcome of an update that does not change the parcel; undefined for all others. */
function outcomeIfIgnored(
  news: store.TrackingUpdateRow,
  heardAt: Date | null,
): TrackingUpdateOutcome | undefined {
  if (heardAt !== null && news.at < heardAt) return 'outdated';
  return isIgnoredStatus(news) ? 'nothing_new' : undefined;
}

interface ParcelStatusReport {
  readonly leg: ShipmentLeg;
  readonly status: store.TrackingUpdateRow['status'];
  /** The courier's message; null if it is already in the shipment's notes. */
  readonly said: string | null;
}

/** A kit that is being returned was delivered, even if the order cannot move further yet. */
const OUTBOUND_DELIVERED: ParcelStatusReport = { leg: 'outbound', status: 'delivered', said: null };

async function applyStatus(
  work: Work,
  order: Order,
  news: ParcelStatusReport,
): Promise<{ order: Order; outcome: TrackingUpdateOutcome }> {
  const path = stepsForParcelStatus(factsOf(order), news);
  if (!path) {
    const arrived =
      news.leg === 'inbound' ? (await applyStatus(work, order, OUTBOUND_DELIVERED)).order : order;
    return { order: arrived, outcome: 'not_allowed' };
  }
  let moved = order;
  for (const [index, to] of path.entries()) {
    const isLast = index === path.length - 1;
    moved = await advanceOrder(work, moved, { to, changes: isLast ? shipmentChange(work, moved, news) : {} });
  }
  return { order: moved, outcome: path.length > 0 ? 'taken' : 'nothing_new' };
}

const PROBLEM_STATUSES = new Set(['problem', 'undeliverable', 'lost']);

/** While a parcel has a problem, the order's shipment shows the courier's message. */
function shipmentChange(
  work: Work,
  order: Order,
  { leg, status, said }: ParcelStatusReport,
): { shipment?: string } {
  const known = Shipment.nullable().parse(order.shipment);
  if (!known) return {};
  const notes = PROBLEM_STATUSES.has(status) ? `${leg}: ${said ?? status}` : null;
  if (notes === known.notes) return {};
  return { shipment: JSON.stringify({ ...known, notes, updated_at: isoTimestamp(work.now) }) };
}
