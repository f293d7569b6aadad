import { sql, type Updateable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Work } from '../../platform/work.ts';
import type { ConnectionRow } from './connection.ts';
import './table.ts';

const rows = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('connection')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);

/** Those that were not removed. */
const present = (work: Work) => rows(work).where('removed_at', 'is', null);

const anyOf = (ids: readonly string[]) => sql<string>`any(${[...ids]}::uuid[])`;

export const listOfUser = (work: Work, userId: string): Promise<ConnectionRow[]> =>
  present(work).where('user_id', '=', userId).orderBy('created_at').orderBy('id').execute();

/** Some of all users, of whichever provider. */
export const listSome = (work: Work, limit: number): Promise<ConnectionRow[]> =>
  present(work).orderBy('provider').orderBy('id').limit(limit).execute();

interface OfUsers {
  readonly userIds: readonly string[];
  readonly provider: string;
}

const ofUsers = (work: Work, { userIds, provider }: OfUsers) =>
  present(work).where('user_id', '=', anyOf(userIds)).where('provider', '=', provider).orderBy('id');

/** Of each of these users who has it, the connection to a provider. */
export const listOfUsers = (work: Work, asked: OfUsers): Promise<ConnectionRow[]> =>
  ofUsers(work, asked).execute();

/** The same for one who changes them; others wait until this work is done. */
export const lockOfUsers = (work: Work, asked: OfUsers): Promise<ConnectionRow[]> =>
  ofUsers(work, asked).forUpdate().execute();

/** The same for one who needs them to stay as they are until this work is done. */
export const holdOfUsers = (work: Work, asked: OfUsers): Promise<ConnectionRow[]> =>
  ofUsers(work, asked).forShare().execute();

export interface ConnectedRow {
  readonly user_id: string;
  readonly provider: string;
  readonly created_at: Date;
}

