import { sql } from 'kysely';
import { precompileQuery } from '../../platform/db/precompiled-query.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import {
  ORDER_HEAD_COLUMNS,
  requisitionUrl,
  type Order,
  type OrderEvent,
  type OrderPrivate,
  type OrderRow,
  type SiblingOrder,
} from './order.ts';
import { getOrderedTest } from './ordered-test-store.ts';

/** The column that an order's sealed data is bound to (additional authenticated data). */
export const ORDER_SEAL_CONTEXT = 'lab_order.private';

export const openPrivate = (work: Work, sealed: Buffer): OrderPrivate =>
  JSON.parse(work.cipher.open(sealed, ORDER_SEAL_CONTEXT));

interface JoinedOrderRow extends OrderRow {
  client_user_id: string;
  events: (Omit<OrderEvent, 'created_at'> & { created_at: string })[];
  siblings: (Omit<SiblingOrder, 'step_at' | 'created_at' | 'updated_at'> &
    Record<'step_at' | 'created_at' | 'updated_at', string>)[];
}

type SealedOrderRow = Pick<JoinedOrderRow, 'private' | 'events' | 'siblings'>;

const EVENTS = sql<JoinedOrderRow['events']>`(
  select json_agg(json_build_object('id', coalesce(e.public_id, e.id), 'step', e.step, 'status_detail', e.status_detail,
    'created_at', e.created_at) order by e.id)
  from lab_order_event e
  where e.team_id = o.team_id and e.environment = o.environment and e.order_id = o.id)`;

const SIBLINGS = sql<JoinedOrderRow['siblings']>`(
  select json_agg(json_build_object('id', s.id, 'modality', s.modality, 'step', s.step, 'origin', s.origin,
    'parent_id', s.parent_id, 'created_at', s.created_at, 'updated_at', s.updated_at,
    'step_at', (select max(e.created_at) from lab_order_event e
      where e.team_id = s.team_id and e.environment = s.environment and e.order_id = s.id)) order by s.created_at, s.id)
  from lab_order s
  where s.team_id = o.team_id and s.environment = o.environment and s.transaction_id = o.transaction_id)`;

/** Query for the tenant's orders. Orders of deleted users are left out. */
export const selectOrders = ({ tx, tenant }: Work) => selectOrdersOfTenant(tx, tenant);

const selectOrdersOfTenant = (tx: Work['tx'], tenant: Tenant) =>
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

/**
 * The columns that every read of an order selects and every write returns: those of `OrderRow` except `private` and
 * `ordered_test_id`. A new column of `lab_order` must be added here.
 */
// prettier-ignore
export const REFRESHED_COLUMNS = [
  'team_id', 'environment', 'id', 'user_id', 'transaction_id', 'origin',
  'parent_id', 'modality', 'step', 'status_detail', 'leg', 'registrable',
  'registered_at', 'lab_id', 'lab_slug', 'lab_account_id', 'lab_test_id', 'sample_id',
  'physician', 'shipment', 'priority',
  'billing_type', 'icd_codes', 'activate_by', 'passthrough', 'health_insurance_id', 'abn_due', 'interpretation',
  'has_missing_results', 'sms_enabled', 'waiting_reason', 'appointment_id', 'created_at', 'updated_at',
] as const satisfies readonly (keyof OrderRow)[];

const ROW_COLUMNS = REFRESHED_COLUMNS.map((column) => `o.${column}` as const);

export const selectFullOrder = (query: ReturnType<typeof selectOrders>) =>
  query
    .select([...ROW_COLUMNS, 'o.ordered_test_id', 'o.private', 'u.client_user_id'])
    .select([EVENTS.as('events'), SIBLINGS.as('siblings')]);

export const openOrders = (work: Work, rows: readonly JoinedOrderRow[]): Promise<Order[]> =>
  Promise.all(rows.map((row) => openOrder(work, row)));

export async function openOrder(work: Work, row: JoinedOrderRow): Promise<Order> {
  const test = await getOrderedTest(work, row.ordered_test_id);
  return { ...row, lab_test: test, requisition_url: requisitionUrl(work, row.id), ...openParts(work, row) };
}

const openParts = (work: Work, { private: sealed, events, siblings }: SealedOrderRow) => ({
  private: openPrivate(work, sealed),
  events: events.map((event) => ({ ...event, created_at: new Date(event.created_at) })),
  siblings: siblings.map((sibling) => ({
    ...sibling,
    step_at: new Date(sibling.step_at),
    created_at: new Date(sibling.created_at),
    updated_at: new Date(sibling.updated_at),
  })),
});

const orderById = precompileQuery((tx, one: Tenant & { id: string }) =>
  selectFullOrder(selectOrdersOfTenant(tx, one)).where('o.id', '=', one.id),
);

export async function findOrder(work: Work, id: string): Promise<Order | undefined> {
  const [row] = await orderById(work.tx, { ...work.tenant, id });
  return row && openOrder(work, row);
}

/**
 * The subselect hides the number of ids from the planner. Otherwise it would make a new plan for every execution, which
 * takes longer than the query.
 */
const ordersById = precompileQuery((tx, some: Tenant & { ids: readonly string[] }) =>
  tx
    .selectFrom(
      sql<{ id: string }>`unnest(array(select unnest(${some.ids}::uuid[])))`.as<'wanted'>(sql`wanted (id)`),
    )
    .innerJoinLateral(
      selectFullOrder(selectOrdersOfTenant(tx, some))
        .where('o.id', '=', sql<string>`wanted.id`)
        .limit(1)
        .as('found'),
      (join) => join.onTrue(),
    )
    .selectAll('found'),
);

/** These orders by their ids, in one query. */
export async function findOrders(work: Work, ids: readonly string[]): Promise<ReadonlyMap<string, Order>> {
  const rows = await ordersById(work.tx, { ...work.tenant, ids });
  const orders = await openOrders(work, rows);
  return new Map(orders.map((order) => [order.id, order]));
}

const HEAD_ROW_COLUMNS = ORDER_HEAD_COLUMNS.map((column) => `o.${column}` as const);

/** The part of an order that results show. Result stores join it into their own query. */
export const selectOrderHead = (tx: Work['tx'], one: Tenant & { orderId: string }) =>
  selectOrdersOfTenant(tx, one)
    .select([...HEAD_ROW_COLUMNS, 'o.private', EVENTS.as('events'), SIBLINGS.as('siblings')])
    .where('o.id', '=', one.orderId);

export const openOrderHead = <R extends SealedOrderRow>(work: Work, row: R) => ({
  ...row,
  ...openParts(work, row),
});

/** The order with this sample id. Registrable kits take precedence, then the newest order. */
export async function findOrderBySampleId(work: Work, sampleId: string): Promise<Order | undefined> {
  const row = await selectFullOrder(selectOrders(work))
    .where('o.sample_id', '=', sampleId)
    .orderBy('o.registrable', 'desc')
    .orderBy('o.created_at', 'desc')
    .executeTakeFirst();
  return row && openOrder(work, row);
}

export async function listSiblings(work: Work, transactionId: string): Promise<SiblingOrder[]> {
  const row = await selectFullOrder(selectOrders(work))
    .where('o.transaction_id', '=', transactionId)
    .executeTakeFirst();
  return row ? [...(await openOrder(work, row)).siblings] : [];
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
