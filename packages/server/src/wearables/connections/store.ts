import { sql, type Updateable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Work } from '../../platform/work.ts';
import type { ProviderConnectionRow } from './connection.ts';
import './table.ts';

const selectConnections = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('connection')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);

/** Connections that are not removed. */
const selectActive = (work: Work) => selectConnections(work).where('removed_at', 'is', null);

const anyOf = (ids: readonly string[]) => sql<string>`any(${[...ids]}::uuid[])`;

export const listOfUser = (work: Work, userId: string): Promise<ProviderConnectionRow[]> =>
  selectActive(work).where('user_id', '=', userId).orderBy('created_at').orderBy('id').execute();

/** Up to `limit` connections, of any user and provider. */
export const listBatch = (work: Work, limit: number): Promise<ProviderConnectionRow[]> =>
  selectActive(work).orderBy('provider').orderBy('id').limit(limit).execute();

interface UsersOfProvider {
  readonly userIds: readonly string[];
  readonly provider: string;
}

const selectOfUsers = (work: Work, { userIds, provider }: UsersOfProvider) =>
  selectActive(work).where('user_id', '=', anyOf(userIds)).where('provider', '=', provider).orderBy('id');

/** The connections of the given users to a provider, at most one per user. */
export const listOfUsers = (work: Work, asked: UsersOfProvider): Promise<ProviderConnectionRow[]> =>
  selectOfUsers(work, asked).execute();

/** Same, locked for an update until the transaction ends. */
export const lockOfUsers = (work: Work, asked: UsersOfProvider): Promise<ProviderConnectionRow[]> =>
  selectOfUsers(work, asked).forUpdate().execute();

/** Same, with a share lock: they cannot change until the transaction ends. */
export const shareLockOfUsers = (work: Work, asked: UsersOfProvider): Promise<ProviderConnectionRow[]> =>
  selectOfUsers(work, asked).forShare().execute();

interface ConnectedSourceRow {
  readonly user_id: string;
  readonly provider: string;
  readonly created_at: Date;
}

/** The connected sources of these users, oldest first. */
export const listConnected = (
  { tx, tenant }: Work,
  userIds: readonly string[],
): Promise<ConnectedSourceRow[]> =>
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

export const findById = (work: Work, id: string): Promise<ProviderConnectionRow | undefined> =>
  selectActive(work).where('id', '=', id).executeTakeFirst();

/** Finds the connection even if it was removed. */
export const findIncludingRemoved = (work: Work, id: string): Promise<ProviderConnectionRow | undefined> =>
  selectConnections(work).where('id', '=', id).executeTakeFirst();

/** The connection, locked for an update until the transaction ends. */
export const lock = (work: Work, id: string): Promise<ProviderConnectionRow | undefined> =>
  selectActive(work).where('id', '=', id).forUpdate().executeTakeFirst();

/** Same as lock, even if it was removed. */
export const lockIncludingRemoved = (work: Work, id: string): Promise<ProviderConnectionRow | undefined> =>
  selectConnections(work).where('id', '=', id).forUpdate().executeTakeFirst();

/** Share lock: the connection cannot be removed or failed until the transaction ends. Other share locks do not wait. */
export const shareLock = (work: Work, id: string): Promise<ProviderConnectionRow | undefined> =>
  selectActive(work).where('id', '=', id).forShare().executeTakeFirst();

/** The connections to a provider whose external user is one of these. */
export const listByExternal = (
  work: Work,
  { provider, indexes }: { provider: string; indexes: readonly Buffer[] },
): Promise<ProviderConnectionRow[]> =>
  selectActive(work)
    .where('provider', '=', provider)
    .where('external_index', '=', sql<Buffer>`any(${[...indexes]}::bytea[])`)
    .orderBy('id')
    .execute();

/** Serializes connects of a user; false if there is no such user. */
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

/** Serializes connects of an external user: two users of a team must not both pass the duplicate check. */
export async function lockExternal({ tx, tenant }: Work, index: Buffer): Promise<void> {
  const name = `connection/${tenant.teamId}/${tenant.environment}/${index.toString('hex')}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
}

type NewConnectionRow = Omit<ProviderConnectionRow, 'team_id' | 'environment'>;

/** Inserts many connections in one statement. */
export async function insert(work: Work, connections: readonly NewConnectionRow[]): Promise<void> {
  if (connections.length === 0) return;
  const values = connections.map((row) => ({ ...tenantColumns(work.tenant), ...row }));
  await work.tx.insertInto('connection').values(values).execute();
}

export const update = async (
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

/** Pauses those that are connected and returns their ids. */
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

export async function deleteRemoved({ tx, tenant }: Work, id: string): Promise<void> {
  await tx
    .deleteFrom('connection')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('removed_at', 'is not', null)
    .execute();
}

/** A page of connections with an OAuth grant, by id. */
export const listPage = (
  work: Work,
  page: {
    provider: string;
    userIds: readonly string[] | undefined;
    after: string | undefined;
    limit: number;
  },
): Promise<ProviderConnectionRow[]> => {
  let query = selectActive(work).where('provider', '=', page.provider).where('kind', '=', 'oauth');
  if (page.userIds) query = query.where('user_id', '=', anyOf(page.userIds));
  if (page.after !== undefined) query = query.where('id', '>', page.after);
  return query.orderBy('id').limit(page.limit).execute();
};

/** The number of connections of the tenant, and how many of them failed. */
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

/** The number of connections created in each period of `periodMs` since `origin`; empty periods are left out. */
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

/** Those of the given users that exist, locked. */
export async function lockExistingUsers(
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

/** Records a refresh, unless there were `max` of them after `since`: then returns the time of the first of them. */
export async function recordRefresh(
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
