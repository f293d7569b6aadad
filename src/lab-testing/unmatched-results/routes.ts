import { z } from 'zod';
import type { Http } from '../../platform/http/http.ts';
import { viewOrder } from '../orders/orders.ts';
import { OrderView } from '../orders/schema.ts';
import { acceptUnmatched, resolveUnmatched } from './decide-review.ts';
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
const feature = 'unmatched_results';

export function unmatchedResultRoutes(http: Http): void {
  readingRoutes(http);
  http.post('/v3/unmatched_result/:raw_result_id/accept', {
    schema: {
      operationId: 'acceptUnmatchedResult',
      summary: 'Say which order an unmatched result belongs to',
      tag,
      description:
        'Attaches the result. `suggested_outcome` takes the one candidate, or of several the one that `order_id` or ' +
        '`user_id` names. `not_one_of_suggested_outcomes` takes the order of `order_id`, or makes one for the user of ' +
        '`user_id`, as an import does. An order whose journey is over stays where it is and has its results all the ' +
        'same. 400 for a kit that is not registered; 409 when somebody has decided already.',
      params: ResultId,
      body: AcceptUnmatchedResult,
      response: { 200: OrderView },
    },
    feature,
    handler: async ({ work, params, body, principal }) =>
      viewOrder(await acceptUnmatched(work, { id: params.raw_result_id, keyId: principal.keyId }, body)),
  });
  http.post('/v3/unmatched_result/:raw_result_id/resolve', {
    schema: {
      operationId: 'resolveUnmatchedResult',
      summary: 'Reject an unmatched result, or escalate it',
      tag,
      description:
        '`reject`: it is nobody’s; it is kept and never attached. `unsure`: it goes on to whoever runs the connection ' +
        'to the laboratory, as `pending_ops_review`, and can still be accepted or rejected. 409 when somebody has ' +
        'decided already.',
      params: ResultId,
      body: ResolveUnmatchedResult,
      response: { 200: UnmatchedResult },
    },
    feature,
    handler: ({ work, params, body, principal }) =>
      resolveUnmatched(work, { id: params.raw_result_id, keyId: principal.keyId }, body),
  });
}

function readingRoutes(http: Http): void {
  http.get('/v3/unmatched_result', {
    schema: {
      operationId: 'listUnmatchedResults',
      summary: 'List the results that fit no order safely',
      tag,
      description: 'Those that wait for somebody, the longest waiting first; others by `status`.',
      query: UnmatchedResultQuery,
      response: { 200: UnmatchedResultPage },
    },
    feature,
    handler: ({ work, query }) => listUnmatched(work, query),
  });
  http.get('/v3/unmatched_result/:raw_result_id', {
    schema: {
      operationId: 'getUnmatchedResult',
      summary: 'Read an unmatched result',
      tag,
      params: ResultId,
      response: { 200: UnmatchedResult.meta({ id: 'GetUnmatchedResultResponse' }) },
    },
    feature,
    handler: ({ work, params }) => getUnmatched(work, params.raw_result_id),
  });
}
