import { z } from 'zod';
import type { Http } from '../../platform/http/http.ts';
import { getCombinedResults, getTransaction } from './order-transactions.ts';
import { CombinedView, TransactionView, viewTransaction } from './schema.ts';

const TransactionId = z.object({ transaction_id: z.guid() });
const tag = 'Order transactions';

export function orderTransactionRoutes(http: Http): void {
  http.get('/v3/order_transaction/:transaction_id', {
    schema: {
      operationId: 'getOrderTransaction',
      summary: 'Get an order transaction',
      tag,
      params: TransactionId,
      response: { 200: TransactionView },
    },
    handler: async ({ work, params }) => {
      const [first] = await getTransaction(work, params.transaction_id);
      return viewTransaction(first);
    },
  });
  http.get('/v3/order_transaction/:transaction_id/result', {
    schema: {
      operationId: 'getOrderTransactionResult',
      summary: 'Get the combined results of an order transaction',
      tag,
      params: TransactionId,
      response: { 200: CombinedView },
    },
    handler: ({ work, params }) => getCombinedResults(work, params.transaction_id),
  });
}
