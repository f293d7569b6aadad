import { sql, type Insertable, type Updateable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { insertRow } from '../../platform/db/insert-row.ts';
import { readyQuery } from '../../platform/db/ready-query.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { newId } from '../../platform/ids.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { defer, type Work } from '../../platform/work.ts';
import type { LabTestSnapshot } from '../catalog/catalog.ts';
import type { Order, OrderEvent, OrderPrivate, OrderRow, Sibling } from './order.ts';
import { orderedTestOf } from './ordered-test-text.ts';
import type { StatusDetail, Step } from './status.ts';

const PLACE = 'lab_order.private';

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
  const { id } = await work.tx
    .insertInto('lab_order_event')
    .values({ ...tenantColumns(work.tenant), order_id: orderId, ...event })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { id, ...event };
}

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

async function update(work: Work, order: Order, changes: OrderChanges): Promise<OrderRow | undefined> {
  const { private: people, ...rest } = changes;
  return work.tx
    .updateTable('lab_order')
    .set({ ...rest, ...(people ? { private: seal(work, people) } : {}), updated_at: work.now })
    .where('team_id', '=', work.tenant.teamId)
    .where('environment', '=', work.tenant.environment)
    .where('id', '=', order.id)
    .where('step', '=', order.step)
    .returningAll()
    .executeTakeFirst();
}

/** The order as it stands now, from what was read and what was written. */
function merged(order: Order, row: OrderRow, event?: OrderEvent): Order {
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
  const { private: _sealed, ...open } = row;
  return {
    ...order,
    ...open,
    private: order.private,
    events: event ? [...order.events, event] : order.events,
    siblings,
  };
}

interface ReadRow extends Omit<OrderRow, 'lab_test'> {
  /** The text of it, as it stands in the row. */
  lab_test: string;
  client_user_id: string;
  events: (Omit<OrderEvent, 'created_at'> & { created_at: string })[];
  siblings: (Omit<Sibling, 'step_at' | 'created_at' | 'updated_at'> &
    Record<'step_at' | 'created_at' | 'updated_at', string>)[];
}

const EVENTS = sql<ReadRow['events']>`(
  select json_agg(json_build_object('id', e.id, 'step', e.step, 'status_detail', e.status_detail,
    'created_at', e.created_at) order by e.id)
  from lab_order_event e
  where e.team_id = o.team_id and e.environment = o.environment and e.order_id = o.id)`;

const SIBLINGS = sql<ReadRow['siblings']>`(
  select json_agg(json_build_object('id', s.id, 'modality', s.modality, 'step', s.step, 'origin', s.origin,
    'parent_id', s.parent_id, 'created_at', s.created_at, 'updated_at', s.updated_at,
    'step_at', (select max(e.created_at) from lab_order_event e
      where e.team_id = s.team_id and e.environment = s.environment and e.order_id = s.id)) order by s.created_at, s.id)
  from lab_order s
  where s.team_id = o.team_id and s.environment = o.environment and s.transaction_id = o.transaction_id)`;

/** Orders with all that a view needs, in one query; those of a deleted user are not there. */
export const readOrders = ({ tx, tenant }: Work) => ordersOf(tx, tenant);

const ordersOf = (tx: Work['tx'], tenant: Tenant) =>
  tx
    .selectFrom('lab_order as o')
    .innerJoin('app_user as u', (join) =>
      join
        .onRef('u.team_id', '=', 'o.team_id')
        .onRef('u.environment', '=', 'o.environment')
        .onRef('u.id', '=', 'o.user_id')
        .on('u.deleted_at', 'is', null),
    )
    .where('o.team_id', '=', tenant.teamId)
    .where('o.environment', '=', tenant.environment);

// prettier-ignore
const ROW = [
  'o.team_id', 'o.environment', 'o.id', 'o.user_id', 'o.transaction_id', 'o.origin',
  'o.parent_id', 'o.modality', 'o.step', 'o.status_detail', 'o.leg', 'o.registrable',
  'o.registered_at', 'o.lab_id', 'o.lab_slug', 'o.lab_account_id', 'o.lab_test_id', 'o.sample_id',
  'o.private', 'o.patient_name', 'o.recipient_name', 'o.physician', 'o.shipment', 'o.priority',
  'o.billing_type', 'o.icd_codes', 'o.activate_by', 'o.passthrough', 'o.health_insurance_id', 'o.abn_due', 'o.interpretation',
  'o.has_missing_results', 'o.sms_enabled', 'o.waiting_reason', 'o.created_at', 'o.updated_at',
] as const;

export const wholeOrder = (query: ReturnType<typeof readOrders>) =>
  query
    .select(ROW)
    .select(['u.client_user_id', EVENTS.as('events'), SIBLINGS.as('siblings')])
    .select(sql<string>`o.lab_test::text`.as('lab_test'));

export function openOrder(work: Work, row: ReadRow): Order {
  return {
    ...row,
    lab_test: orderedTestOf(row.lab_test),
    private: JSON.parse(work.cipher.open(row.private, PLACE)),
    events: row.events.map((event) => ({ ...event, created_at: new Date(event.created_at) })),
    siblings: row.siblings.map((sibling) => ({
      ...sibling,
      step_at: new Date(sibling.step_at),
      created_at: new Date(sibling.created_at),
      updated_at: new Date(sibling.updated_at),
    })),
  };
}

const orderById = readyQuery((tx, one: Tenant & { id: string }) =>
  wholeOrder(ordersOf(tx, one)).where('o.id', '=', one.id),
);

export async function findOrder(work: Work, id: string): Promise<Order | undefined> {
  const [row] = await orderById(work.tx, { ...work.tenant, id });
  return row && openOrder(work, row);
}

/** The order whose kit or specimen carries this id; a kit to be registered before what only bears the same number. */
export async function findBySample(work: Work, sampleId: string): Promise<Order | undefined> {
  const row = await wholeOrder(readOrders(work))
    .where('o.sample_id', '=', sampleId)
    .orderBy('o.registrable', 'desc')
    .orderBy('o.created_at', 'desc')
    .executeTakeFirst();
  return row && openOrder(work, row);
}

async function listSiblings(work: Work, transactionId: string): Promise<Sibling[]> {
  const row = await wholeOrder(readOrders(work))
    .where('o.transaction_id', '=', transactionId)
    .executeTakeFirst();
  return row ? [...openOrder(work, row).siblings] : [];
}

export async function countOrders({ tx, tenant }: Work): Promise<number> {
  const { count } = await tx
    .selectFrom('lab_order')
    .select(sql<number>`count(*)`.as('count'))
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .executeTakeFirstOrThrow();
  return count;
}
