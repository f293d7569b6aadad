import { sql, type Selectable, type Updateable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type { Work } from '../../platform/work.ts';
import '../connections/table.ts';

export type HistoricalRow = Selectable<Database['historical_pull']>;
export interface DueRow extends Selectable<Database['due_pull']> {
  /** Which writing of the row this is: two of another time may have asked as often. */
  readonly version: string;
}

export interface NewPull {
  readonly connectionId: string;
  readonly resource: string;
  readonly from: Date;
  readonly to: Date;
}

/** Begins these pulls, anew where they were done before. */
export async function beginHistory(
  { tx, tenant, now }: Work,
  pulls: readonly NewPull[],
  bulkOpId: string | null,
): Promise<void> {
  if (pulls.length === 0) return;
  const [ids, resources] = [pulls.map(({ connectionId }) => connectionId), pulls.map((p) => p.resource)];
  const [from, to] = [pulls.map((pull) => pull.from), pulls.map((pull) => pull.to)];
  await sql`
    insert into historical_pull (team_id, environment, connection_id, resource, status, range_start, range_end,
      reached_at, bulk_op_id, scheduled_at)
    select ${tenant.teamId}, ${tenant.environment}, p.id, p.resource, 'scheduled', p.from_at, p.to_at, p.to_at,
      ${bulkOpId}::uuid, ${now}
    from unnest(${ids}::uuid[], ${resources}::text[], ${from}::timestamptz[], ${to}::timestamptz[])
      as p (id, resource, from_at, to_at)
    on conflict (team_id, environment, connection_id, resource) do update set status = 'scheduled',
      range_start = excluded.range_start, range_end = excluded.range_end, reached_at = excluded.reached_at,
      days_with_data = 0, tries = 0, fault = null, bulk_op_id = excluded.bulk_op_id,
      scheduled_at = excluded.scheduled_at, started_at = null, ended_at = null`.execute(tx);
}

const ofTenant = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('historical_pull')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);

export const lockHistory = (
  work: Work,
  { connectionId, resource }: { connectionId: string; resource: string },
): Promise<HistoricalRow | undefined> =>
  ofTenant(work)
    .where('connection_id', '=', connectionId)
    .where('resource', '=', resource)
    .forUpdate()
    .executeTakeFirst();

export const listHistory = (work: Work, connectionIds: readonly string[]): Promise<HistoricalRow[]> =>
  ofTenant(work)
    .where('connection_id', '=', sql<string>`any(${[...connectionIds]}::uuid[])`)
    .orderBy('connection_id')
    .orderBy('resource')
    .execute();

export async function changeHistory(
  { tx, tenant }: Work,
  { connectionId, resource }: { connectionId: string; resource: string },
  columns: Updateable<Database['historical_pull']>,
): Promise<void> {
  await tx
    .updateTable('historical_pull')
    .set(columns)
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('connection_id', '=', connectionId)
    .where('resource', '=', resource)
    .execute();
}

/** Leaves the pulls of these resources, and no others. */
export async function keepHistory(
  { tx, tenant }: Work,
  connectionId: string,
  resources: readonly string[],
): Promise<void> {
  await tx
    .deleteFrom('historical_pull')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('connection_id', '=', connectionId)
    .where('resource', '!=', sql<string>`all(${[...resources]}::text[])`)
    .execute();
}

/** What is not done of connections will not be done. */
export async function stopHistory(
  { tx, tenant, now }: Work,
  connectionIds: readonly string[],
  fault: string,
): Promise<void> {
  await tx
    .updateTable('historical_pull')
    .set({ status: 'failure', fault, ended_at: now })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('connection_id', '=', sql<string>`any(${[...connectionIds]}::uuid[])`)
    .where('status', 'not in', ['success', 'failure'])
    .execute();
}

/** Adds to what is to be asked for anew; what is wanted already grows. */
export async function wantPulls({ tx, tenant }: Work, pulls: readonly NewPull[]): Promise<void> {
  if (pulls.length === 0) return;
  const [ids, resources] = [pulls.map(({ connectionId }) => connectionId), pulls.map((p) => p.resource)];
  const [from, to] = [pulls.map((pull) => pull.from), pulls.map((pull) => pull.to)];
  await sql`
    insert into due_pull (team_id, environment, connection_id, resource, from_at, to_at)
    select ${tenant.teamId}, ${tenant.environment}, p.id, p.resource, min(p.from_at), max(p.to_at)
    from unnest(${ids}::uuid[], ${resources}::text[], ${from}::timestamptz[], ${to}::timestamptz[])
      as p (id, resource, from_at, to_at)
    group by p.id, p.resource order by p.id, p.resource
    on conflict (team_id, environment, connection_id, resource) do update set
      from_at = least(due_pull.from_at, excluded.from_at), to_at = greatest(due_pull.to_at, excluded.to_at),
      asks = due_pull.asks + 1`.execute(tx);
}

export const listDue = ({ tx, tenant }: Work, connectionIds: readonly string[]): Promise<DueRow[]> =>
  tx
    .selectFrom('due_pull')
    .selectAll()
    .select(sql<string>`xmin::text`.as('version'))
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('connection_id', '=', sql<string>`any(${[...connectionIds]}::uuid[])`)
    .orderBy('connection_id')
    .orderBy('resource')
    .execute();

/** Done, unless it was asked for again meanwhile. */
export async function settleDue({ tx, tenant }: Work, due: DueRow): Promise<void> {
  await tx
    .deleteFrom('due_pull')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('connection_id', '=', due.connection_id)
    .where('resource', '=', due.resource)
    .where(sql<string>`xmin::text`, '=', due.version)
    .execute();
}

export async function forgetDue({ tx, tenant }: Work, connectionIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('due_pull')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('connection_id', '=', sql<string>`any(${[...connectionIds]}::uuid[])`)
    .execute();
}

/** Whether a tenant of this name exists; asked by the system before a stranger's word for it is taken. */
export async function isTenant(
  tx: Work['tx'],
  tenant: { readonly teamId: string; readonly environment: string },
): Promise<boolean> {
  const row = await tx
    .selectFrom('team_environment')
    .select('team_id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .executeTakeFirst();
  return row !== undefined;
}

export interface PulledUsers {
  readonly userId: string | undefined;
  readonly provider: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

/** The users of connections, by id. */
export const listPulledUsers = (
  { tx, tenant }: Work,
  { userId, provider, after, limit }: PulledUsers,
): Promise<{ id: string }[]> => {
  let query = tx
    .selectFrom('connection')
    .select('user_id as id')
    .distinct()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('removed_at', 'is', null);
  if (userId !== undefined) query = query.where('user_id', '=', userId);
  if (provider !== undefined) query = query.where('provider', '=', provider);
  if (after !== undefined) query = query.where('user_id', '>', after);
  return query.orderBy('user_id').limit(limit).execute();
};

export interface PulledConnection {
  readonly id: string;
  readonly user_id: string;
  readonly provider: string;
  readonly resources: string[];
}

export const listPulledConnections = (
  { tx, tenant }: Work,
  { userIds, provider }: { userIds: readonly string[]; provider: string | undefined },
): Promise<PulledConnection[]> => {
  let query = tx
    .selectFrom('connection')
    .select(['id', 'user_id', 'provider', 'resources'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('removed_at', 'is', null)
    .where('user_id', '=', sql<string>`any(${[...userIds]}::uuid[])`);
  if (provider !== undefined) query = query.where('provider', '=', provider);
  return query.orderBy('created_at').execute();
};
