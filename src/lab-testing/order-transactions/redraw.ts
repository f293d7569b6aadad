import type { MissingResult } from '../../adapters/lab-network/port.ts';
import type { Work } from '../../platform/work.ts';
import { getLabTest, partOfLabTest, type LabTest } from '../catalog/catalog.ts';
import { succeed, type Move, type Order, type Placing } from '../orders/orders.ts';

/** The laboratories that take a second specimen for what they failed to measure in the first. */
const REDRAW_LABS = new Set(['labcorp', 'quest', 'bioreference']);

/** Failures on the way to the laboratory or in it; a further specimen may end better. */
const LAB_FAILURES = new Set([
  'quantity_not_sufficient_failure',
  'insufficient_volume',
  'collection_process_failure',
  'drop_off_failure',
  'internal_lab_failure',
  'order_entry_failure',
]);

/** The markers of an order that are to be drawn again for what a final report does not have; none where there is no redraw. */
export function redrawnMarkers(order: Order, missing: readonly MissingResult[]): number[] {
  if (order.modality !== 'walk_in_test' || order.origin !== 'initial') return [];
  if (!REDRAW_LABS.has(order.lab_slug)) return [];
  const failed = missing.filter(({ failureType }) => LAB_FAILURES.has(failureType));
  return [...new Set(failed.map(({ markerId }) => markerId))];
}

export interface Missing {
  readonly markerIds: readonly number[];
  /** What else is to be said of the initial order with its step, as the interpretation of the results that came. */
  readonly changes?: Move['changes'];
}

export interface Redrawn {
  /** The initial order, which is over. */
  readonly initial: Order;
  readonly redraw: Order;
}

/**
 * Ends the initial order with a redraw in its place: an order of the missing markers only, of the same transaction,
 * person, account and billing. 409 when the order cannot go there any more, so that of two who saw the same results
 * one makes the redraw; a transaction never has a second one.
 */
export async function createRedraw(work: Work, order: Order, missing: Missing): Promise<Redrawn> {
  const wanted = new Set(missing.markerIds);
  const test = await partOfLabTest(work, await getLabTest(work, order.lab_test_id), wanted);
  const { changes } = missing;
  const { ended, next } = await succeed(work, order, {
    move: { to: 'redraw_available', ...(changes ? { changes } : {}) },
    placing: redrawOf(order, { test, wanted }),
  });
  return { initial: ended, redraw: next };
}

interface Again {
  readonly test: LabTest;
  readonly wanted: ReadonlySet<number>;
}

const redrawOf = (order: Order, { test, wanted }: Again): Placing => ({
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
