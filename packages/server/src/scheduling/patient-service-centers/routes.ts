import type { Http } from '../../platform/http/http.ts';
import { getOrderPscInfo, getPscInfo } from './psc-info.ts';
import { OrderParams, OrderPscQuery, PscInfo, PscQuery } from './schema.ts';

const tag = 'Patient service centers';

/** Searches patient service centers for walk-in tests. */
export function patientServiceCenterRoutes(http: Http): void {
  http.get('/v3/order/psc/info', {
    schema: {
      operationId: 'getPscInfo',
      summary: 'List patient service centers near a ZIP code',
      tag,
      description:
        'Of one laboratory, nearest first, by great-circle distance from the center of the ZIP code. ' +
        '404 for an unknown ZIP code; ' +
        '400 for a laboratory without patient service centers.',
      query: PscQuery,
      response: { 200: PscInfo },
    },
    handler: ({ work, query }) => getPscInfo(work, query),
  });

  http.get('/v3/order/:order_id/psc/info', {
    schema: {
      operationId: 'getPscInfoOfOrder',
      summary: 'List patient service centers for an order',
      tag,
      description:
        'Centers of the order’s laboratory near the patient’s address. 400 for an order that is not a walk-in test.',
      params: OrderParams,
      query: OrderPscQuery,
      response: { 200: PscInfo },
    },
    handler: ({ work, params, query }) => getOrderPscInfo(work, params.order_id, query),
  });
}
