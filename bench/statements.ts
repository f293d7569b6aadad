import type pg from 'pg';

/**
 * The statements of the bare server, written by hand and prepared by name: the same rows in the same tables, the same
 * reads. They bypass row-level security, because the bare server connects as the owner of the database.
 */
const ORDER_COLUMNS = named(`
  team_id environment id user_id transaction_id origin modality step leg registrable lab_id lab_slug lab_account_id
  lab_test_id ordered_test_id private patient_name_id recipient_name_id physician shipment priority billing_type icd_codes
  activate_by passthrough health_insurance_id created_at updated_at`);

const EVENT_COLUMNS = named('team_id environment id event_type user_id client_user_id data created_at');

function named(columns: string): readonly string[] {
  return columns.trim().split(/\s+/);
}

const insertStatement = (table: string, columns: readonly string[]) =>
  `insert into ${table} (${columns.join(', ')}) values (${columns.map((_, at) => `$${at + 1}`).join(', ')})`;

export interface BareStatement {
  readonly name: string;
  readonly text: string;
}

export const insertTransaction: BareStatement = {
  name: 'insert_transaction',
  text: insertStatement('order_transaction', ['team_id', 'environment', 'id', 'user_id', 'created_at']),
};
export const insertOrder: BareStatement = {
  name: 'insert_order',
  text: insertStatement('lab_order', ORDER_COLUMNS),
};
export const insertOrderEvent: BareStatement = {
  name: 'insert_order_event',
  text: `${insertStatement('lab_order_event', ['team_id', 'environment', 'order_id', 'step', 'created_at'])} returning id`,
};
export const insertEvent: BareStatement = {
  name: 'insert_event',
  text: insertStatement('event', EVENT_COLUMNS),
};

const OF_TENANT = 'team_id = $1 and environment = $2';

export const readOrder: BareStatement = {
  name: 'read_order',
  text: `select o.*, t.document as lab_test, u.client_user_id,
    (select json_agg(json_build_object('id', e.id, 'step', e.step, 'created_at', e.created_at) order by e.id)
      from lab_order_event e
      where e.team_id = o.team_id and e.environment = o.environment and e.order_id = o.id) as events,
    (select json_agg(json_build_object('id', s.id, 'step', s.step, 'origin', s.origin, 'created_at', s.created_at,
        'step_at', (select max(e.created_at) from lab_order_event e
          where e.team_id = s.team_id and e.environment = s.environment and e.order_id = s.id)))
      from lab_order s
      where s.team_id = o.team_id and s.environment = o.environment and s.transaction_id = o.transaction_id) as siblings
    from lab_order o join app_user u on u.team_id = o.team_id and u.environment = o.environment
      and u.id = o.user_id and u.deleted_at is null
    join ordered_lab_test t on t.team_id = o.team_id and t.environment = o.environment and t.id = o.ordered_test_id
    where o.team_id = $1 and o.environment = $2 and o.id = $3`,
};
export const readResult: BareStatement = {
  name: 'read_result',
  text: `select * from lab_result where ${OF_TENANT} and order_id = $3 order by version desc limit 1`,
};
export const listUsers: BareStatement = {
  name: 'list_users',
  text: `select * from app_user where ${OF_TENANT} and deleted_at is null order by created_at, id offset $3 limit $4`,
};
export const countUsers: BareStatement = {
  name: 'count_users',
  text: `select count(*)::int as count from app_user where ${OF_TENANT} and deleted_at is null`,
};

/** The rows that the service wrote for one order. The bare server writes rows of exactly the same length. */
interface ModelRows {
  readonly order: Record<string, unknown>;
  readonly event: Record<string, unknown>;
}

export async function readModelRows(pool: pg.Pool | pg.ClientBase, orderId: string): Promise<ModelRows> {
  const orders = await pool.query<Record<string, unknown>>(
    'select *, physician::text as physician from lab_order where id = $1',
    [orderId],
  );
  const [order] = orders.rows;
  const events = await pool.query<Record<string, unknown>>(
    "select * from event where user_id = $1 and event_type = 'labtest.order.created' order by id limit 1",
    [order?.['user_id']],
  );
  const [event] = events.rows;
  if (!order || !event) throw new Error(`Order ${orderId} or its event does not exist`);
  return { order, event };
}

export const orderValues = (order: Record<string, unknown>) => ORDER_COLUMNS.map((column) => order[column]);
export const eventValues = (event: Record<string, unknown>) => EVENT_COLUMNS.map((column) => event[column]);
