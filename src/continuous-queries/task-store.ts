import { sql, type Selectable } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { tenantColumns } from '../platform/db/tenant-rows.ts';
import { newId } from '../platform/ids.ts';
import type { Work } from '../platform/work.ts';
import type { TaskStatus } from './status.ts';
import './table.ts';

export type TaskRow = Selectable<Database['continuous_query_task']>;

/** One query about one user, that is to be answered anew. */
export interface Due {
  readonly queryId: string;
  readonly userId: string;
  readonly gapSeconds: number;
}

/**
 * Writes down that these are to be answered, each not before its gap since the last time is over. One that waits
 * already stays where it is and looks at more. Answers all that wait.
 */
export async function scheduleTasks(
  { tx, tenant, now }: Work,
  due: readonly Due[],
  { changedFrom, notBefore }: { changedFrom: Date | null; notBefore: Date },
): Promise<Pick<TaskRow, 'id' | 'scheduled_at'>[]> {
  // Everybody takes rows in this order, so that two wait for each other and not in a circle.
  const ordered = due.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  const column = <T>(of: (one: Due) => T): T[] => ordered.map(of);
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

const nameOf = ({ queryId, userId }: Due) => `${queryId}/${userId}`;

/** Begins a task that waits, or one that was begun and never ended. */
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

type End = Exclude<TaskStatus, 'scheduled' | 'started'>;

/** Ends a task that runs; false where another run of it was faster. */
export async function endTask(
  { tx, tenant, now }: Work,
  id: string,
  { status, details = null }: { status: End; details?: string | null },
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

/** Lets all but the newest go. */
export async function trimTasks(
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

export interface TaskPage {
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

const PLACE = 'continuous_query_result.document';

/** What a query last answered, as text. */
export interface Kept {
  readonly document: string;
  readonly revision: number;
}

export async function findResult(
  { tx, tenant, cipher }: Work,
  { queryId, userId }: { queryId: string; userId: string },
): Promise<Kept | undefined> {
  const row = await tx
    .selectFrom('continuous_query_result')
    .select(['document', 'revision'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('query_id', '=', queryId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row && { document: cipher.open(row.document, PLACE), revision: row.revision };
}

/** Keeps an answer in the place of that revision (0: there was none); false where another came in between. */
export async function putResult(
  { tx, tenant, cipher, now }: Work,
  { query_id, user_id }: Pick<TaskRow, 'query_id' | 'user_id'>,
  { document, revision }: Kept,
): Promise<boolean> {
  const changing = { document: cipher.seal(document, PLACE), revision: revision + 1, computed_at: now };
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

/** What an event of this tenant says, or undefined when it was erased. */
export const findEvent = ({ tx, tenant }: Work, id: string) =>
  tx
    .selectFrom('event')
    .select(['event_type', 'user_id', 'data'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .executeTakeFirst();
