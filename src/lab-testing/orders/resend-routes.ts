import type { Http } from '../../platform/http/http.ts';
import { ResendEvents, ResentEvents, resendEvents } from './resend-orders.ts';

/** Telling of orders again, for a team that has missed something. */
export function resendRoutes(http: Http): void {
  http.post('/v3/order/resend_events', {
    schema: {
      operationId: 'resendOrderEvents',
      summary: 'Send labtest.order.updated again for some orders',
      description:
        'For up to 500 orders by their ids, or for those whose last change lies within a window of at most 60 days. Each event carries ' +
        'the order as it stands now. Orders that are not there are left out of the answer.',
      tag: 'Orders',
      body: ResendEvents,
      response: { 200: ResentEvents },
    },
    handler: async ({ work, body, warn }) => ({ order_ids: await resendEvents(work, body, warn) }),
  });
}
