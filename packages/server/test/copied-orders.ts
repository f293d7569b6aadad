import type { ClientBase } from 'pg';
import { NAME_SEAL_CONTEXT, nameId, nameKey, nameTokens } from '../src/ordering/orders/names.ts';
import type { TenantCipher } from '../src/platform/crypto/cipher.ts';

interface OrderCopies {
  /** A walk-in order written by the service; its team gets the copies. */
  readonly orderId: string;
  readonly count: number;
  /** The cipher of that team. */
  readonly cipher: TenantCipher;
}

/** Number of orders of each rare kind, regardless of the number of copies. */
const RARE_COUNT = 60;

/**
 * Copies an order by SQL without triggers and foreign keys, and spreads the copies over statuses, names, users and two
 * years. Every tenth patient is Ada Lovelace. There are about sixty of each rare kind, evenly spread:
 * lost kits, critical results, Quirina Rarely, parcels for Xavier Seldom, scheduled orders, on-site draws, the orders
 * of one user, and orders that changed after all others.
 */
export async function copyOrders(client: ClientBase, { orderId, count, cipher }: OrderCopies): Promise<void> {
  const every = Math.max(10, Math.floor(count / RARE_COUNT));
  await client.query('set session_replication_role = replica');
  const { rows } = await client.query<{ name: string }>(NAMES, [orderId, count, every]);
  await client.query('create temp table copied_name (name text primary key, id uuid not null)');
  for (let from = 0; from < rows.length; from += NAME_BATCH) {
    const names = rows.slice(from, from + NAME_BATCH).map(({ name }) => sealName(cipher, name));
    const column = (key: keyof (typeof names)[number]) => names.map((name) => name[key]);
    await client.query(INSERT_NAMES, [
      orderId,
      column('id'),
      column('sealed'),
      column('begins'),
      column('ends'),
    ]);
    await client.query(NAME_IDS, [column('name'), column('id')]);
  }
  await client.query(TOKENS, [orderId]);
  for (const statement of [USERS, TRANSACTIONS, ORDERS, EVENTS]) {
    await client.query(statement, [orderId, count, every]);
  }
  await client.query('drop table copied_name');
  await client.query('set session_replication_role = default');
}

const NAME_BATCH = 2000;

function sealName(cipher: TenantCipher, name: string) {
  const key = nameKey(name);
  const { begins, ends } = nameTokens(cipher, key);
  const sealed = cipher.seal(key, NAME_SEAL_CONTEXT);
  return { name, id: nameId(cipher, key), sealed, begins: `{${begins.join()}}`, ends: `{${ends.join()}}` };
}

