import { z } from 'zod';
import type { Http } from '../../platform/http/http.ts';
import {
  getCriticalResult,
  listCriticalResults,
  listOfOrder,
  recordNotification,
  recordReadBack,
} from './critical-results.ts';
import {
  CriticalResultList,
  CriticalResultQuery,
  CriticalResultView,
  RecordNotification,
  RecordReadBack,
  viewCriticalResult,
} from './schema.ts';

const One = z.object({ critical_result_id: z.guid() });
const tag = 'Critical results';
const ONE = '/v3/critical_result/:critical_result_id';

export function criticalResultRoutes(http: Http): void {
  http.get('/v3/critical_result', {
    schema: {
      operationId: 'listCriticalResults',
      summary: 'List critical results, the newest first (ours)',
      tag,
      query: CriticalResultQuery,
      response: { 200: CriticalResultList },
    },
    handler: async ({ work, query }) => {
      const { data, next_cursor } = await listCriticalResults(work, query);
      return { data: data.map(viewCriticalResult), next_cursor };
    },
  });
  http.get(ONE, {
    schema: {
      operationId: 'getCriticalResult',
      summary: 'Read a critical result, and who was told of it (ours)',
      tag,
      params: One,
      response: { 200: CriticalResultView },
    },
    handler: async ({ work, params }) =>
      viewCriticalResult(await getCriticalResult(work, params.critical_result_id)),
  });
  http.get('/v3/order/:order_id/critical_results', {
    schema: {
      operationId: 'listCriticalResultsOfOrder',
      summary: 'List the critical results of an order, the oldest first (ours)',
      tag,
      params: z.object({ order_id: z.guid() }),
      response: { 200: CriticalResultList },
    },
    handler: async ({ work, params }) => {
      const data = await listOfOrder(work, params.order_id);
      return { data: data.map(viewCriticalResult), next_cursor: null };
    },
  });
  answerRoutes(http);
}

function answerRoutes(http: Http): void {
  http.post(`${ONE}/notification`, {
    schema: {
      operationId: 'recordCriticalResultNotification',
      summary: 'Record that somebody was told of a critical result (ours)',
      description: 'That somebody was told does not end it: the deadline runs until it is read back.',
      tag,
      params: One,
      body: RecordNotification,
      response: { 200: CriticalResultView },
    },
    handler: async ({ work, params, body }) =>
      viewCriticalResult(await recordNotification(work, params.critical_result_id, body)),
  });
  http.post(`${ONE}/read_back`, {
    schema: {
      operationId: 'recordCriticalResultReadBack',
      summary: 'Record whether a critical result was read back (ours)',
      description:
        'Read back rightly, it is acknowledged and its deadline ends, before or after the escalation. ' +
        '409 where nobody was told yet, or where that notification has its read-back already.',
      tag,
      params: One,
      body: RecordReadBack,
      response: { 200: CriticalResultView },
    },
    handler: async ({ work, params, body }) =>
      viewCriticalResult(await recordReadBack(work, params.critical_result_id, body)),
  });
}
