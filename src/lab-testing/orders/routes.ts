import { z } from 'zod';
import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { changeRoutes } from './change-routes.ts';
import { CreateOrder, CreateTestkitOrder, RegisterTestkit } from './commands.ts';
import { listRoutes } from './list-routes.ts';
import { requireOnSite } from './features.ts';
import { cancelOrder, getOrder, orderAnswer } from './orders.ts';
import { placeOrder, placeTestkitOrder } from './place-order.ts';
import { registerTestkit } from './register-testkit.ts';
import { resendRoutes } from './resend-routes.ts';
import { OrderAnswer, OrderView } from './schema.ts';
import { viewOrder } from './view.ts';

const OrderId = z.object({ order_id: z.guid() });
const tag = 'Orders';

/** Two paths name one operation; the second has an id of its own because ids are unique. */
const PLACE_PATHS = [
  ['/v3/order', 'createOrder'],
  ['/v3/order/create', 'createOrderAtCreate'],
] as const;

export function orderRoutes(http: Http, app: App): void {
  for (const [path, operationId] of PLACE_PATHS) {
    http.post(path, {
      schema: {
        operationId,
        summary: 'Place an order',
        tag,
        body: CreateOrder,
        response: { 200: OrderAnswer },
      },
      handler: async ({ work, body, warn, principal }) =>
        orderAnswer('order created', requireOnSite(principal, await placeOrder(work, body, warn))),
    });
  }
  http.get('/v3/order/:order_id', {
    schema: {
      operationId: 'getOrder',
      summary: 'Read an order',
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
      response: { 200: OrderAnswer },
    },
    handler: async ({ work, params }) =>
      orderAnswer('order cancelled', await cancelOrder(work, params.order_id)),
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
      summary: 'Send a test kit that its patient registers later',
      description:
        'Questions at order entry are answered by their defaults, about fasting by the lab test; 400 for a lab test ' +
        'that asks a required one without.',
      tag,
      body: CreateTestkitOrder,
      response: { 200: OrderAnswer },
    },
    handler: async ({ work, body }) => orderAnswer('order created', await placeTestkitOrder(work, body)),
  });
  http.post('/v3/order/testkit/register', {
    schema: {
      operationId: 'registerTestkit',
      summary: 'Register a test kit by the sample id on it',
      tag,
      body: RegisterTestkit,
      response: { 200: OrderAnswer },
    },
    handler: async ({ work, body, warn }) =>
      orderAnswer('testkit registered', await registerTestkit(work, body, warn)),
  });
}
