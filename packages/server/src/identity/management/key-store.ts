import { sql, type Insertable, type Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { Environment, Tenant } from '../../platform/tenant.ts';
import type { ManagementRole } from './table.ts';

type NewKeyRow<T extends 'api_key' | 'management_key'> = Omit<
  Insertable<Database[T]>,
  'last_used_at' | 'deleted_at'
>;
const TEAM_KEY_COLUMNS = [
  'id',
  'team_id',
  'label',
  'prefix',
  'created_at',
  'last_used_at',
  'expires_at',
  'read_only',
  'areas',
  'assistants',
  'replaced_by',
] as const;
export type TeamKeyRow = Pick<Selectable<Database['api_key']>, (typeof TEAM_KEY_COLUMNS)[number]>;

export const insertTeamKey = (tx: Tx, row: NewKeyRow<'api_key'>): Promise<TeamKeyRow> =>
  tx
    .insertInto('api_key')
    .values({ ...row, last_used_at: null, deleted_at: null })
    .returning(TEAM_KEY_COLUMNS)
    .executeTakeFirstOrThrow();

export async function insertManagementKey(tx: Tx, row: NewKeyRow<'management_key'>): Promise<void> {
  await tx
    .insertInto('management_key')
    .values({ ...row, last_used_at: null, deleted_at: null })
    .execute();
}

export async function bindTeams(tx: Tx, keyId: string, teamIds: readonly string[]): Promise<void> {
  if (teamIds.length === 0) return;
  const rows = teamIds.map((teamId) => ({ management_key_id: keyId, team_id: teamId }));
  await tx.insertInto('management_key_team').values(rows).execute();
}

export async function unbindTeams(tx: Tx, keyId: string): Promise<void> {
  await tx.deleteFrom('management_key_team').where('management_key_id', '=', keyId).execute();
}

/** The keys of the organization in one environment, without revoked keys and keys of deleted teams. */
const activeTeamKeys = (tx: Tx, { orgId, environment }: { orgId: string; environment: Environment }) =>
  tx
    .selectFrom('api_key as k')
    .innerJoin('team as t', 't.id', 'k.team_id')
    .select(TEAM_KEY_COLUMNS.map((column) => `k.${column}` as const))
    .where('t.org_id', '=', orgId)
    .where('t.deleted_at', 'is', null)
    .where('k.environment', '=', environment)
    .where('k.deleted_at', 'is', null);

interface TeamKeyPage {
  readonly orgId: string;
  readonly environment: Environment;
  readonly teamId: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

export function listTeamKeys(tx: Tx, page: TeamKeyPage): Promise<TeamKeyRow[]> {
  let query = activeTeamKeys(tx, page);
  if (page.teamId !== undefined) query = query.where('k.team_id', '=', page.teamId);
  if (page.after !== undefined) query = query.where('k.id', '>', page.after);
  return query.orderBy('k.id').limit(page.limit).execute();
}

/** The teams of the organization that own any of these keys. */
export async function listTeamsOfKeys(
  tx: Tx,
  wanted: { orgId: string; environment: Environment; ids: readonly string[] },
): Promise<string[]> {
  const rows = await activeTeamKeys(tx, wanted)
    .clearSelect()
    .select('k.team_id')
    .distinct()
    .where('k.id', '=', sql<string>`any(${[...wanted.ids]}::uuid[])`)
    .orderBy('k.team_id')
    .execute();
  return rows.map(({ team_id: id }) => id);
}

interface TeamKeyId {
  readonly tenant: Tenant;
  readonly id: string;
}

/** Locks a key that was not revoked against concurrent changes. */
export const lockTeamKey = (tx: Tx, { tenant, id }: TeamKeyId): Promise<TeamKeyRow | undefined> =>
  tx
    .selectFrom('api_key')
    .select(TEAM_KEY_COLUMNS)
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();

/** Marks a key as replaced by another; it stays valid until `expiresAt`. */
export async function replaceTeamKey(
  tx: Tx,
  id: string,
  { by, expiresAt }: { by: string; expiresAt: Date },
): Promise<void> {
  const change = { replaced_by: by, expires_at: expiresAt };
  await tx.updateTable('api_key').set(change).where('id', '=', id).execute();
}

/**
 * Marks the expiry event of a key as emitted and returns the key; undefined where the event was already emitted, the
 * key was revoked, or it does not expire after `after` and at or before `until`.
 */
export function markNotified(
  tx: Tx,
  { tenant, id, column }: TeamKeyId & { column: 'expiring_told_at' | 'expired_told_at' },
  { after, until, now }: { after: Date | undefined; until: Date; now: Date },
): Promise<TeamKeyRow | undefined> {
  let marking = tx
    .updateTable('api_key')
    .set({ [column]: now })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .where(column, 'is', null)
    .where('expires_at', '<=', until);
  if (after) marking = marking.where('expires_at', '>', after);
  return marking.returning(TEAM_KEY_COLUMNS).executeTakeFirst();
}

/** Revokes the keys that exist, in these teams or, with null, in all teams; returns the revoked keys. */
export const revokeTeamKeys = (
  tx: Tx,
  wanted: {
    orgId: string;
    environment: Environment;
    ids: readonly string[];
    teamIds: ReadonlySet<string> | null;
  },
  at: Date,
): Promise<TeamKeyRow[]> => {
  let living = activeTeamKeys(tx, wanted)
    .clearSelect()
    .select('k.id')
    .where('k.id', '=', sql<string>`any(${[...wanted.ids]}::uuid[])`);
  if (wanted.teamIds) {
    living = living.where('k.team_id', '=', sql<string>`any(${[...wanted.teamIds]}::uuid[])`);
  }
  return tx
    .updateTable('api_key')
    .set({ deleted_at: at })
    .where('id', 'in', living)
    .where('deleted_at', 'is', null)
    .returning(TEAM_KEY_COLUMNS)
    .execute();
};

const activeManagementKeys = (tx: Tx, orgId: string) =>
  tx
    .selectFrom('management_key as k')
    .select([
      'k.id',
      'k.label',
      'k.role',
      'k.created_by',
      'k.created_at',
      'k.last_used_at',
      'k.expires_at',
      'k.replaced_by',
      sql<string[]>`array(select b.team_id from management_key_team b join team t on t.id = b.team_id
        where b.management_key_id = k.id and t.deleted_at is null order by b.team_id)`.as('team_ids'),
    ])
    .where('k.org_id', '=', orgId)
    .where('k.deleted_at', 'is', null);

export interface ManagementKeyRow {
  readonly id: string;
  readonly label: string;
  readonly role: ManagementRole;
  readonly created_by: string | null;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
  /** In system time. */
  readonly expires_at: Date | null;
  readonly replaced_by: string | null;
  /** The bound teams that are not deleted. */
  readonly team_ids: string[];
}

interface ManagementKeyPage {
  readonly orgId: string;
  readonly teamId: string | undefined;
  readonly role: ManagementRole | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

export function listManagementKeys(tx: Tx, page: ManagementKeyPage): Promise<ManagementKeyRow[]> {
  let query = activeManagementKeys(tx, page.orgId);
  if (page.role) query = query.where('k.role', '=', page.role);
  if (page.teamId !== undefined) {
    const bound = tx
      .selectFrom('management_key_team')
      .select('management_key_id')
      .where('team_id', '=', page.teamId);
    query = query.where('k.id', 'in', bound);
  }
  if (page.after !== undefined) query = query.where('k.id', '>', page.after);
  return query.orderBy('k.id').limit(page.limit).execute();
}

/** Whether the organization has another Org Management Key that does not expire. */
export async function hasNonExpiringKey(tx: Tx, orgId: string, besides: string): Promise<boolean> {
  const row = await tx
    .selectFrom('management_key')
    .select('id')
    .where('org_id', '=', orgId)
    .where('role', '=', 'org_admin')
    .where('id', '!=', besides)
    .where('deleted_at', 'is', null)
    .where('expires_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export const findManagementKeyById = (
  tx: Tx,
  orgId: string,
  id: string,
): Promise<ManagementKeyRow | undefined> =>
  activeManagementKeys(tx, orgId).where('k.id', '=', id).executeTakeFirst();

export async function changeManagementKey(
  tx: Tx,
  id: string,
  change: { label: string } | { deleted_at: Date } | { replaced_by: string; expires_at: Date },
): Promise<void> {
  await tx.updateTable('management_key').set(change).where('id', '=', id).execute();
}

export async function getOrganizationId(tx: Tx, teamId: string): Promise<string> {
  const team = await tx
    .selectFrom('team')
    .select('org_id')
    .where('id', '=', teamId)
    .executeTakeFirstOrThrow();
  return team.org_id;
}

/** A key with an expiry. */
export type ExpiringKeyRow = Pick<Selectable<Database['api_key']>, 'id' | 'created_at'> & {
  readonly expires_at: Date;
};

/** Keys of a tenant that expire within a time on its clock and have no successor, the earliest first. */
export async function listExpiringKeys(
  tx: Tx,
  tenant: Tenant,
  { now, withinMs, limit }: { now: Date; withinMs: number; limit: number },
): Promise<ExpiringKeyRow[]> {
  const { rows } = await sql<ExpiringKeyRow>`
    with clock as (
      select ${now}::timestamptz + clock_offset_ms * interval '1 millisecond' as now from team_environment
      where team_id = ${tenant.teamId} and environment = ${tenant.environment})
    select id, created_at, expires_at from api_key
    where team_id = ${tenant.teamId} and environment = ${tenant.environment}
      and deleted_at is null and replaced_by is null and expires_at > (select now from clock)
      and expires_at <= (select now from clock) + ${withinMs} * interval '1 millisecond'
    order by expires_at, id limit ${limit}`.execute(tx);
  return rows;
}