/** What these users have connected, the oldest first. */
export const listConnected = ({ tx, tenant }: Work, userIds: readonly string[]): Promise<ConnectedRow[]> =>
  tx
    .selectFrom('connection')
    .select(['user_id', 'provider', 'created_at'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('removed_at', 'is', null)
    .where('user_id', '=', anyOf(userIds))
    .orderBy('created_at')
    .orderBy('id')
    .execute();

export const findById = (work: Work, id: string): Promise<ConnectionRow | undefined> =>
  present(work).where('id', '=', id).executeTakeFirst();

/** Whether it was removed or not. */
export const findAny = (work: Work, id: string): Promise<ConnectionRow | undefined> =>
  rows(work).where('id', '=', id).executeTakeFirst();

/** The connection for one who changes it; others wait until this work is done. */
export const lock = (work: Work, id: string): Promise<ConnectionRow | undefined> =>
  present(work).where('id', '=', id).forUpdate().executeTakeFirst();

/** The same, whether it was removed or not. */
export const lockAny = (work: Work, id: string): Promise<ConnectionRow | undefined> =>
  rows(work).where('id', '=', id).forUpdate().executeTakeFirst();

/** Keeps the connection from being removed or failed until this work is done; readers of it do not wait. */
export const hold = (work: Work, id: string): Promise<ConnectionRow | undefined> =>
  present(work).where('id', '=', id).forShare().executeTakeFirst();

/** The others of a provider who are this external user. */
export const listByExternal = (
  work: Work,
  { provider, indexes }: { provider: string; indexes: readonly Buffer[] },
): Promise<ConnectionRow[]> =>
  present(work)
    .where('provider', '=', provider)
    .where('external_index', '=', sql<Buffer>`any(${[...indexes]}::bytea[])`)
    .orderBy('id')
    .execute();

/** Lets one at a time connect something for a user; false where there is no such user. */
export async function lockUser({ tx, tenant }: Work, userId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('app_user')
    .select('id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** Lets one at a time connect an external user: two users of the team must not both find nobody there. */
export async function lockExternal({ tx, tenant }: Work, index: Buffer): Promise<void> {
  const name = `connection/${tenant.teamId}/${tenant.environment}/${index.toString('hex')}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
}

type NewRow = Omit<ConnectionRow, 'team_id' | 'environment'>;

/** Many at once; each of another user. */
export async function insert(work: Work, connections: readonly NewRow[]): Promise<void> {
  if (connections.length === 0) return;
  const values = connections.map((row) => ({ ...tenantColumns(work.tenant), ...row }));
  await work.tx.insertInto('connection').values(values).execute();
}

export const change = async (
  { tx, tenant }: Work,
  id: string,
  columns: Updateable<Database['connection']>,
): Promise<void> => {
  await tx
    .updateTable('connection')
    .set(columns)
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
};

/** Pauses those that are connected; answers their ids. */
export const pause = ({ tx, tenant, now }: Work, ids: readonly string[]): Promise<{ id: string }[]> =>
  tx
    .updateTable('connection')
    .set({ status: 'paused', updated_at: now })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', anyOf(ids))
    .where('status', '=', 'connected')
    .returning('id')
    .execute();

export async function erase({ tx, tenant }: Work, id: string): Promise<void> {
  await tx
    .deleteFrom('connection')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('removed_at', 'is not', null)
    .execute();
}

/** Connections that users granted, by id. */
export const pageOfProvider = (
  work: Work,
  page: {
    provider: string;
    userIds: readonly string[] | undefined;
    after: string | undefined;
    limit: number;
  },
): Promise<ConnectionRow[]> => {
  let query = present(work).where('provider', '=', page.provider).where('kind', '=', 'oauth');
  if (page.userIds) query = query.where('user_id', '=', anyOf(page.userIds));
  if (page.after !== undefined) query = query.where('id', '>', page.after);
  return query.orderBy('id').limit(page.limit).execute();
};

/** All connections of the tenant, and how many of them failed. */
export async function count({ tx, tenant }: Work): Promise<{ all: number; errored: number }> {
  return tx
    .selectFrom('connection')
    .select(({ fn }) => [
      fn.countAll<number>().as('all'),
      fn.countAll<number>().filterWhere('status', '=', 'error').as('errored'),
    ])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow();
}

/** In how many of these milliseconds since `origin` the connections of the tenant were made, and how many in each. */
export const countByPeriod = (
  { tx, tenant }: Work,
  { origin, periodMs }: { origin: Date; periodMs: number },
): Promise<{ period: number; count: number }[]> => {
  const since = sql`extract(epoch from created_at - ${origin}::timestamptz) * 1000`;
  return tx
    .selectFrom('connection')
    .select(({ fn }) => [
      sql<number>`floor(${since} / ${periodMs}::bigint)::int`.as('period'),
      fn.countAll<number>().as('count'),
    ])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('removed_at', 'is', null)
    .groupBy('period')
    .execute();
};

/** The users that there are, of these. */
export async function existing(
  { tx, tenant }: Work,
  userIds: readonly string[],
): Promise<Map<string, string>> {
  const found = await tx
    .selectFrom('app_user')
    .select(['id', 'client_user_id'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('deleted_at', 'is', null)
    .where('id', '=', anyOf(userIds))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  return new Map(found.map((user) => [user.id, user.client_user_id]));
}

/** Counts a refresh, unless there were `max` of them since `since`; then it answers when the first of them was. */
export async function countRefresh(
  { tx, tenant, now }: Work,
  { userId, since, max }: { userId: string; since: Date; max: number },
): Promise<Date | undefined> {
  const counted = await tx
    .insertInto('user_refresh')
    .values({ ...tenantColumns(tenant), user_id: userId, moments: [now] })
    .onConflict((conflict) =>
      conflict
        .columns(['team_id', 'environment', 'user_id'])
        .doUpdateSet({
          moments: sql`array(select m from unnest(user_refresh.moments) m where m > ${since} order by m) || ${now}::timestamptz`,
        })
        .where(
          sql<boolean>`(select count(*) from unnest(user_refresh.moments) m where m > ${since}) < ${max}`,
        ),
    )
    .returning('user_id')
    .executeTakeFirst();
  if (counted) return undefined;
  const row = await tx
    .selectFrom('user_refresh')
    .select(sql<Date>`(select min(m) from unnest(moments) m where m > ${since})`.as('first'))
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.first ?? now;
}
