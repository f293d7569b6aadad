import type { ParcelStatus } from '../../adapters/courier/port.ts';
import { isoMoment } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import { advance, amend, factsOf, findOrder, type Order } from '../orders/orders.ts';
import { Shipment } from './schema.ts';
import { meansNothing, stepsTo, type Leg } from './status.ts';
import * as store from './store.ts';
import type { Outcome } from './table.ts';

/**
 * Gives an order what was heard of its parcel since the last time, in the order in which it happened. News that are
 * older than what is known, or that say nothing, or that the journey does not allow, are kept as seen and change
 * nothing; what the journey does not allow yet is tried again when the order moves.
 */
export async function takeNews(work: Work, key: store.ParcelKey): Promise<void> {
  const parcel = await store.lockParcel(work, key);
  let order = await findOrder(work, key.orderId);
  if (!parcel || !order) return;
  let { status, heard_at: heardAt, is_waiting: isWaiting } = parcel;
  if (isWaiting && status !== null) {
    const taken = await take(work, order, { leg: key.leg, status, said: null });
    order = taken.order;
    isWaiting = taken.outcome === 'not_allowed';
  }
  for (const news of await store.listUnseenNews(work, key)) {
    const unheeded = outcomeUnheeded(news, heardAt);
    if (unheeded) {
      await store.markNews(work, news, unheeded);
      continue;
    }
    const taken = await take(work, order, { leg: key.leg, status: news.status, said: news.said });
    await store.markNews(work, news, taken.outcome);
    order = taken.order;
    ({ status, at: heardAt } = news);
    isWaiting = taken.outcome === 'not_allowed';
  }
  await store.changeParcel(work, key, { status, heard_at: heardAt, is_waiting: isWaiting });
  if (key.leg === 'inbound' && isWaiting) await sayUnregistered(work, order, status);
}

/** The laboratory cannot be asked for anything before it is known whose sample it is, and only the team can find that out. */
async function sayUnregistered(work: Work, order: Order, status: ParcelStatus | null): Promise<void> {
  if (order.step !== 'with_customer' || !order.registrable || order.registered_at !== null) return;
  const where = status === 'delivered' ? 'at the laboratory' : 'on its way back to the laboratory';
  const reason = `The kit is ${where}, and nobody has registered it`;
  if (order.waiting_reason !== reason) await amend(work, order, { waiting_reason: reason });
}

/** What becomes of news that change nothing about what is known of their parcel; undefined for all others. */
function outcomeUnheeded(news: store.KeptNews, heardAt: Date | null): Outcome | undefined {
  if (heardAt !== null && news.at < heardAt) return 'outdated';
  return meansNothing(news) ? 'nothing_new' : undefined;
}

interface Said {
  readonly leg: Leg;
  readonly status: store.KeptNews['status'];
  /** The courier's words; null when they were noted before. */
  readonly said: string | null;
}

/** What a kit on its way back proves, even where it waits for its registration or its requisition. */
const ARRIVED: Said = { leg: 'outbound', status: 'delivered', said: null };

async function take(work: Work, order: Order, news: Said): Promise<{ order: Order; outcome: Outcome }> {
  const path = stepsTo(factsOf(order), news);
  if (!path) {
    const arrived = news.leg === 'inbound' ? (await take(work, order, ARRIVED)).order : order;
    return { order: arrived, outcome: 'not_allowed' };
  }
  let moved = order;
  for (const [index, to] of path.entries()) {
    const isLast = index === path.length - 1;
    moved = await advance(work, moved, { to, changes: isLast ? noteOf(work, moved, news) : {} });
  }
  return { order: moved, outcome: path.length > 0 ? 'taken' : 'nothing_new' };
}

const TROUBLES = new Set(['problem', 'undeliverable', 'lost']);

/** The order's shipment carries a note while there is trouble with it, in the courier's words. */
function noteOf(work: Work, order: Order, { leg, status, said }: Said): { shipment?: string } {
  const known = Shipment.nullable().parse(order.shipment);
  if (!known) return {};
  const notes = TROUBLES.has(status) ? `${leg}: ${said ?? status}` : null;
  if (notes === known.notes) return {};
  return { shipment: JSON.stringify({ ...known, notes, updated_at: isoMoment(work.now) }) };
}
