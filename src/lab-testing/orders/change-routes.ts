import { z } from 'zod';
import type { Http } from '../../platform/http/http.ts';
import { completeDraw, readCommunication, reschedule, setCommunication } from './change-order.ts';
import { CommunicationChange, ImportOrder, UpdateOrder } from './commands.ts';
import { requireOnSite } from './features.ts';
import { importOrder } from './import-order.ts';
import { orderAnswer } from './orders.ts';
import { CommunicationRead, CommunicationWritten, OrderAnswer } from './schema.ts';

const params = z.object({ order_id: z.guid() });
const tag = 'Orders';

/** What is said of an order after it was placed, and orders that were placed elsewhere. */
export function changeRoutes(http: Http): void {
  http.patch('/v3/order/:order_id', {
    schema: {
      operationId: 'updateOrder',
      summary: 'Move the day of a scheduled order, or let it go on now',
      tag,
      params,
      body: UpdateOrder,
      response: { 200: OrderAnswer },
    },
    handler: async ({ work, params, body }) =>
      orderAnswer('order updated', await reschedule(work, params.order_id, body.activate_by)),
  });

  http.patch('/v3/order/:order_id/draw_completed', {
    schema: {
      operationId: 'completeDraw',
      summary: 'Say that the blood of an on-site or phlebotomy order is drawn',
      tag,
      params,
      response: { 200: OrderAnswer },
    },
    handler: async ({ work, params, principal }) =>
      orderAnswer('order updated', requireOnSite(principal, await completeDraw(work, params.order_id))),
  });

  communicationRoutes(http);

  http.post('/v3/order/import', {
    feature: 'order_import',
    schema: {
      operationId: 'importOrder',
      summary: 'Take over an order that the laboratory has already',
      description:
        'No requisition is made: the order begins at `requisition_bypassed`. The sample id must be new at its laboratory.',
      tag,
      body: ImportOrder,
      response: { 200: OrderAnswer },
    },
    handler: async ({ work, body, warn, principal }) =>
      orderAnswer('order imported', requireOnSite(principal, await importOrder(work, body, warn))),
  });
}

function communicationRoutes(http: Http): void {
  const path = '/v3/order/:order_id/communication_settings';
  http.get(path, {
    schema: {
      operationId: 'getOrderCommunicationSettings',
      summary: 'Read whether the patient is sent text messages about the order',
      tag,
      params,
      response: { 200: CommunicationRead },
    },
    handler: async ({ work, params }) => readCommunication(work, params.order_id),
  });
  http.patch(path, {
    schema: {
      operationId: 'setOrderCommunicationSettings',
      summary: 'Say whether the patient is sent text messages about the order',
      tag,
      params,
      body: CommunicationChange,
      response: { 200: CommunicationWritten },
    },
    handler: async ({ work, params, body }) => setCommunication(work, params.order_id, body),
  });
}
