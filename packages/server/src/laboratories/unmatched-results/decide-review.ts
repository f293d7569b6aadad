import { DomainError, requireFound } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import {
  attachReport,
  findReview,
  findHindrance,
  readReportHistory,
  listOrderSteps,
  recordReviewDecision,
  type IncomingResult,
} from '../incoming-results/incoming-results.ts';
import { findOrder, lockOrder, type Order } from '../../ordering/orders/orders.ts';
import { buildRequisition } from '../../results/results/results.ts';
import { createOrderForResult } from './create-order-for-result.ts';
import type { AcceptUnmatchedResult, ResolveUnmatchedResult, UnmatchedResult } from './schema.ts';
import { viewReview } from './unmatched-results.ts';

/** The result to decide on, and the API key that decides. */
interface ReviewDecisionInput {
  readonly id: string;
  readonly keyId: string;
}

const badRequest = (detail: string) => new DomainError('bad_request', detail);

/**
 * Attaches the result to the order that the reviewer chose, suggested or not, and advances the order. An order in a
 * terminal state keeps its state and gets the results. 409 when the result is already decided, so of two concurrent
 * calls one wins.
 */
export async function acceptUnmatched(
  work: Work,
  { id, keyId }: ReviewDecisionInput,
  accepting: AcceptUnmatchedResult,
): Promise<Order> {
  const review = await lockOpenReview(work, id);
  const order = await findChosenOrder(work, review, accepting);
  const { report } = review;
  if (findHindrance(order, { lab: order.lab_slug }) === 'not_registered') {
    throw badRequest(
      `Kit ${order.sample_id ?? ''} is not registered: register it before you accept its result`,
    );
  }
  const [requisition, history] = await Promise.all([
    buildRequisition(work, order),
    readReportHistory(work, order.id),
  ]);
  const attached = requireFound(
    await attachReport(work, order, { report, requisition, history, byPerson: true }),
    'Order',
  );
  await recordReviewDecision(work, id, {
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

/** Rejects the result, which is kept but never attached, or escalates it to the operator of the connection. */
export async function resolveUnmatched(
  work: Work,
  { id, keyId }: ReviewDecisionInput,
  { action, note }: ResolveUnmatchedResult,
): Promise<UnmatchedResult> {
  const review = await lockOpenReview(work, id);
  if (action === 'unsure' && review.status === 'pending_ops_review') {
    throw new DomainError('conflict', 'The result is already escalated: accept or reject it');
  }
  await recordReviewDecision(work, id, {
    status: action === 'reject' ? 'resolved' : 'pending_ops_review',
    action,
    reviewed_at: work.now,
    reviewed_by: keyId,
    note: note ?? null,
  });
  return viewReview(work, requireFound(await findReview(work, id), 'Unmatched result'));
}

async function lockOpenReview(work: Work, id: string): Promise<IncomingResult> {
  const review = requireFound(await findReview(work, id, { lock: true }), 'Unmatched result');
  if (review.status === 'matched' || review.status === 'resolved') {
    throw new DomainError('conflict', `The result is already decided: its status is ${review.status}`);
  }
  return review;
}

async function findChosenOrder(
  work: Work,
  review: IncomingResult,
  accepting: AcceptUnmatchedResult,
): Promise<Order> {
  const { user_id: userId, order_id: orderId } = accepting;
  if (accepting.acceptance_type === 'suggested_outcome') {
    return requireFound(await lockOrder(work, await findSuggestedOrderId(work, review, accepting)), 'Order');
  }
  if (orderId == null && userId == null) {
    throw badRequest('not_one_of_suggested_outcomes requires an order_id, or the user_id of the patient');
  }
  if (orderId == null) return createOrderForResult(work, review, (userId ?? '').toLowerCase());
  const order = requireFound(await lockOrder(work, orderId), 'Order');
  if (userId != null && order.user_id !== userId.toLowerCase()) {
    throw badRequest(`Order ${order.id} does not belong to user ${userId}`);
  }
  return order;
}

/** The only suggestion that matches the given order_id and user_id; 400 for none or several. */
async function findSuggestedOrderId(
  work: Work,
  { candidates }: IncomingResult,
  { user_id: userId, order_id: orderId }: AcceptUnmatchedResult,
): Promise<string> {
  const there = await listOrderSteps(
    work,
    candidates.map(({ order_id: id }) => id),
  );
  const meant = candidates
    .filter((one) => there.has(one.order_id))
    .filter((one) => userId == null || one.user_id === userId.toLowerCase())
    .filter((one) => orderId == null || one.order_id === orderId.toLowerCase());
  const [first, second] = meant;
  if (first && !second) return first.order_id;
  if (first) throw badRequest('Several orders are suggested: choose one with order_id');
  const named = orderId == null ? undefined : requireFound(await findOrder(work, orderId), 'Order');
  throw badRequest(
    named
      ? `Order ${named.id} is not suggested: accept it as not_one_of_suggested_outcomes`
      : 'No suggested order matches: accept it as not_one_of_suggested_outcomes with an order_id or a user_id',
  );
}
