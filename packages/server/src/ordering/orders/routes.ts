import { z } from 'zod';
import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { changeRoutes } from './change-routes.ts';
import { CreateOrder, CreateTestkitOrder, RegisterTestkit } from './commands.ts';
import { listRoutes } from './list-routes.ts';
import { requireOnSiteFeature } from './features.ts';
import { cancelOrder, getOrder, toOrderResponse } from './orders.ts';
import { placeOrder, placeTestkitOrder } from './place-order.ts';
import { registerTestkit } from './register-testkit.ts';
import { resendRoutes } from './resend-routes.ts';
import { OrderResponse, OrderView } from './schema.ts';
import { viewOrder } from './view.ts';

const OrderId = z.object({ order_id: z.guid() });
const tag = 'Orders';

/** One operation on two paths. Operation ids are unique, so the second path has its own. */
const CREATE_PATHS = [
  ['/v3/order', 'createOrder'],
  ['/v3/order/create', 'createOrderAtCreate'],
] as const;

export function orderRoutes(http: Http, app: App): void {
  for (const [path, operationId] of CREATE_PATHS) {
    http.post(path, {
      schema: {
        operationId,
        summary: 'Create an order',
        tag,
        body: CreateOrder,
        response: { 200: OrderResponse },
      },
      handler: async ({ work, body, warn, principal }) =>
        toOrderResponse('order created', requireOnSiteFeature(principal, await placeOrder(work, body, warn))),
    });
  }
  http.get('/v3/order/:order_id', {
    schema: {
      operationId: 'getOrder',
      summary: 'Get an order',
      tag,
      params: OrderId,
      response: { 200: OrderView },
    },
    handler: async ({ work, params }) => viewOrder(await getOrder(work, params.order_id)),
  });
  http.post('/v3/order/:order_id/cancel', {
    schema: {
      operationId: 'cancelOrder',
      summary: 'Cancel an order',
      tag,
      params: OrderId,
      response: { 200: OrderResponse },
    },
    handler: async ({ work, params }) =>
      toOrderResponse('order cancelled', await cancelOrder(work, params.order_id)),
  });
  testkitRoutes(http);
  changeRoutes(http);
  resendRoutes(http);
  listRoutes(http, app);
}

function testkitRoutes(http: Http): void {
  http.post('/v3/order/testkit', {
    schema: {
      operationId: 'createTestkitOrder',
      summary: 'Create an order for a registrable test kit',
      description:
        'Sends a kit that the patient registers later by its sample id. Questions at order entry get their default ' +
        'answers, and questions about fasting the answer of the lab test. 400 if a required question has no default.',
      tag,
      body: CreateTestkitOrder,
      response: { 200: OrderResponse },
    },
    handler: async ({ work, body }) => toOrderResponse('order created', await placeTestkitOrder(work, body)),
  });
  http.post('/v3/order/testkit/register', {
    schema: {
      operationId: 'registerTestkit',
      summary: 'Register a test kit',
      tag,
      body: RegisterTestkit,
      response: { 200: OrderResponse },
    },
    handler: async ({ work, body, warn }) =>
      toOrderResponse('testkit registered', await registerTestkit(work, body, warn)),
  });
}
