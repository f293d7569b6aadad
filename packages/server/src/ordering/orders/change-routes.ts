import { z } from 'zod';
import type { Http } from '../../platform/http/http.ts';
import {
  completeDraw,
  getCommunicationSettings,
  rescheduleOrder,
  setCommunicationSettings,
} from './change-order.ts';
import { UpdateCommunicationSettings, ImportOrder, UpdateOrder } from './commands.ts';
import { requireOnSiteFeature } from './features.ts';
import { importOrder } from './import-order.ts';
import { toOrderResponse } from './orders.ts';
import {
  GetCommunicationSettingsResponse,
  UpdateCommunicationSettingsResponse,
  OrderResponse,
} from './schema.ts';

const params = z.object({ order_id: z.guid() });
const tag = 'Orders';

/** Changes to placed orders, and the import of orders that were placed elsewhere. */
export function changeRoutes(http: Http): void {
  http.patch('/v3/order/:order_id', {
    schema: {
      operationId: 'updateOrder',
      summary: 'Reschedule or release a scheduled order',
      tag,
      params,
      body: UpdateOrder,
      response: { 200: OrderResponse },
    },
    handler: async ({ work, params, body }) =>
      toOrderResponse('order updated', await rescheduleOrder(work, params.order_id, body.activate_by)),
  });

  http.patch('/v3/order/:order_id/draw_completed', {
    schema: {
      operationId: 'completeDraw',
      summary: 'Mark the blood draw of an order completed',
      tag,
      params,
      response: { 200: OrderResponse },
    },
    handler: async ({ work, params, principal }) =>
      toOrderResponse(
        'order updated',
        requireOnSiteFeature(principal, await completeDraw(work, params.order_id)),
      ),
  });

  communicationRoutes(http);

  http.post('/v3/order/import', {
    feature: 'order_import',
    schema: {
      operationId: 'importOrder',
      summary: 'Import an order from a laboratory',
      description:
        'For an order that the laboratory already has. No requisition is created: the order starts at ' +
        '`requisition_bypassed`. The sample id must be unique at the laboratory.',
      tag,
      body: ImportOrder,
      response: { 200: OrderResponse },
    },
    handler: async ({ work, body, warn, principal }) =>
      toOrderResponse('order imported', requireOnSiteFeature(principal, await importOrder(work, body, warn))),
  });
}

function communicationRoutes(http: Http): void {
  const path = '/v3/order/:order_id/communication_settings';
  http.get(path, {
    schema: {
      operationId: 'getOrderCommunicationSettings',
      summary: 'Get the communication settings of an order',
      tag,
      params,
      response: { 200: GetCommunicationSettingsResponse },
    },
    handler: async ({ work, params }) => getCommunicationSettings(work, params.order_id),
  });
  http.patch(path, {
    schema: {
      operationId: 'setOrderCommunicationSettings',
      summary: 'Update the communication settings of an order',
      tag,
      params,
      body: UpdateCommunicationSettings,
      response: { 200: UpdateCommunicationSettingsResponse },
    },
    handler: async ({ work, params, body }) => setCommunicationSettings(work, params.order_id, body),
  });
}
