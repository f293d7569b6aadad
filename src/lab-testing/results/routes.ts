import { z } from 'zod';
import type { Http } from '../../platform/http/http.ts';
import { found } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { getOrder } from '../orders/orders.ts';
import { findReport } from './results.ts';
import { ResultMetadata, ResultView, viewMetadata, viewResult } from './schema.ts';

const OrderId = z.object({ order_id: z.guid() });
const Version = z.object({
  version: z.int().min(1).optional().describe('An older version; the newest by default (ours).'),
});
const tag = 'Results';

export function resultRoutes(http: Http): void {
  http.get('/v3/order/:order_id/result', {
    schema: {
      operationId: 'getResult',
      summary: 'Read the results of an order',
      tag,
      params: OrderId,
      query: Version,
      response: { 200: ResultView },
    },
    handler: async ({ work, params, query }) => {
      const { order, report } = await reported(work, params.order_id, query.version);
      return viewResult(order, report);
    },
  });
  http.get('/v3/order/:order_id/result/metadata', {
    schema: {
      operationId: 'getResultMetadata',
      summary: 'Read what is known about the results of an order',
      tag,
      params: OrderId,
      query: Version,
      response: { 200: ResultMetadata },
    },
    handler: async ({ work, params, query }) => {
      const { order, report } = await reported(work, params.order_id, query.version);
      return viewMetadata(order, report);
    },
  });
}

async function reported(work: Work, orderId: string, version: number | undefined) {
  const [order, report] = await Promise.all([getOrder(work, orderId), findReport(work, orderId, version)]);
  return { order, report: found(report, 'Results') };
}
