import { sql, type Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { newId } from '../../platform/ids.ts';
import type { Work } from '../../platform/work.ts';
import type { TaskStatus } from './status.ts';
import './table.ts';

export type TaskRow = Selectable<Database['continuous_query_task']>;

/** One query to be evaluated for one user. */
interface EvaluationRequest {
  readonly queryId: string;
  readonly userId: string;
  readonly gapSeconds: number;
}

/**
 * Schedules evaluations, each no earlier than its gap after the last one. A task that is already waiting keeps its time
 * and widens its range of changes. Returns all waiting tasks of these requests.
 */
export async function scheduleTasks(
  { tx, tenant, now }: Work,
  due: readonly EvaluationRequest[],
  { changedFrom, notBefore }: { changedFrom: Date | null; notBefore: Date },
): Promise<Pick<TaskRow, 'id' | 'scheduled_at'>[]> {
  // All writers lock rows in this order, so that they cannot deadlock.
  const ordered = due.toSorted((one, other) => (toRequestKey(one) < toRequestKey(other) ? -1 : 1));
  const column = <T>(of: (one: EvaluationRequest) => T): T[] => ordered.map(of);
  const { rows } = await sql<Pick<TaskRow, 'id' | 'scheduled_at'>>`
    insert into continuous_query_task as t
      (team_id, environment, id, query_id, user_id, status, changed_from, scheduled_at)
    select ${tenant.teamId}::uuid, ${tenant.environment}, g.id, g.query_id, g.user_id, 'scheduled',
      ${changedFrom}::timestamptz,
      greatest(${notBefore}::timestamptz, case when last.started_at is not null
        then least(${now}::timestamptz, last.started_at) + g.gap * interval '1 second' end)
    from unnest(${column(() => newId())}::uuid[], ${column(({ queryId }) => queryId)}::uuid[],
        ${column(({ userId }) => userId)}::uuid[], ${column(({ gapSeconds }) => gapSeconds)}::integer[])
      as g (id, query_id, user_id, gap)
    left join lateral (
      select max(p.started_at) as started_at from continuous_query_task p
      where p.team_id = ${tenant.teamId} and p.environment = ${tenant.environment}
        and p.query_id = g.query_id and p.user_id = g.user_id) as last on true
    on conflict (team_id, environment, query_id, user_id) where status = 'scheduled' do update
      set changed_from = case when excluded.changed_from is null or t.changed_from is null then null
        else least(excluded.changed_from, t.changed_from) end
    returning t.id, t.scheduled_at`.execute(tx);
  return rows;
}

const toRequestKey = ({ queryId, userId }: EvaluationRequest) => `${queryId}/${userId}`;

/** Starts a scheduled task, or restarts one that never ended. */
export const claimTask = ({ tx, tenant, now }: Work, id: string): Promise<TaskRow | undefined> =>
  tx
    .updateTable('continuous_query_task')
    .set({ status: 'started', started_at: now })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('status', 'in', ['scheduled', 'started'])
    .returningAll()
    .executeTakeFirst();

type TaskEndStatus = Exclude<TaskStatus, 'scheduled' | 'started'>;

/** Ends a running task; false if another run of the same task ended it first. */
export async function endTask(
  { tx, tenant, now }: Work,
  id: string,
  { status, details = null }: { status: TaskEndStatus; details?: string | null },
): Promise<boolean> {
  const row = await tx
    .updateTable('continuous_query_task')
    .set({ status, ended_at: now, error_details: details })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('status', '=', 'started')
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes all ended tasks but the newest `keep`. */
export async function deleteOldTasks(
  { tx, tenant }: Work,
  { query_id: queryId, user_id: userId }: Pick<TaskRow, 'query_id' | 'user_id'>,
  keep: number,
): Promise<void> {
  await sql`
    delete from continuous_query_task where (team_id, environment, id) in (
      select team_id, environment, id from continuous_query_task
      where team_id = ${tenant.teamId} and environment = ${tenant.environment}
        and query_id = ${queryId} and user_id = ${userId} and status not in ('scheduled', 'started')
      order by id desc offset ${keep})`.execute(tx);
}

interface TaskPage {
  readonly queryId: string;
  readonly userId: string;
  readonly after: string | undefined;
  readonly limit: number;
}

/** Newest first. */
export const listTasks = (
  { tx, tenant }: Work,
  { queryId, userId, after, limit }: TaskPage,
): Promise<TaskRow[]> =>
  tx
    .selectFrom('continuous_query_task')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('query_id', '=', queryId)
    .where('user_id', '=', userId)
    .$if(after !== undefined, (q) => q.where('id', '<', after ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

const CIPHER_CONTEXT = 'continuous_query_result.document';

/** The stored result of a query for one user, as JSON text. */
interface StoredResult {
  readonly document: string;
  readonly revision: number;
}

export async function findResult(
  { tx, tenant, cipher }: Work,
  { queryId, userId }: { queryId: string; userId: string },
): Promise<StoredResult | undefined> {
  const row = await tx
    .selectFrom('continuous_query_result')
    .select(['document', 'revision'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('query_id', '=', queryId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row && { document: cipher.open(row.document, CIPHER_CONTEXT), revision: row.revision };
}

/** Replaces the result of this revision (0: none); false if a concurrent evaluation changed it. */
export async function putResult(
  { tx, tenant, cipher, now }: Work,
  { query_id, user_id }: Pick<TaskRow, 'query_id' | 'user_id'>,
  { document, revision }: StoredResult,
): Promise<boolean> {
  const changing = {
    document: cipher.seal(document, CIPHER_CONTEXT),
    revision: revision + 1,
    computed_at: now,
  };
  const row = await tx
    .insertInto('continuous_query_result')
    .values({ ...tenantColumns(tenant), query_id, user_id, ...changing })
    .onConflict((conflict) =>
      conflict
        .columns(['team_id', 'environment', 'query_id', 'user_id'])
        .doUpdateSet(changing)
        .where('continuous_query_result.revision', '=', revision),
    )
    .returning('query_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** An event of this tenant; undefined if it was erased. */
export const findEvent = ({ tx, tenant }: Work, id: string) =>
  tx
    .selectFrom('event')
    .select(['event_type', 'user_id', 'data'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .executeTakeFirst();
