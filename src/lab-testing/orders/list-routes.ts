import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { OrderFilters } from './commands.ts';
import { listOrders } from './list-orders.ts';
import { rankNames } from './rank-names.ts';
import { OrderPage } from './schema.ts';
import { viewOrder } from './view.ts';

/** Two paths name one operation; the second has an id of its own because ids are unique. */
const LIST_PATHS = [
  ['/v3/orders', 'listOrders'],
  ['/orders', 'listOrdersUnversioned'],
] as const;

export function listRoutes(http: Http, app: App): void {
  for (const [path, operationId] of LIST_PATHS) {
    http.get(path, {
      schema: {
        operationId,
        summary: 'List orders',
        tag: 'Orders',
        description:
          'A name is found by how its words begin, in whatever case. `search_input` finds orders by the name of the ' +
          'patient or the recipient, by order id, sample id and client_user_id. `total` is exact up to 5000 orders ' +
          'and null beyond; the last page says it always.',
        query: OrderFilters,
        response: { 200: OrderPage },
      },
      // Writes, where a list only reads: names that nobody has sorted yet get their places.
      prepare: async ({ tenant, query }) => {
        if (query.order_key === 'patient_name') await rankNames(app, tenant);
      },
      handler: async ({ work, query }) => {
        const { orders, total } = await listOrders(work, query);
        return { orders: orders.map(viewOrder), total, page: query.page, size: query.size };
      },
    });
  }
}
