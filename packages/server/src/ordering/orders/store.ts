import type { Insertable, Updateable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { insertRow } from '../../platform/db/insert-row.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { newId } from '../../platform/ids.ts';
import { defer, type Work } from '../../platform/work.ts';
import type { LabTestSnapshot } from '../catalog/catalog.ts';
import { insertEvents, nextEventId, type AllocatedEventId } from './event-store.ts';
import { updateOrderRow, type RefreshedOrderRow } from './change-store.ts';
import {
  nextTimestamp,
  requisitionUrl,
  type Order,
  type OrderEvent,
  type OrderPrivate,
  type OrderRow,
  type SiblingOrder,
} from './order.ts';
import { storeOrderedTest } from './ordered-test-store.ts';
import { listSiblings, ORDER_SEAL_CONTEXT } from './read-store.ts';
import type { StatusDetail, OrderStep } from './status.ts';

export type NewOrder = Omit<
  Insertable<Database['lab_order']>,
  | 'team_id'
  | 'environment'
  | 'id'
  | 'transaction_id'
  | 'ordered_test_id'
  | 'private'
  | 'created_at'
  | 'updated_at'
> & { lab_test: LabTestSnapshot; private: OrderPrivate; transaction_id?: string; client_user_id: string };

/**
 * Inserts the order, its first event and, unless it joins one, its transaction. The inserts are deferred and batched.
 */
export async function insertOrder(
  work: Work,
  { client_user_id, lab_test, ...order }: NewOrder,
  eventId?: AllocatedEventId,
): Promise<Order> {
  const { tenant, now } = work;
  const id = newId();
  const transactionId = order.transaction_id ?? newId();
  const columns = tenantColumns(tenant);
  const row = {
    ...columns,
    ...order,
    id,
    transaction_id: transactionId,
    ordered_test_id: lab_test.id,
    created_at: now,
    updated_at: now,
  };
  const { id: number, publicId } = eventId ?? (await nextEventId(work));
  const event = { step: order.step, status_detail: null, created_at: now };
  if (order.transaction_id === undefined) {
    const transaction = { ...columns, id: transactionId, user_id: order.user_id, created_at: now };
    defer(work, insertRow('order_transaction', transaction));
  }
  storeOrderedTest(work, lab_test);
  defer(work, insertRow('lab_order', { ...row, private: sealPrivate(work, order.private) }));
  const eventRow = { ...columns, order_id: id, id: number, public_id: publicId, ...event };
  defer(work, insertRow('lab_order_event', eventRow));
  const siblings = order.transaction_id === undefined ? [] : await listSiblings(work, transactionId);
  return {
    ...orderDefaults,
    ...row,
    abn_due: row.abn_due ?? false,
    lab_test: lab_test.view,
    physician: parseJson(row.physician),
    shipment: parseJson(row.shipment),
    events: [{ id: publicId, ...event }],
    siblings: siblings.length > 0 ? siblings : [toSibling(row)],
    client_user_id,
    requisition_url: requisitionUrl(work, id),
  };
}

type NewSiblingRow = Pick<Order, 'id' | 'modality' | 'step' | 'origin' | 'created_at' | 'updated_at'>;

const toSibling = (row: NewSiblingRow & { parent_id?: string | null | undefined }): SiblingOrder => ({
  id: row.id,
  modality: row.modality,
  step: row.step,
  step_at: row.created_at,
  origin: row.origin,
  parent_id: row.parent_id ?? null,
  created_at: row.created_at,
  updated_at: row.updated_at,
});

/** Database defaults of the columns that an insert may leave out. */
const orderDefaults = {
  parent_id: null,
  status_detail: null,
  registered_at: null,
  lab_account_id: null,
  sample_id: null,
  icd_codes: null,
  activate_by: null,
  passthrough: null,
  health_insurance_id: null,
  interpretation: null,
  has_missing_results: null,
  sms_enabled: null,
  waiting_reason: null,
  appointment_id: null,
};

const parseJson = (text: string | null | undefined): unknown => (text == null ? null : JSON.parse(text));
const sealPrivate = (work: Work, people: OrderPrivate) =>
  work.cipher.seal(JSON.stringify(people), ORDER_SEAL_CONTEXT);

export type OrderChanges = Omit<Updateable<Database['lab_order']>, 'private'> & { private?: OrderPrivate };

interface OrderMoveWrite {
  /** Intermediate steps; each gets an event. */
  readonly passed: readonly Pick<OrderRow, 'step' | 'leg'>[];
  readonly step: OrderStep;
  readonly detail: StatusDetail | null;
  readonly changes: OrderChanges;
}

/**
 * Moves the order if it is still at the step that was read; `undefined` if it has moved since. The row is written once,
 * in its final state. Returns the order at each step.
 */
export async function moveOrder(
  work: Work,
  order: Order,
  { passed, step, detail, changes }: OrderMoveWrite,
): Promise<Order[] | undefined> {
  const steps = [...passed.map((one) => ({ step: one.step, detail: null })), { step, detail }];
  const at = nextTimestamp(order, work.now);
  const [moved, events] = await Promise.all([
    updateOrder(work, order, { ...changes, step, status_detail: detail }),
    insertEvents(work, { orderId: order.id, at, steps }),
  ]);
  if (!moved) return undefined;
  const orders: Order[] = [];
  for (const [index, event] of events.entries()) {
    const before = orders.at(-1) ?? order;
    const on = passed[index];
    const onTheWay = { ...before, ...on, status_detail: null, waiting_reason: null, updated_at: at };
    const people = on ? before.private : (changes.private ?? before.private);
    orders.push(mergeRow({ ...before, private: people }, on ? onTheWay : moved, event));
  }
  return orders;
}

/** Changes the order without moving it; `undefined` if it has moved since it was read. */
export async function amendOrder(
  work: Work,
  order: Order,
  changes: OrderChanges,
): Promise<Order | undefined> {
  const amended = await updateOrder(work, order, changes);
  return amended && mergeRow({ ...order, private: changes.private ?? order.private }, amended);
}

function updateOrder(
  work: Work,
  order: Order,
  changes: OrderChanges,
): Promise<RefreshedOrderRow | undefined> {
  const { private: people, ...rest } = changes;
  const sealed = people ? { private: sealPrivate(work, people) } : {};
  return updateOrderRow(work, {
    order,
    changes: { ...rest, ...sealed, updated_at: nextTimestamp(order, work.now) },
  });
}

/** The current order, from what was read and what was written. */
function mergeRow(order: Order, row: RefreshedOrderRow, event?: OrderEvent): Order {
  const siblings = order.siblings.map((sibling) =>
    sibling.id === order.id
      ? {
          ...sibling,
          step: row.step,
          step_at: event?.created_at ?? sibling.step_at,
          updated_at: row.updated_at,
        }
      : sibling,
  );
  return {
    ...order,
    ...row,
    events: event ? [...order.events, event] : order.events,
    siblings,
  };
}
