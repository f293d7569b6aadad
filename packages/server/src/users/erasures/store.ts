import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { USER_TABLES, type UserTable } from './user-tables.ts';
import './table.ts';

type CertificateRow = Selectable<Database['erasure_certificate']>;

/** The condition of a table's rows that belong to a user, for the alias of the table. */
export function isOfUser(
  { teamId, environment }: Tenant,
  userId: string,
  entry: UserTable,
): RawBuilder<boolean> {
  const own = sql`x.team_id = ${teamId} and x.environment = ${environment}`;
  const column = sql.ref(`x.${entry.column}`);
  const { of } = entry;
  if (!of) return sql<boolean>`${own} and ${column} = ${userId}::uuid`;
  const parent = USER_TABLES.find(({ table }) => table === of.table);
  if (!parent) throw new Error(`The table of users' data has no entry for ${of.table}`);
  return sql<boolean>`${own} and ${column} in (
    select ${sql.ref(`x.${of.column}`)} from ${sql.table(of.table)} x
    where ${isOfUser({ teamId, environment }, userId, parent)})`;
}

/** How many rows each table has about a user; those without any are left out. */
export async function countRows(
  { tx, tenant }: Work,
  userId: string,
): Promise<{ table: string; rows: number }[]> {
  const counted: { table: string; rows: number }[] = [];
  for (const entry of USER_TABLES) {
    const { rows } = await sql<{ rows: number }>`
      select count(*)::int as rows from ${sql.table(entry.table)} x
      where ${isOfUser(tenant, userId, entry)}`.execute(tx);
    const count = rows[0]?.rows ?? 0;
    if (count > 0) counted.push({ table: entry.table, rows: count });
  }
  return counted;
}

/** What an erasure leaves. */
interface RemainingFacts {
  readonly access_log_lines: number;
  readonly unassigned_reports: number;
  readonly laboratories: { lab: string; orders: number }[];
}

export async function findRemaining({ tx, tenant }: Work, userId: string): Promise<RemainingFacts> {
  const own = (row: string) => sql`${sql.ref(`${row}.team_id`)} = ${tenant.teamId}
    and ${sql.ref(`${row}.environment`)} = ${tenant.environment}`;
  const { rows } = await sql<RemainingFacts>`
    with orders as materialized (
      select o.id, o.lab_slug from lab_order o where ${own('o')} and o.user_id = ${userId})
    select (select count(*)::int from access_log l where ${own('l')} and l.about_user = ${userId}) as access_log_lines,
      (select count(*)::int from incoming_result r where ${own('r')} and r.order_id is null
        and exists (select from jsonb_array_elements(r.candidates) c join orders o on o.id::text = c->>'order_id'))
        as unassigned_reports,
      coalesce((select json_agg(json_build_object('lab', lab_slug, 'orders', n) order by lab_slug)
        from (select lab_slug, count(*)::int as n from orders group by 1) l), '[]') as laboratories`.execute(
    tx,
  );
  return rows[0] ?? { access_log_lines: 0, unassigned_reports: 0, laboratories: [] };
}

/** As the system role. Returns the organization of the team. */
export async function insertCertificate(
  tx: Tx,
  tenant: Tenant,
  certificate: Pick<CertificateRow, 'about_user' | 'finished_at' | 'document' | 'digest'>,
): Promise<string> {
  await tx
    .insertInto('erasure_certificate')
    .values({ ...tenantColumns(tenant), ...certificate })
    .execute();
  const { rows } = await sql<{ org_id: string }>`
    select org_id from team where id = ${tenant.teamId}`.execute(tx);
  const [team] = rows;
  if (!team) throw new Error('The team of an erased user is missing');
  return team.org_id;
}

export const findCertificate = ({ tx, tenant }: Work, userId: string): Promise<CertificateRow | undefined> =>
  tx
    .selectFrom('erasure_certificate')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('about_user', '=', userId)
    .executeTakeFirst();

interface StoredAnswer {
  readonly operation: string;
  readonly idempotency_key: string;
  readonly answer: Buffer;
}

/** Stored responses that are not newer than a time, after a key. */
export async function listStoredAnswers(
  { tx, tenant }: Work,
  { until, after, limit }: { until: Date; after: StoredAnswer | undefined; limit: number },
): Promise<StoredAnswer[]> {
  const { rows } = await sql<StoredAnswer>`
    select operation, idempotency_key, answer from idempotency_record
    where team_id = ${tenant.teamId} and environment = ${tenant.environment} and created_at <= ${until}
      and (operation, idempotency_key) > (${after?.operation ?? ''}, ${after?.idempotency_key ?? ''})
    order by operation, idempotency_key limit ${limit}`.execute(tx);
  return rows;
}

export async function deleteStoredAnswers(
  { tx, tenant }: Work,
  answers: readonly StoredAnswer[],
): Promise<void> {
  for (const { operation, idempotency_key: key } of answers)
    await tx
      .deleteFrom('idempotency_record')
      .where('team_id', '=', tenant.teamId)
      .where('environment', '=', tenant.environment)
      .where('operation', '=', operation)
      .where('idempotency_key', '=', key)
      .execute();
}

export async function listOrderIds({ tx, tenant }: Work, userId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('lab_order')
    .select('id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('user_id', '=', userId)
    .execute();
  return rows.map(({ id }) => id);
}
