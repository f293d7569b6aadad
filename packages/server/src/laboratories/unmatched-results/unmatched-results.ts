import type { Work } from '../../platform/work.ts';
import { requireFound } from '../../platform/errors.ts';
import { listLabs } from '../../ordering/catalog/catalog.ts';
import {
  countReviews,
  findReview,
  listReviews,
  listOrderSteps,
  type IncomingResult,
} from '../incoming-results/incoming-results.ts';
import { cursorAfter, readCursor } from './cursor.ts';
import {
  COUNTED_MAX,
  viewUnmatched,
  type UnmatchedResult,
  type UnmatchedResultPage,
  type UnmatchedResultQuery,
} from './schema.ts';
import type { z } from 'zod';

const OPEN_STATUSES = ['pending_customer_review', 'pending_ops_review'] as const;

/** Results that wait for a review, oldest first, or those with the given status. */
export async function listUnmatched(
  work: Work,
  query: z.output<typeof UnmatchedResultQuery>,
): Promise<z.input<typeof UnmatchedResultPage>> {
  const { limit, status } = query;
  const filter = {
    statuses: status == null ? OPEN_STATUSES : [status],
    decisionCode: query.decision_code ?? null,
  };
  const [reviews, total] = await Promise.all([
    listReviews(work, { ...filter, limit: limit + 1, after: readCursor(query.next_cursor) }),
    countReviews(work, { ...filter, limit: COUNTED_MAX }),
  ]);
  const page = reviews.slice(0, limit);
  const last = page.at(-1);
  return {
    data: await viewAll(work, page),
    next_cursor: last && reviews.length > limit ? cursorAfter(last) : null,
    total,
  };
}

/** The unmatched result of this tenant, or a 404. */
export const getUnmatched = async (work: Work, id: string): Promise<UnmatchedResult> =>
  viewReview(work, requireFound(await findReview(work, id), 'Unmatched result'));

export async function viewReview(work: Work, review: IncomingResult): Promise<UnmatchedResult> {
  return requireFound((await viewAll(work, [review]))[0], 'Unmatched result');
}

async function viewAll(work: Work, reviews: readonly IncomingResult[]): Promise<UnmatchedResult[]> {
  const ids = reviews.flatMap(({ candidates }) => candidates.map(({ order_id: id }) => id));
  const [labs, steps] = await Promise.all([listLabs(work), listOrderSteps(work, [...new Set(ids)])]);
  return reviews.map((review) => viewUnmatched(review, { labs, steps }));
}
