import { z } from 'zod';
import type { Http } from '../../platform/http/http.ts';
import { viewOrder } from '../../ordering/orders/orders.ts';
import { OrderView } from '../../ordering/orders/schema.ts';
import { acceptUnmatched, resolveUnmatched } from './decide-review.ts';
import { requireReviewAccess } from './require-review-access.ts';
import {
  AcceptUnmatchedResult,
  ResolveUnmatchedResult,
  UnmatchedResult,
  UnmatchedResultPage,
  UnmatchedResultQuery,
} from './schema.ts';
import { getUnmatched, listUnmatched } from './unmatched-results.ts';

const ResultId = z.object({ raw_result_id: z.guid() });
const tag = 'Unmatched results';

export function unmatchedResultRoutes(http: Http): void {
  readingRoutes(http);
  http.post('/v3/unmatched_result/:raw_result_id/accept', {
    schema: {
      operationId: 'acceptUnmatchedResult',
      summary: 'Accept an unmatched result',
      tag,
      description:
        'Attaches the result to an order. `suggested_outcome` takes the only candidate or, of several, the one that ' +
        '`order_id` or `user_id` selects. `not_one_of_suggested_outcomes` takes the order with `order_id`, or ' +
        'creates an order for the user with `user_id`, like an import. An order in a terminal state keeps its state ' +
        'and gets the results. 400 for a kit that is not registered; 409 when the result is already decided.',
      params: ResultId,
      body: AcceptUnmatchedResult,
      response: { 200: OrderView },
    },
    handler: async ({ work, params, body, principal }) => {
      await requireReviewAccess(work, principal);
      return viewOrder(
        await acceptUnmatched(work, { id: params.raw_result_id, keyId: principal.keyId }, body),
      );
    },
  });
  http.post('/v3/unmatched_result/:raw_result_id/resolve', {
    schema: {
      operationId: 'resolveUnmatchedResult',
      summary: 'Reject or escalate an unmatched result',
      tag,
      description:
        '`reject`: the result is kept and never attached. `unsure`: the result is escalated to the operator of the ' +
        'laboratory connection (`pending_ops_review`) and can still be accepted or rejected. 409 when the result is ' +
        'already decided.',
      params: ResultId,
      body: ResolveUnmatchedResult,
      response: { 200: UnmatchedResult },
    },
    handler: async ({ work, params, body, principal }) => {
      await requireReviewAccess(work, principal);
      return resolveUnmatched(work, { id: params.raw_result_id, keyId: principal.keyId }, body);
    },
  });
}

function readingRoutes(http: Http): void {
  http.get('/v3/unmatched_result', {
    schema: {
      operationId: 'listUnmatchedResults',
      summary: 'List unmatched results',
      tag,
      description: 'Results that wait for a review, oldest first; others by `status`.',
      query: UnmatchedResultQuery,
      response: { 200: UnmatchedResultPage },
    },
    handler: async ({ work, query, principal }) => {
      await requireReviewAccess(work, principal);
      return listUnmatched(work, query);
    },
  });
  http.get('/v3/unmatched_result/:raw_result_id', {
    schema: {
      operationId: 'getUnmatchedResult',
      summary: 'Read an unmatched result',
      tag,
      params: ResultId,
      response: { 200: UnmatchedResult.meta({ id: 'GetUnmatchedResultResponse' }) },
    },
    handler: async ({ work, params, principal }) => {
      await requireReviewAccess(work, principal);
      return getUnmatched(work, params.raw_result_id);
    },
  });
}
