import type { MissingResult } from '../../adapters/lab-network/port.ts';
import type { Work } from '../../platform/work.ts';
import { getLabTest, restrictLabTest, type LabTest } from '../../ordering/catalog/catalog.ts';
import {
  replaceOrder,
  type OrderTransition,
  type Order,
  type OrderPlacement,
} from '../../ordering/orders/orders.ts';

/** Laboratories that offer a redraw: a second specimen for markers that they could not measure in the first. */
const REDRAW_LABS = new Set(['labcorp', 'quest', 'bioreference']);

/** Failures in transport or in the laboratory, for which another specimen may succeed. */
const LAB_FAILURES = new Set([
  'quantity_not_sufficient_failure',
  'insufficient_volume',
  'collection_process_failure',
  'drop_off_failure',
  'internal_lab_failure',
  'order_entry_failure',
]);

/** The markers to redraw for the missing results of a final report; empty if the order gets no redraw. */
export function markersToRedraw(order: Order, missing: readonly MissingResult[]): number[] {
  if (order.modality !== 'walk_in_test' || order.origin !== 'initial') return [];
  if (!REDRAW_LABS.has(order.lab_slug)) return [];
  const failed = missing.filter(({ failureType }) => LAB_FAILURES.has(failureType));
  return [...new Set(failed.map(({ markerId }) => markerId))];
}

interface RedrawRequest {
  readonly markerIds: readonly number[];
  /** Further changes to the initial order, such as the interpretation of the results that arrived. */
  readonly changes?: OrderTransition['changes'];
}

interface RedrawOutcome {
  /** The initial order, which has ended. */
  readonly initial: Order;
  readonly redraw: Order;
}

/**
 * Ends the initial order and places its redraw: an order for the missing markers only, with the same transaction,
 * patient, account and billing. 409 if the order can no longer move to `redraw_available`, so concurrent calls create
 * one redraw. A transaction never has a second one.
 */
export async function createRedraw(work: Work, order: Order, missing: RedrawRequest): Promise<RedrawOutcome> {
  const wanted = new Set(missing.markerIds);
  const test = await restrictLabTest(work, await getLabTest(work, order.lab_test_id), wanted);
  const { changes } = missing;
  const { ended, next } = await replaceOrder(work, order, {
    move: { to: 'redraw_available', ...(changes ? { changes } : {}) },
    placing: toRedrawPlacement(order, { test, wanted }),
  });
  return { initial: ended, redraw: next };
}

interface RedrawItems {
  readonly test: LabTest;
  readonly wanted: ReadonlySet<number>;
}

const toRedrawPlacement = (order: Order, { test, wanted }: RedrawItems): OrderPlacement => ({
  test,
  clientUserId: order.client_user_id,
  people: {
    ...order.private,
    aoeAnswers: order.private.aoeAnswers.filter(({ marker_id }) => wanted.has(marker_id)),
  },
  row: {
    user_id: order.user_id,
    registrable: false,
    origin: 'redraw',
    parent_id: order.id,
    transaction_id: order.transaction_id,
    lab_account_id: order.lab_account_id,
    physician: order.physician === null ? null : JSON.stringify(order.physician),
    priority: order.priority,
    billing_type: order.billing_type,
    icd_codes: order.icd_codes,
    health_insurance_id: order.health_insurance_id,
    abn_due: order.abn_due,
    passthrough: order.passthrough,
    sms_enabled: order.sms_enabled,
  },
});
