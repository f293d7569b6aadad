import { z } from 'zod';
import { isoMoment } from '../../platform/clock.ts';
import { transactionStatus, type Order } from '../orders/orders.ts';
import { OrderOrigin, TransactionStatus } from '../orders/schema.ts';
import { STEPS } from '../orders/status.ts';
import { ResultView } from '../results/schema.ts';

const moment = z.iso.datetime({ offset: true });

const OrderSummary = z
  .object({
    id: z.guid(),
    origin: OrderOrigin.nullable(),
    parent_id: z.guid().nullable(),
    last_status: z.enum(STEPS).meta({ id: 'OrderLowLevelStatus' }),
    last_status_created_at: moment,
    updated_at: moment,
    created_at: moment,
  })
  .meta({ id: 'OrderSummary' });

export const TransactionView = z
  .object({
    id: z.guid(),
    team_id: z.guid(),
    status: TransactionStatus,
    orders: z.array(OrderSummary),
  })
  .meta({ id: 'GetOrderTransactionResponse' });

/** The transaction as any of its orders knows it: each knows all. */
export const viewTransaction = ({
  transaction_id,
  team_id,
  siblings,
}: Order): z.input<typeof TransactionView> => ({
  id: transaction_id,
  team_id,
  status: transactionStatus(siblings),
  orders: siblings.map((sibling) => ({
    id: sibling.id,
    origin: sibling.origin,
    parent_id: sibling.parent_id,
    last_status: sibling.step,
    last_status_created_at: isoMoment(sibling.step_at),
    updated_at: isoMoment(sibling.updated_at),
    created_at: isoMoment(sibling.created_at),
  })),
});

const source = {
  source_order_id: z.guid().describe('The order that this came from (ours).'),
};
const { results, missing_results: missing } = ResultView.shape;

/** The results of one order, of which each part says what order of the transaction it came from. */
export const CombinedView = ResultView.extend({
  results: z.array(results.element.extend(source).meta({ id: 'TransactionBiomarkerResult' })),
  missing_results: z
    .array(missing.unwrap().element.extend(source).meta({ id: 'TransactionMissingBiomarkerResult' }))
    .nullable(),
}).meta({ id: 'TransactionLabResultsRaw' });
export type CombinedView = z.input<typeof CombinedView>;