/** Ids that increase with n, as the service's ids do, and differ between kinds and teams. */
const idExpression = (kind: string, n = 'n') =>
  `(substr(m.team_id::text, 1, 8) || '-${kind}-7' || substr(m.id::text, 16, 3) || '-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
const FROM_MODEL = 'from lab_order m, generate_series(1, $2::int) as n where m.id = $1 and $3::int > 0';
const isRare = (kind: number) => `n % $3::int = ${kind}`;
const userOf = idExpression('0001', `case when ${isRare(6)} then 0 else n / 10 end`);

const USERS = `
  insert into app_user (team_id, environment, id, client_user_id, created_at)
  select m.team_id, m.environment, ${idExpression('0001')}, 'copied-' || n, m.created_at
  from lab_order m, generate_series(0, $2::int / 10) as n where m.id = $1 and $3::int > 0`;

const TRANSACTIONS = `
  insert into order_transaction (team_id, environment, id, user_id, created_at)
  select m.team_id, m.environment, ${idExpression('0002')}, ${userOf}, m.created_at ${FROM_MODEL}`;

const PLACED = `m.created_at - interval '2 years' * (1 - n::float8 / $2::int)`;

const PATIENT = `
  case when ${isRare(2)} then 'Quirina Rarely' when n % 10 = 0 then 'Ada Lovelace'
    when n % 50 = 1 then null
    else translate((n % 97)::text, '0123456789', 'abcdefghij') || case when n % 20 = 3 then ' de la ' else ' ' end
      || translate((n % 1009)::text, '0123456789', 'abcdefghij') || case when n % 20 = 7 then '-Smith' else '' end end`;
const RECIPIENT = `case when ${isRare(3)} then 'Xavier Seldom' when n % 4 = 0 then 'Ada Lovelace' end`;

const NAMES = `
  select distinct name from (select ${PATIENT} as name ${FROM_MODEL} union all select ${RECIPIENT} ${FROM_MODEL}) as names
  where name is not null`;

const INSERT_NAMES = `
  insert into order_name (team_id, environment, id, name, begins, ends, created_at)
  select m.team_id, m.environment, given.id, given.name, given.begins::bigint[], given.ends::bigint[], m.created_at
  from lab_order m, unnest($2::uuid[], $3::bytea[], $4::text[], $5::text[]) as given (id, name, begins, ends)
  where m.id = $1
  on conflict do nothing`;

const NAME_IDS =
  'insert into copied_name (name, id) select name, id from unnest($1::text[], $2::uuid[]) as given (name, id)';

const TOKENS = `
  insert into order_name_token (team_id, environment, token, name_id, since)
  select n.team_id, n.environment, t.token, n.id, t.since
  from lab_order m, order_name n, lateral (
    select unnest(n.begins), null::timestamptz union all select unnest(n.ends), n.created_at) as t (token, since)
  where m.id = $1 and n.team_id = m.team_id and n.environment = m.environment
  order by t.token, n.id
  on conflict do nothing`;

const ORDERS = `
  insert into lab_order (team_id, environment, id, user_id, transaction_id, origin, modality, step, leg, registrable,
    lab_id, lab_slug, lab_account_id, lab_test_id, ordered_test_id, sample_id, private, patient_name_id, recipient_name_id,
    physician, priority, billing_type, activate_by, interpretation, has_missing_results, created_at, updated_at)
  select m.team_id, m.environment, ${idExpression('0003')}, ${userOf}, ${idExpression('0002')}, m.origin,
    case when ${isRare(0)} then 'testkit' when ${isRare(5)} then 'on_site_collection'
      when n % 4 = 0 then 'testkit' when n % 4 = 1 then 'at_home_phlebotomy' else 'walk_in_test' end,
    case when ${isRare(0)} then 'lost' when ${isRare(1)} then 'completed' when ${isRare(4)} then 'ordered'
      when n % 10 < 6 then 'completed' when n % 10 < 8 then 'ordered' else 'requisition_created' end,
    'stock', false, m.lab_id, m.lab_slug, m.lab_account_id, m.lab_test_id, m.ordered_test_id, 'COPY' || n, m.private,
    p.id, r.id,
    m.physician, m.priority, m.billing_type, case when ${isRare(4)} then date '2030-01-01' end,
    case when ${isRare(1)} then 'critical' when ${isRare(0)} or ${isRare(4)} or n % 10 > 5 then null
      when n % 10 = 5 then 'abnormal' else 'normal' end,
    false, ${PLACED},
    ${PLACED} + case when ${isRare(7)} then interval '3 years' else interval '1 day' * (n % 7) end
  from lab_order m cross join generate_series(1, $2::int) as n
    left join copied_name p on p.name = (${PATIENT}) left join copied_name r on r.name = (${RECIPIENT})
  where m.id = $1 and $3::int > 0`;

const EVENTS = `
  insert into lab_order_event (team_id, environment, order_id, step, created_at)
  select o.team_id, o.environment, o.id, o.step, o.updated_at
  from lab_order m, lab_order o
  where m.id = $1 and o.team_id = m.team_id and o.environment = m.environment and o.id <> m.id
    and $2::int > 0 and $3::int > 0`;
