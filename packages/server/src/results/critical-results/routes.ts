import { z } from 'zod';
import type { Http } from '../../platform/http/http.ts';
import {
  getCriticalResult,
  listCriticalResults,
  listCriticalResultsOfOrder,
  recordNotification,
  recordReadBack,
} from './critical-results.ts';
import {
  CriticalResultList,
  CriticalResultQuery,
  CriticalResultView,
  RecordNotificationBody,
  RecordReadBackBody,
  viewCriticalResult,
} from './schema.ts';

const CriticalResultParams = z.object({ critical_result_id: z.guid() });
const tag = 'Critical results';
const CRITICAL_RESULT_PATH = '/v3/critical_result/:critical_result_id';

export function criticalResultRoutes(http: Http): void {
  http.get('/v3/critical_result', {
    schema: {
      operationId: 'listCriticalResults',
      summary: 'List critical results',
      description: 'Extension. Newest first.',
      tag,
      query: CriticalResultQuery,
      response: { 200: CriticalResultList },
    },
    handler: async ({ work, query }) => {
      const { data, next_cursor } = await listCriticalResults(work, query);
      return { data: data.map(viewCriticalResult), next_cursor };
    },
  });
  http.get(CRITICAL_RESULT_PATH, {
    schema: {
      operationId: 'getCriticalResult',
      summary: 'Read a critical result',
      description: 'Extension. Includes its e-mails, notifications and read-backs.',
      tag,
      params: CriticalResultParams,
      response: { 200: CriticalResultView },
    },
    handler: async ({ work, params }) =>
      viewCriticalResult(await getCriticalResult(work, params.critical_result_id)),
  });
  http.get('/v3/order/:order_id/critical_results', {
    schema: {
      operationId: 'listCriticalResultsOfOrder',
      summary: 'List the critical results of an order',
      description: 'Extension. Oldest first, in one page.',
      tag,
      params: z.object({ order_id: z.guid() }),
      response: { 200: CriticalResultList },
    },
    handler: async ({ work, params }) => {
      const data = await listCriticalResultsOfOrder(work, params.order_id);
      return { data: data.map(viewCriticalResult), next_cursor: null };
    },
  });
  notificationRoutes(http);
}

function notificationRoutes(http: Http): void {
  http.post(`${CRITICAL_RESULT_PATH}/notification`, {
    schema: {
      operationId: 'recordCriticalResultNotification',
      summary: 'Record a critical result notification',
      description:
        'Extension. Records that a person was notified. The escalation deadline runs until the result is read back.',
      tag,
      params: CriticalResultParams,
      body: RecordNotificationBody,
      response: { 200: CriticalResultView },
    },
    handler: async ({ work, params, body }) =>
      viewCriticalResult(await recordNotification(work, params.critical_result_id, body)),
  });
  http.post(`${CRITICAL_RESULT_PATH}/read_back`, {
    schema: {
      operationId: 'recordCriticalResultReadBack',
      summary: 'Record a critical result read-back',
      description:
        'Extension. A correct read-back acknowledges the critical result and ends its deadline, before or ' +
        'after the escalation. 409 without a notification, or if the notification already has a read-back.',
      tag,
      params: CriticalResultParams,
      body: RecordReadBackBody,
      response: { 200: CriticalResultView },
    },
    handler: async ({ work, params, body }) =>
      viewCriticalResult(await recordReadBack(work, params.critical_result_id, body)),
  });
}
