import { sql, type Insertable, type Updateable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { insertRow } from '../../platform/db/insert-row.ts';
import { readyQuery } from '../../platform/db/ready-query.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { newId } from '../../platform/ids.ts';
import { together } from '../../platform/together.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { defer, type Work } from '../../platform/work.ts';
import type { LabTestSnapshot } from '../catalog/catalog.ts';
import { changeOrder, type MovedRow } from './change-store.ts';
import {
  momentFor,
  requisitionUrl,
  type Order,
  type OrderEvent,
  type OrderPrivate,
  type OrderRow,
  type Sibling,
} from './order.ts';
import { keepOrderedTest } from './ordered-test-store.ts';
import { listSiblings, PLACE } from './read-store.ts';
import type { StatusDetail, Step } from './status.ts';

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

/** The number of the next order event; taken beforehand, it lets a whole order be written without waiting. */
export async function nextEventId({ tx }: Work): Promise<number> {
  const [row] = await eventIds(tx, {});
  return row?.id ?? 0;
}

const eventIds = readyQuery((tx) => tx.selectNoFrom(sql<number>`nextval('lab_order_event_id_seq')`.as('id')));

/** Writes the order, its first event and, unless it joins one, its transaction; all three go out together. */
export async function insertOrder(
  work: Work,
  { client_user_id, lab_test, ...order }: NewOrder,
  eventId?: number,
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
  const event = {
    id: eventId ?? (await nextEventId(work)),
    step: order.step,
    status_detail: null,
    created_at: now,
  };
  if (order.transaction_id === undefined) {
    const transaction = { ...columns, id: transactionId, user_id: order.user_id, created_at: now };
    defer(work, insertRow('order_transaction', transaction));
  }
  keepOrderedTest(work, lab_test);
  defer(work, insertRow('lab_order', { ...row, private: seal(work, order.private) }));
  defer(work, insertRow('lab_order_event', { ...columns, order_id: id, ...event }));
  const siblings = order.transaction_id === undefined ? [] : await listSiblings(work, transactionId);
  return {
    ...blankOrder,
    ...row,
    abn_due: row.abn_due ?? false,
    lab_test: lab_test.view,
    physician: parsed(row.physician),
    shipment: parsed(row.shipment),
    events: [event],
    siblings: siblings.length > 0 ? siblings : [ownSibling(row)],
    client_user_id,
    requisition_url: requisitionUrl(work, id),
  };
}

type New = Pick<Order, 'id' | 'modality' | 'step' | 'origin' | 'created_at' | 'updated_at'>;

const ownSibling = (row: New & { parent_id?: string | null | undefined }): Sibling => ({
  id: row.id,
  modality: row.modality,
  step: row.step,
  step_at: row.created_at,
  origin: row.origin,
  parent_id: row.parent_id ?? null,
  created_at: row.created_at,
  updated_at: row.updated_at,
});

/** The columns that an insert may leave out, as the database fills them. */
const blankOrder = {
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

const parsed = (text: string | null | undefined): unknown => (text == null ? null : JSON.parse(text));
const seal = (work: Work, people: OrderPrivate) => work.cipher.seal(JSON.stringify(people), PLACE);

interface NewEvents {
  readonly orderId: string;
  readonly at: Date;
  readonly steps: readonly { readonly step: Step; readonly detail: StatusDetail | null }[];
}

/** The events of an order's steps, in their order. */
const insertEvents: (work: Work, taken: NewEvents) => Promise<OrderEvent[]> = together(
  async (work, all: readonly NewEvents[]) => {
    const steps = all.flatMap(({ orderId, at, steps: taken }) =>
      taken.map((one) => ({ orderId, at, ...one })),
    );
    const rows = await orderEvents(work.tx, {
      ...work.tenant,
      orders: steps.map(({ orderId }) => orderId),
      steps: steps.map(({ step }) => step),
      details: steps.map(({ detail }) => detail),
      moments: steps.map(({ at }) => at),
    });
    const ids = rows.map(({ id }) => id).toSorted((one, other) => one - other);
    if (ids.length !== steps.length) throw new Error('An inserted row was not answered');
    return all.map(({ at, steps: taken }) => {
      const own = ids.splice(0, taken.length);
      return taken.map(({ step, detail }, index) => ({
        id: own[index] ?? 0,
        step,
        status_detail: detail,
        created_at: at,
      }));
    });
  },
);

interface EventColumns extends Tenant {
  readonly orders: readonly string[];
  readonly steps: readonly Step[];
  readonly details: readonly (StatusDetail | null)[];
  readonly moments: readonly Date[];
}

/** Numbered in the order of the arrays. */
const orderEvents = readyQuery((tx, { teamId, environment, orders, steps, details, moments }: EventColumns) =>
  tx
    .insertInto('lab_order_event')
    .columns(['team_id', 'environment', 'order_id', 'step', 'status_detail', 'created_at'])
    .expression(
      sql`select ${teamId}::uuid, ${environment}::text, t.order_id, t.step, t.detail, t.at
        from unnest(${orders}::uuid[], ${steps}::text[], ${details}::text[], ${moments}::timestamptz[])
          with ordinality as t (order_id, step, detail, at, place)
        order by t.place`,
    )
    .returning(['id', 'order_id']),
);

export type OrderChanges = Omit<Updateable<Database['lab_order']>, 'private'> & { private?: OrderPrivate };

export interface Moving {
  /** Where it is on the way: each of them is told of. */
  readonly passed: readonly Pick<OrderRow, 'step' | 'leg'>[];
  readonly step: Step;
  readonly detail: StatusDetail | null;
  readonly changes: OrderChanges;
}

/**
 * Moves the order only if nobody moved it first; `undefined` means somebody did. The row is written once, as the last
 * step leaves it. Answers the order as it is at each step.
 */
export async function moveOrder(
  work: Work,
  order: Order,
  { passed, step, detail, changes }: Moving,
): Promise<Order[] | undefined> {
  const steps = [...passed.map((one) => ({ step: one.step, detail: null })), { step, detail }];
  const at = momentFor(order, work.now);
  const [moved, events] = await Promise.all([
    update(work, order, { ...changes, step, status_detail: detail }),
    insertEvents(work, { orderId: order.id, at, steps }),
  ]);
  if (!moved) return undefined;
  const orders: Order[] = [];
  for (const [index, event] of events.entries()) {
    const before = orders.at(-1) ?? order;
    const on = passed[index];
    const onTheWay = { ...before, ...on, status_detail: null, waiting_reason: null, updated_at: at };
    const people = on ? before.private : (changes.private ?? before.private);
    orders.push(merged({ ...before, private: people }, on ? onTheWay : moved, event));
  }
  return orders;
}

/** Changes what is said of the order without moving it. */
export async function amendOrder(
  work: Work,
  order: Order,
  changes: OrderChanges,
): Promise<Order | undefined> {
  const amended = await update(work, order, changes);
  return amended && merged({ ...order, private: changes.private ?? order.private }, amended);
}

function update(work: Work, order: Order, changes: OrderChanges): Promise<MovedRow | undefined> {
  const { private: people, ...rest } = changes;
  const sealed = people ? { private: seal(work, people) } : {};
  return changeOrder(work, {
    order,
    changes: { ...rest, ...sealed, updated_at: momentFor(order, work.now) },
  });
}

/** The order as it stands now, from what was read and what was written. */
function merged(order: Order, row: MovedRow, event?: OrderEvent): Order {
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
