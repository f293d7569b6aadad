import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { RemovedCount } from '../../platform/db/removal.ts';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import { execute } from '../../platform/db/transact.ts';
import type { Work } from '../../platform/work.ts';
import './table.ts';

export type RequestLogRow = Selectable<Database['request_log']>;

/** A request to write. `locations` is JSON. */
export interface NewRequestLogEntry
  extends TenantColumns, Omit<RequestLogRow, keyof TenantColumns | 'place' | 'locations'> {
  readonly locations: string | null;
}

/** Commits asynchronously: a power failure loses no more than a killed process does. */
export async function insertRequests(tx: Tx, rows: readonly NewRequestLogEntry[]): Promise<void> {
  await execute(tx, 'SET LOCAL synchronous_commit = off');
  const all = <K extends keyof NewRequestLogEntry>(column: K) => rows.map((row) => row[column]);
  await sql`
    insert into request_log (team_id, environment, at, kind, key_id, operation, method, route, path, status, duration_ms,
      request_id, idempotency_key, problem, locations)
    select * from unnest(${all('team_id')}::uuid[], ${all('environment')}::text[], ${all('at')}::timestamptz[],
      ${all('kind')}::text[], ${all('key_id')}::text[], ${all('operation')}::text[], ${all('method')}::text[],
      ${all('route')}::text[], ${all('path')}::text[], ${all('status')}::smallint[],
      ${all('duration_ms')}::integer[], ${all('request_id')}::text[], ${all('idempotency_key')}::text[],
      ${all('problem')}::text[], ${all('locations')}::text[]::jsonb[])`.execute(tx);
}

/** Where a request stands in the log. */
export interface RequestPosition {
  readonly at: Date;
  readonly place: number;
}

export interface RequestLogFilter {
  readonly minStatus: number | undefined;
  readonly maxStatus: number | undefined;
  readonly method: string | undefined;
  /** The beginning of the path. */
  readonly path: string | undefined;
  readonly operation: string | undefined;
  readonly keyId: string | undefined;
  readonly requestId: string | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

const conditionsOf = (filter: RequestLogFilter): RawBuilder<unknown> => {
  const { minStatus, maxStatus, method, path, operation, keyId } = filter;
  const conditions = [
    ...(minStatus === undefined ? [] : [sql`status >= ${minStatus}`]),
    ...(maxStatus === undefined ? [] : [sql`status <= ${maxStatus}`]),
    ...(method === undefined ? [] : [sql`method = ${method}`]),
    ...(path === undefined ? [] : [sql`(starts_with(path, ${path}) or starts_with(route, ${path}))`]),
    ...(operation === undefined ? [] : [sql`operation = ${operation}`]),
    ...(keyId === undefined ? [] : [sql`key_id = ${keyId}`]),
  ];
  return sql.join([sql`true`, ...conditions], sql` and `);
};

/** Rows that matched, and the last row that was looked at; null once the log has no earlier rows. */
interface ScannedRequests {
  readonly rows: RequestLogRow[];
  readonly scannedTo: RequestPosition | null;
}

/** Newest first. Looks at up to `scanMax` requests before a position, so that no filter makes a page expensive. */
export async function scanRequests(
  { tx, tenant }: Work,
  filter: RequestLogFilter,
  { before, limit, scanMax }: { before: RequestPosition | undefined; limit: number; scanMax: number },
): Promise<ScannedRequests> {
  const { requestId, from, to } = filter;
  const scanned = sql`select * from request_log
    where team_id = ${tenant.teamId} and environment = ${tenant.environment}
      ${requestId === undefined ? sql`` : sql`and request_id = ${requestId}`}
      ${from ? sql`and at >= ${from}` : sql``} ${to ? sql`and at < ${to}` : sql``}
      ${before ? sql`and (at, place) < (${before.at}, ${before.place}::bigint)` : sql``}
    order by at desc, place desc limit ${scanMax}`;
  const { rows } = await sql<RequestLogRow>`
    select * from (${scanned}) as scanned where ${conditionsOf(filter)}
    order by at desc, place desc limit ${limit}`.execute(tx);
  if (rows.length === limit) return { rows, scannedTo: null };
  const { rows: ends } = await sql<RequestPosition>`
    select at, place from (${scanned}) as scanned offset ${scanMax - 1} limit 1`.execute(tx);
  return { rows, scannedTo: ends[0] ?? null };
}

export async function findRequest(
  { tx, tenant }: Work,
  { at, place }: RequestPosition,
): Promise<RequestLogRow | undefined> {
  return tx
    .selectFrom('request_log')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('at', '=', at)
    .where('place', '=', place)
    .executeTakeFirst();
}

/** Deletes the oldest requests before a time. */
export async function removeRequests(
  { tx, tenant }: Work,
  { before, limit }: { before: Date; limit: number },
): Promise<RemovedCount> {
  const { rows } = await sql<RemovedCount>`
    with old as (
      select at, place from request_log
      where team_id = ${tenant.teamId} and environment = ${tenant.environment} and at < ${before}
      order by at, place limit ${limit}),
    gone as (
      delete from request_log l using old
      where l.team_id = ${tenant.teamId} and l.environment = ${tenant.environment}
        and l.at = old.at and l.place = old.place
      returning l.at)
    select count(*)::int as deleted, min(at) as oldest, max(at) as newest from gone`.execute(tx);
  return rows[0] ?? { deleted: 0, oldest: null, newest: null };
}
