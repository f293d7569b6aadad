import { sql, type Selectable, type Updateable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type { Work } from '../../platform/work.ts';
import './table.ts';

export type HistoricalPullRow = Selectable<Database['historical_pull']>;
interface DuePullRow extends Selectable<Database['due_pull']> {
  /** The row version (xmin), for optimistic deletion. */
  readonly version: string;
}

export interface PullWindow {
  readonly connectionId: string;
  readonly resource: string;
  readonly from: Date;
  readonly to: Date;
}

/** Inserts historical pulls, or restarts existing ones. */
export async function upsertHistory(
  { tx, tenant, now }: Work,
  pulls: readonly PullWindow[],
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
      range_start = excluded.range_start, range_end = excluded.range_end, reached_at = excluded.reached_at, resume_from = null,
      days_with_data = 0, tries = 0, fault = null, bulk_op_id = excluded.bulk_op_id,
      scheduled_at = excluded.scheduled_at, started_at = null, ended_at = null`.execute(tx);
}

const selectPulls = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('historical_pull')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);

export const lockHistory = (
  work: Work,
  { connectionId, resource }: { connectionId: string; resource: string },
): Promise<HistoricalPullRow | undefined> =>
  selectPulls(work)
    .where('connection_id', '=', connectionId)
    .where('resource', '=', resource)
    .forUpdate()
    .executeTakeFirst();

export const listHistory = (work: Work, connectionIds: readonly string[]): Promise<HistoricalPullRow[]> =>
  selectPulls(work)
    .where('connection_id', '=', sql<string>`any(${[...connectionIds]}::uuid[])`)
    .orderBy('connection_id')
    .orderBy('resource')
    .execute();

export async function updateHistory(
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

/** Deletes the pulls of all resources other than these. */
export async function deleteOtherHistory(
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

/** Marks unfinished pulls as failed. */
export async function failUnfinishedHistory(
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

/** Adds due pulls; existing ones are extended to cover both windows. */
export async function addDuePulls({ tx, tenant }: Work, pulls: readonly PullWindow[]): Promise<void> {
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

export const listDuePulls = ({ tx, tenant }: Work, connectionIds: readonly string[]): Promise<DuePullRow[]> =>
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

/** Deletes a due pull, unless it was extended since it was read. */
export async function completeDuePull({ tx, tenant }: Work, due: DuePullRow): Promise<void> {
  await tx
    .deleteFrom('due_pull')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('connection_id', '=', due.connection_id)
    .where('resource', '=', due.resource)
    .where(sql<string>`xmin::text`, '=', due.version)
    .execute();
}

export async function deleteDuePulls({ tx, tenant }: Work, connectionIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('due_pull')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('connection_id', '=', sql<string>`any(${[...connectionIds]}::uuid[])`)
    .execute();
}

/** Whether a tenant exists. Called outside a tenant, for unauthenticated requests. */
export async function hasTenant(
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

interface PulledUsersQuery {
  readonly userId: string | undefined;
  readonly provider: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

/** The users with connections, by id. */
export const listPulledUsers = (
  { tx, tenant }: Work,
  { userId, provider, after, limit }: PulledUsersQuery,
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
