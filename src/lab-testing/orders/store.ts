import { sql, type Insertable, type Updateable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { insertRow } from '../../platform/db/insert-row.ts';
import { readyQuery } from '../../platform/db/ready-query.ts';
import { updateRow } from '../../platform/db/update-row.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { newId } from '../../platform/ids.ts';
import { defer, type Work } from '../../platform/work.ts';
import type { LabTestSnapshot } from '../catalog/catalog.ts';
import type { Order, OrderEvent, OrderPrivate, OrderRow } from './order.ts';
import { listSiblings, MOVABLE, PLACE } from './read-store.ts';
import type { StatusDetail, Step } from './status.ts';

export type NewOrder = Omit<
  Insertable<Database['lab_order']>,
  'team_id' | 'environment' | 'id' | 'transaction_id' | 'lab_test' | 'private' | 'created_at' | 'updated_at'
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
  { client_user_id, ...order }: NewOrder,
  eventId?: number,
): Promise<Order> {
  const { tenant, now } = work;
  const id = newId();
  const transactionId = order.transaction_id ?? newId();
  const columns = tenantColumns(tenant);
  const row = { ...columns, ...order, id, transaction_id: transactionId, created_at: now, updated_at: now };
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
  defer(
    work,
    insertRow('lab_order', { ...row, lab_test: row.lab_test.text, private: seal(work, order.private) }),
  );
  defer(work, insertRow('lab_order_event', { ...columns, order_id: id, ...event }));
  const siblings = order.transaction_id === undefined ? [] : await listSiblings(work, transactionId);
  const self = {
    id,
    modality: row.modality,
    step: row.step,
    origin: row.origin,
    parent_id: row.parent_id ?? null,
  };
  return {
    ...blankOrder,
    ...row,
    abn_due: row.abn_due ?? false,
    lab_test: row.lab_test.view,
    physician: parsed(row.physician),
    shipment: parsed(row.shipment),
    events: [event],
    siblings: siblings.length > 0 ? siblings : [{ ...self, step_at: now, created_at: now, updated_at: now }],
    client_user_id,
  };
}

/** The columns that an insert may leave out, as the database fills them. */
const blankOrder = {
  parent_id: null,
  status_detail: null,
  registered_at: null,
  lab_account_id: null,
  sample_id: null,
  patient_name: null,
  recipient_name: null,
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

interface NewEvent {
  orderId: string;
  step: Step;
  detail: StatusDetail | null;
}

async function insertEvent(work: Work, { orderId, step, detail }: NewEvent): Promise<OrderEvent> {
  const event = { step, status_detail: detail, created_at: work.now };
  const [row] = await orderEvent(work.tx, { ...tenantColumns(work.tenant), order_id: orderId, ...event });
  if (!row) throw new Error('An inserted row was not answered');
  return { id: row.id, ...event };
}

const orderEvent = readyQuery((tx, event: Omit<Insertable<Database['lab_order_event']>, 'id'>) =>
  tx
    .insertInto('lab_order_event')
    .values({
      team_id: event.team_id,
      environment: event.environment,
      order_id: event.order_id,
      step: event.step,
      status_detail: event.status_detail,
      created_at: event.created_at,
    })
    .returning('id'),
);

export type OrderChanges = Omit<Updateable<Database['lab_order']>, 'private'> & { private?: OrderPrivate };

/** Moves the order only if nobody moved it first; `undefined` means somebody did. */
export async function moveOrder(
  work: Work,
  order: Order,
  move: { step: Step; detail: StatusDetail | null; changes: OrderChanges },
): Promise<Order | undefined> {
  const [moved, event] = await Promise.all([
    update(work, order, { ...move.changes, step: move.step, status_detail: move.detail }),
    insertEvent(work, { orderId: order.id, step: move.step, detail: move.detail }),
  ]);
  return moved && merged({ ...order, private: move.changes.private ?? order.private }, moved, event);
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

/** What may have changed of an order since it was read. */
type MovedRow = Pick<OrderRow, (typeof MOVABLE)[number]>;

async function update(work: Work, order: Order, changes: OrderChanges): Promise<MovedRow | undefined> {
  const { private: people, ...rest } = changes;
  return updateRow(work.tx, 'lab_order', {
    set: { ...rest, ...(people ? { private: seal(work, people) } : {}), updated_at: work.now },
    where: { ...tenantColumns(work.tenant), id: order.id, step: order.step },
    returning: MOVABLE,
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
