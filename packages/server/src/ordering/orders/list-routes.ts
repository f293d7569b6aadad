import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { csv } from '../../platform/http/file-response.ts';
import { OrderExportFilters, OrderFilters } from './commands.ts';
import { COLUMNS_DESCRIPTION, exportOrders } from './export-orders.ts';
import { listOrders } from './list-orders.ts';
import { rankNames } from './rank-names.ts';
import { OrderPage } from './schema.ts';
import { viewOrder } from './view.ts';

/** One operation on two paths. Operation ids are unique, so the second path has its own. */
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
          'Names match by the beginning of a word, ignoring case. `search_input` matches the name of the patient or ' +
          'the recipient, the order id, the sample id and the client_user_id. `total` is exact up to 5000 orders ' +
          'and null above that, except on the last page, where it is always exact.',
        query: OrderFilters,
        response: { 200: OrderPage },
      },
      // A list is read-only; new names get their sort ranks in a transaction of their own before it.
      prepare: async ({ tenant, query }) => {
        if (query.order_key === 'patient_name') await rankNames(app, tenant);
      },
      handler: async ({ work, query }) => {
        const { orders, total } = await listOrders(work, query);
        return { orders: orders.map(viewOrder), total, page: query.page, size: query.size };
      },
    });
  }
  http.get('/v1/orders/export', {
    schema: {
      operationId: 'exportOrders',
      summary: 'Export orders as CSV',
      description:
        `Extension. The orders that pass the filters of the list of orders, oldest first, with ${COLUMNS_DESCRIPTION}. ` +
        'Texts that a spreadsheet would run as a formula begin with an apostrophe.',
      tag: 'Orders',
      query: OrderExportFilters,
      response: { 200: csv() },
    },
    handler: async ({ tenant, query }) => ({
      name: 'orders.csv',
      stream: () => exportOrders(app, tenant, query),
    }),
  });
}
