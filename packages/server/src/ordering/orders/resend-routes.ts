import type { Http } from '../../platform/http/http.ts';
import { ResendEvents, ResendEventsResponse, resendEvents } from './resend-orders.ts';

/** Resends order events to a team that has missed some. */
export function resendRoutes(http: Http): void {
  http.post('/v3/order/resend_events', {
    schema: {
      operationId: 'resendOrderEvents',
      summary: 'Resend order events',
      description:
        'Sends `labtest.order.updated` again for up to 500 orders: by id, or by a window of at most 60 days in which ' +
        'they last changed. Each event carries the current state of the order. The response lists the orders that ' +
        'were found.',
      tag: 'Orders',
      body: ResendEvents,
      response: { 200: ResendEventsResponse },
    },
    handler: async ({ work, body, warn }) => ({ order_ids: await resendEvents(work, body, warn) }),
  });
}
