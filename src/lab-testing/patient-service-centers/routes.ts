import type { Http } from '../../platform/http/http.ts';
import { orderPscInfo, pscInfo } from './psc-info.ts';
import { OrderParams, OrderPscQuery, PscInfo, PscQuery } from './schema.ts';

const tag = 'Patient service centers';

/** Where a patient can walk in. */
export function patientServiceCenterRoutes(http: Http): void {
  http.get('/v3/order/psc/info', {
    schema: {
      operationId: 'getPscInfo',
      summary: "List a laboratory's patient service centers near a ZIP code",
      tag,
      description:
        'By great circle from the middle of the ZIP code, the nearest first. 404 for a ZIP code that is nowhere; ' +
        '400 for a laboratory without patient service centers.',
      query: PscQuery,
      response: { 200: PscInfo },
    },
    handler: ({ work, query }) => pscInfo(work, query),
  });

  http.get('/v3/order/:order_id/psc/info', {
    schema: {
      operationId: 'getPscInfoOfOrder',
      summary: "List the patient service centers near the address of an order's patient",
      tag,
      description: 'Those of the laboratory of the order. 400 for an order that is not a walk-in test.',
      params: OrderParams,
      query: OrderPscQuery,
      response: { 200: PscInfo },
    },
    handler: ({ work, params, query }) => orderPscInfo(work, params.order_id, query),
  });
}
