import { sql, type Selectable, type Updateable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { precompileQuery } from '../../platform/db/precompiled-query.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { isUniqueViolation } from '../../platform/db/transact.ts';
import { newId } from '../../platform/ids.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import './table.ts';

export type UserRow = Selectable<Database['app_user']>;
export type UserChange = Updateable<Database['app_user']>;

/** The users of the tenant that are not deleted. */
const activeUsers = ({ tx, tenant }: Work) => selectActiveUsers(tx, tenant);

const selectActiveUsers = (tx: Work['tx'], tenant: Tenant) =>
  tx
    .selectFrom('app_user')
    .where('app_user.team_id', '=', tenant.teamId)
    .where('app_user.environment', '=', tenant.environment)
    .where('app_user.deleted_at', 'is', null);

const userById = precompileQuery((tx, one: Tenant & { id: string }) =>
  selectActiveUsers(tx, one).selectAll().where('id', '=', one.id),
);

export const findUser = async ({ tx, tenant }: Work, id: string): Promise<UserRow | undefined> =>
  (await userById(tx, { ...tenant, id }))[0];

export const lockUser = (work: Work, id: string): Promise<UserRow | undefined> =>
  activeUsers(work).selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

/** The users with these ids that exist. */
export const findUsers = (work: Work, ids: readonly string[]): Promise<UserRow[]> =>
  activeUsers(work)
    .selectAll()
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute();

export const findByClientUserId = (work: Work, clientUserId: string): Promise<UserRow | undefined> =>
  activeUsers(work).selectAll().where('client_user_id', '=', clientUserId).executeTakeFirst();

/** Undefined: another user already has the client_user_id, possibly from a concurrent call. */
export const insertUser = (
  { tx, tenant, now }: Work,
  user: UserChange & { client_user_id: string },
): Promise<UserRow | undefined> =>
  tx
    .insertInto('app_user')
    .values({ ...user, ...tenantColumns(tenant), id: newId(), created_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(['team_id', 'environment', 'client_user_id'])
        .where('deleted_at', 'is', null)
        .doNothing(),
    )
    .returningAll()
    .executeTakeFirst();

export const changeUser = (
  { tx, tenant }: Work,
  id: string,
  change: UserChange,
): Promise<UserRow | undefined> =>
  tx
    .updateTable('app_user')
    .set(change)
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst();

interface UserListPage {
  readonly offset: number;
  readonly limit: number;
}

/** Users before the page are passed over in the index alone. */
const userPage = precompileQuery((tx, page: Tenant & UserListPage) =>
  tx
    .with('page', () =>
      selectActiveUsers(tx, page)
        .select(['id as page_id'])
        .orderBy('created_at')
        .orderBy('id')
        .offset(page.offset)
        .limit(page.limit),
    )
    .selectFrom('page')
    .innerJoin('app_user', 'app_user.id', 'page.page_id')
    .where('app_user.team_id', '=', page.teamId)
    .where('app_user.environment', '=', page.environment)
    .selectAll('app_user')
    .orderBy('app_user.created_at')
    .orderBy('app_user.id'),
);

export const listUsers = ({ tx, tenant }: Work, page: UserListPage): Promise<UserRow[]> =>
  userPage(tx, { ...tenant, ...page });

const userCount = precompileQuery((tx, { teamId, environment }: Tenant) =>
  tx
    .selectFrom('user_tally')
    .where('team_id', '=', teamId)
    .where('environment', '=', environment)
    .select(sql<number>`coalesce(sum(users), 0)::bigint`.as('count')),
);

/** Users that are not deleted, from a count that is kept: the cost does not grow with their number. */
export async function countUsers({ tx, tenant }: Work): Promise<number> {
  const [row] = await userCount(tx, tenant);
  return row?.count ?? 0;
}

/** Serializes transactions that check the user count against a limit. */
export async function lockUserCount({ tx, tenant }: Work): Promise<void> {
  const lock = `users/${tenant.teamId}/${tenant.environment}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx);
}

const SEARCH_MAX = 100;

/** Users whose client_user_id contains the text, or whose id begins with it, case-insensitively; oldest first. */
export const searchUsers = (work: Work, text: string): Promise<UserRow[]> =>
  activeUsers(work)
    .selectAll()
    .where(({ or, eb }) =>
      or([
        eb(sql`strpos(lower(client_user_id), lower(${text}))`, '>', 0),
        eb(sql`starts_with(id::text, lower(${text}))`, '=', true),
      ]),
    )
    .orderBy('created_at')
    .orderBy('id')
    .limit(SEARCH_MAX)
    .execute();

/** Starts the grace period; undefined when there is no such user, or it has already started. */
export const markDeleted = (work: Work, id: string): Promise<UserRow | undefined> =>
  changeUser(work, id, { deleted_at: work.now });

type DeletedUserKey = { id: string } | { clientUserId: string };

/** The user deleted after `since`; of several with the same client_user_id, the last deleted. */
export const findDeletedInGrace = (
  { tx, tenant }: Work,
  wanted: DeletedUserKey,
  since: Date,
): Promise<UserRow | undefined> =>
  tx
    .selectFrom('app_user')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('deleted_at', '>', since)
    .where((eb) =>
      'id' in wanted ? eb('id', '=', wanted.id) : eb('client_user_id', '=', wanted.clientUserId),
    )
    .orderBy('deleted_at', 'desc')
    .limit(1)
    .forUpdate()
    .executeTakeFirst();

export const markRestored = async ({ tx, tenant }: Work, id: string): Promise<void> => {
  await tx
    .updateTable('app_user')
    .set({ deleted_at: null })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
};

/**
 * When the user was deleted, if that was at or before `until`. Locks the row, so the user cannot be restored meanwhile.
 */
export async function lockExpiredDeletion(
  { tx, tenant }: Work,
  id: string,
  until: Date,
): Promise<Date | undefined> {
  const user = await tx
    .selectFrom('app_user')
    .select('deleted_at')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('deleted_at', '<=', until)
    .forUpdate()
    .executeTakeFirst();
  return user?.deleted_at ?? undefined;
}

/** Deletes the user permanently, with every row that references it. */
export async function eraseUser({ tx, tenant }: Work, id: string): Promise<void> {
  await tx
    .deleteFrom('app_user')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
  // The event log has no foreign key, because inserts are much more frequent than erasures.
  await tx
    .deleteFrom('event')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('user_id', '=', id)
    .execute();
}

interface SealedDemographics {
  document: Buffer;
  email_index: Buffer;
}

export async function upsertDemographics(
  { tx, tenant, now }: Work,
  userId: string,
  sealed: SealedDemographics,
): Promise<void> {
  const kept = { ...sealed, updated_at: now };
  await tx
    .insertInto('user_info')
    .values({ ...tenantColumns(tenant), user_id: userId, ...kept })
    .onConflict((conflict) => conflict.columns(['team_id', 'environment', 'user_id']).doUpdateSet(kept))
    .execute();
}

export const findDemographics = (
  { tx, tenant }: Work,
  userId: string,
): Promise<SealedDemographics | undefined> =>
  tx
    .selectFrom('user_info')
    .select(['document', 'email_index'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('user_id', '=', userId)
    .executeTakeFirst();

export const listDemographics = (
  { tx, tenant }: Work,
  userIds: readonly string[],
): Promise<{ user_id: string; document: Buffer }[]> =>
  tx
    .selectFrom('user_info')
    .select(['user_id', 'document'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('user_id', '=', sql<string>`any(${userIds}::uuid[])`)
    .execute();

/** At most two users with this e-mail address: enough to decide whether it is unique. */
export const findByEmailIndex = (work: Work, emailIndex: Buffer): Promise<UserRow[]> =>
  activeUsers(work)
    .innerJoin('user_info', (join) =>
      join
        .onRef('user_info.team_id', '=', 'app_user.team_id')
        .onRef('user_info.environment', '=', 'app_user.environment')
        .onRef('user_info.user_id', '=', 'app_user.id'),
    )
    .where('user_info.email_index', '=', emailIndex)
    .selectAll('app_user')
    .limit(2)
    .execute();

/**
 * Runs a change of client_user_id in a savepoint. `taken`: another user has it, possibly from a concurrent call; then
 * nothing is changed and the transaction can continue.
 */
export async function tryClaim<T>({ tx }: Work, change: () => Promise<T>): Promise<T | 'taken'> {
  await sql`savepoint claim`.execute(tx);
  try {
    const value = await change();
    await sql`release savepoint claim`.execute(tx);
    return value;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    await sql`rollback to savepoint claim`.execute(tx);
    return 'taken';
  }
}
