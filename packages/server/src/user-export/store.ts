import { sql } from 'kysely';
import type { Tx } from '../platform/db/database.ts';
import type { Work } from '../platform/work.ts';
import { isOfUser, type UserTable } from '../users/erasures/erasures.ts';

/** A column of a primary key after those of the tenant. */
interface KeyColumn {
  readonly name: string;
  readonly type: string;
}

export async function listKeyColumns(tx: Tx, table: string): Promise<KeyColumn[]> {
  const { rows } = await sql<KeyColumn>`
    select a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type
    from pg_index i, unnest(i.indkey) with ordinality as k (att, place)
      join pg_attribute a on a.attnum = k.att
    where i.indrelid = ${table}::regclass and i.indisprimary and a.attrelid = i.indrelid
      and a.attname not in ('team_id', 'environment')
    order by k.place`.execute(tx);
  return rows;
}

/** A row as JSON, with the text of its key. */
interface ExportedRow {
  readonly row: Record<string, unknown>;
  readonly key: string[];
}

/** The rows of a table about a user after a key, in the order of the key. */
export async function listRows(
  { tx, tenant }: Work,
  { userId, entry }: { userId: string; entry: UserTable },
  { keys, after, limit }: { keys: readonly KeyColumn[]; after: readonly string[] | undefined; limit: number },
): Promise<ExportedRow[]> {
  const columns = keys.map(({ name }) => sql`${sql.ref(`x.${name}`)}`);
  const texts = sql.join(keys.map(({ name }) => sql`${sql.ref(`x.${name}`)}::text`));
  const values = sql.join(keys.map(({ type }, at) => sql`${after?.[at] ?? ''}::text::${sql.raw(type)}`));
  const isLater = after === undefined ? sql`true` : sql`(${sql.join(columns)}) > (${values})`;
  const { rows } = await sql<ExportedRow>`
    select to_jsonb(x) - 'team_id' - 'environment' as row, array[${texts}] as key
    from ${sql.table(entry.table)} x
    where ${isOfUser(tenant, userId, entry)} and ${isLater}
    order by ${sql.join(columns)} limit ${limit}`.execute(tx);
  return rows;
}

/** The ids of the user's orders, and the resources of the user's samples. */
export async function listOrdersAndResources(
  { tx, tenant }: Work,
  userId: string,
): Promise<{ orderIds: string[]; resources: string[] }> {
  const { rows } = await sql<{ orderIds: string[]; resources: string[] }>`
    select array(select id::text from lab_order where team_id = ${tenant.teamId}
        and environment = ${tenant.environment} and user_id = ${userId} order by id) as "orderIds",
      array(select distinct resource from sample_stream where team_id = ${tenant.teamId}
        and environment = ${tenant.environment} and user_id = ${userId} order by 1) as resources`.execute(tx);
  return rows[0] ?? { orderIds: [], resources: [] };
}

interface ReportFileEntry {
  readonly id: string;
  readonly job_id: string;
  readonly media_type: string | null;
}

export async function listReportFiles({ tx, tenant }: Work, userId: string): Promise<ReportFileEntry[]> {
  const { rows } = await sql<ReportFileEntry>`
    select f.id, f.job_id, f.media_type from lab_report_file f join lab_report_job j
      on j.team_id = f.team_id and j.environment = f.environment and j.id = f.job_id
    where j.team_id = ${tenant.teamId} and j.environment = ${tenant.environment} and j.user_id = ${userId}
    order by f.job_id, f.place`.execute(tx);
  return rows;
}

/** Lines of the access log about the user, after a position. */
export async function listAccessLines(
  { tx, tenant }: Work,
  { userId, after, limit }: { userId: string; after: number; limit: number },
): Promise<{ place: number; at: Date }[]> {
  const { rows } = await sql<{ place: number; at: Date }>`
    select place, at, kind, key_id, operation, method, status, about_order as order_id, about as other_ids, request_id
    from access_log where team_id = ${tenant.teamId} and environment = ${tenant.environment}
      and about_user = ${userId} and place > ${after} order by place limit ${limit}`.execute(tx);
  return rows;
}
