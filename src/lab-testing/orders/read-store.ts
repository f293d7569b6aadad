import { sql } from 'kysely';
import { readyQuery } from '../../platform/db/ready-query.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import {
  HEAD,
  requisitionUrl,
  type Order,
  type OrderEvent,
  type OrderPrivate,
  type OrderRow,
  type Sibling,
} from './order.ts';
import { orderedTestOf } from './ordered-test-store.ts';

/** The place that an order's sealed part is bound to. */
export const PLACE = 'lab_order.private';

export const openPrivate = (work: Work, sealed: Buffer): OrderPrivate =>
  JSON.parse(work.cipher.open(sealed, PLACE));

interface ReadRow extends OrderRow {
  client_user_id: string;
  events: (Omit<OrderEvent, 'created_at'> & { created_at: string })[];
  siblings: (Omit<Sibling, 'step_at' | 'created_at' | 'updated_at'> &
    Record<'step_at' | 'created_at' | 'updated_at', string>)[];
}

type Sealed = Pick<ReadRow, 'private' | 'events' | 'siblings'>;

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

/** What may have changed of an order since it was read, and is cheap to read again. */
// prettier-ignore
export const MOVABLE = [
  'team_id', 'environment', 'id', 'user_id', 'transaction_id', 'origin',
  'parent_id', 'modality', 'step', 'status_detail', 'leg', 'registrable',
  'registered_at', 'lab_id', 'lab_slug', 'lab_account_id', 'lab_test_id', 'sample_id',
  'physician', 'shipment', 'priority',
  'billing_type', 'icd_codes', 'activate_by', 'passthrough', 'health_insurance_id', 'abn_due', 'interpretation',
  'has_missing_results', 'sms_enabled', 'waiting_reason', 'appointment_id', 'created_at', 'updated_at',
] as const satisfies readonly (keyof OrderRow)[];

const ROW = MOVABLE.map((column) => `o.${column}` as const);

export const wholeOrder = (query: ReturnType<typeof readOrders>) =>
  query
    .select([...ROW, 'o.ordered_test_id', 'o.private', 'u.client_user_id'])
    .select([EVENTS.as('events'), SIBLINGS.as('siblings')]);

export const openOrders = (work: Work, rows: readonly ReadRow[]): Promise<Order[]> =>
  Promise.all(rows.map((row) => openOrder(work, row)));

export async function openOrder(work: Work, row: ReadRow): Promise<Order> {
  const test = await orderedTestOf(work, row.ordered_test_id);
  return { ...row, lab_test: test, requisition_url: requisitionUrl(work, row.id), ...opened(work, row) };
}

const opened = (work: Work, { private: sealed, events, siblings }: Sealed) => ({
  private: openPrivate(work, sealed),
  events: events.map((event) => ({ ...event, created_at: new Date(event.created_at) })),
  siblings: siblings.map((sibling) => ({
    ...sibling,
    step_at: new Date(sibling.step_at),
    created_at: new Date(sibling.created_at),
    updated_at: new Date(sibling.updated_at),
  })),
});

const orderById = readyQuery((tx, one: Tenant & { id: string }) =>
  wholeOrder(ordersOf(tx, one)).where('o.id', '=', one.id),
);

export async function findOrder(work: Work, id: string): Promise<Order | undefined> {
  const [row] = await orderById(work.tx, { ...work.tenant, id });
  return row && openOrder(work, row);
}

/**
 * Where the planner sees how many ids there are it plans this anew each time, which takes longer than to run it; of what
 * a query of its own answers it sees nothing.
 */
const ordersById = readyQuery((tx, some: Tenant & { ids: readonly string[] }) =>
  tx
    .selectFrom(
      sql<{ id: string }>`unnest(array(select unnest(${some.ids}::uuid[])))`.as<'wanted'>(sql`wanted (id)`),
    )
    .innerJoinLateral(
      wholeOrder(ordersOf(tx, some))
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

const HEAD_ROW = HEAD.map((column) => `o.${column}` as const);

/** What the results of an order say of the order itself; whoever keeps results asks for them in the same query. */
export const headOfOrder = (tx: Work['tx'], one: Tenant & { orderId: string }) =>
  ordersOf(tx, one)
    .select([...HEAD_ROW, 'o.private', EVENTS.as('events'), SIBLINGS.as('siblings')])
    .where('o.id', '=', one.orderId);

export const openHead = <R extends Sealed>(work: Work, row: R) => ({ ...row, ...opened(work, row) });

/** The order whose kit or specimen carries this id; a kit to be registered before what only bears the same number. */
export async function findBySample(work: Work, sampleId: string): Promise<Order | undefined> {
  const row = await wholeOrder(readOrders(work))
    .where('o.sample_id', '=', sampleId)
    .orderBy('o.registrable', 'desc')
    .orderBy('o.created_at', 'desc')
    .executeTakeFirst();
  return row && openOrder(work, row);
}

export async function listSiblings(work: Work, transactionId: string): Promise<Sibling[]> {
  const row = await wholeOrder(readOrders(work))
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
