import { DomainError, found } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import {
  attachReport,
  findReview,
  hindranceOf,
  historyOf,
  listSteps,
  markDecided,
  type Incoming,
} from '../incoming-results/incoming-results.ts';
import { findOrder, lockOrder, type Order } from '../orders/orders.ts';
import { requisitionOf } from '../results/results.ts';
import { orderFor } from './order-for-result.ts';
import type { AcceptUnmatchedResult, ResolveUnmatchedResult, UnmatchedResult } from './schema.ts';
import { viewReview } from './unmatched-results.ts';

/** Who decides: the key that was used. */
interface Decider {
  readonly id: string;
  readonly keyId: string;
}

const refused = (detail: string) => new DomainError('bad_request', detail);

/**
 * Attaches the result to an order, as the reviewer says: to the suggested one, or to another. The order goes to where
 * the result takes it; one whose journey is over stays where it is, and has its results all the same. 409 when it is
 * decided already, so that of two who accept at once one wins.
 */
export async function acceptUnmatched(
  work: Work,
  { id, keyId }: Decider,
  accepting: AcceptUnmatchedResult,
): Promise<Order> {
  const review = await openReview(work, id);
  const order = await chosenOrder(work, review, accepting);
  const { report } = review;
  if (hindranceOf(order, { lab: order.lab_slug }) === 'not_registered') {
    throw refused(`Kit ${order.sample_id ?? ''} is not registered: no result is taken for it before`);
  }
  const [requisition, history] = await Promise.all([requisitionOf(work, order), historyOf(work, order.id)]);
  const attached = found(
    await attachReport(work, order, { report, requisition, history, byPerson: true }),
    'Order',
  );
  await markDecided(work, id, {
    status: 'matched',
    order_id: attached.order.id,
    version: attached.version,
    action: accepting.acceptance_type,
    reviewed_at: work.now,
    reviewed_by: keyId,
    note: accepting.note ?? null,
  });
  return attached.order;
}

/** Rejects the result, which is kept and never attached, or hands it on to whoever runs the connection to the laboratory. */
export async function resolveUnmatched(
  work: Work,
  { id, keyId }: Decider,
  { action, note }: ResolveUnmatchedResult,
): Promise<UnmatchedResult> {
  const review = await openReview(work, id);
  if (action === 'unsure' && review.status === 'pending_ops_review') {
    throw new DomainError('conflict', 'The result was escalated already');
  }
  await markDecided(work, id, {
    status: action === 'reject' ? 'resolved' : 'pending_ops_review',
    action,
    reviewed_at: work.now,
    reviewed_by: keyId,
    note: note ?? null,
  });
  return viewReview(work, found(await findReview(work, id), 'Unmatched result'));
}

async function openReview(work: Work, id: string): Promise<Incoming> {
  const review = found(await findReview(work, id, { lock: true }), 'Unmatched result');
  if (review.status === 'matched' || review.status === 'resolved') {
    throw new DomainError('conflict', `The result was decided already: it is ${review.status}`);
  }
  return review;
}

async function chosenOrder(work: Work, review: Incoming, accepting: AcceptUnmatchedResult): Promise<Order> {
  const { user_id: userId, order_id: orderId } = accepting;
  if (accepting.acceptance_type === 'suggested_outcome') {
    return found(await lockOrder(work, await suggestedId(work, review, accepting)), 'Order');
  }
  if (orderId == null && userId == null) {
    throw refused('not_one_of_suggested_outcomes needs the order_id, or the user_id of whose result it is');
  }
  if (orderId == null) return orderFor(work, review, (userId ?? '').toLowerCase());
  const order = found(await lockOrder(work, orderId), 'Order');
  if (userId != null && order.user_id !== userId.toLowerCase()) {
    throw refused(`Order ${order.id} is not of user ${userId}`);
  }
  return order;
}

/** The one suggestion that is left when those that the caller does not mean are put aside; a 400 for none or several. */
async function suggestedId(
  work: Work,
  { candidates }: Incoming,
  { user_id: userId, order_id: orderId }: AcceptUnmatchedResult,
): Promise<string> {
  const there = await listSteps(
    work,
    candidates.map(({ order_id: id }) => id),
  );
  const meant = candidates
    .filter((one) => there.has(one.order_id))
    .filter((one) => userId == null || one.user_id === userId.toLowerCase())
    .filter((one) => orderId == null || one.order_id === orderId.toLowerCase());
  const [first, second] = meant;
  if (first && !second) return first.order_id;
  if (first) throw refused('Several orders are suggested: name one of them by order_id');
  const named = orderId == null ? undefined : found(await findOrder(work, orderId), 'Order');
  throw refused(
    named
      ? `Order ${named.id} is not suggested: accept it as not_one_of_suggested_outcomes`
      : 'No such order is suggested: accept it as not_one_of_suggested_outcomes with an order_id or a user_id',
  );
}
