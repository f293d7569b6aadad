import { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { transactionStatus, type Order } from '../../ordering/orders/orders.ts';
import { OrderOrigin, TransactionStatus } from '../../ordering/orders/schema.ts';
import { STEPS } from '../../ordering/orders/status.ts';
import { ResultView } from '../results/schema.ts';

const OrderSummary = z
  .object({
    id: z.guid(),
    origin: OrderOrigin.nullable(),
    parent_id: z.guid().nullable(),
    last_status: z.enum(STEPS).meta({ id: 'OrderLowLevelStatus' }),
    last_status_created_at: Timestamp,
    updated_at: Timestamp,
    created_at: Timestamp,
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

/** Builds the view from any order of the transaction: each one knows its siblings. */
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
    last_status_created_at: isoTimestamp(sibling.step_at),
    updated_at: isoTimestamp(sibling.updated_at),
    created_at: isoTimestamp(sibling.created_at),
  })),
});

const sourceFields = {
  source_order_id: z.guid().describe('Extension. The order that this result came from.'),
};
const { results, missing_results: missing } = ResultView.shape;

/** Combined results. Each entry names the order that it came from. */
export const CombinedView = ResultView.extend({
  results: z.array(results.element.extend(sourceFields).meta({ id: 'TransactionBiomarkerResult' })),
  missing_results: z
    .array(missing.unwrap().element.extend(sourceFields).meta({ id: 'TransactionMissingBiomarkerResult' }))
    .nullable(),
}).meta({ id: 'TransactionLabResultsRaw' });
export type CombinedView = z.input<typeof CombinedView>;
