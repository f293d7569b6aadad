import { sql, type Insertable, type Selectable } from 'kysely';
import type { Database, Tx } from '../platform/db/database.ts';
import type { Environment, Tenant } from '../platform/tenant.ts';
import type { ManagementRole } from './table.ts';

type KeyRow<T extends 'api_key' | 'management_key'> = Omit<
  Insertable<Database[T]>,
  'last_used_at' | 'deleted_at'
>;
const TEAM_KEY = [
  'id',
  'team_id',
  'label',
  'prefix',
  'created_at',
  'last_used_at',
  'expires_at',
  'read_only',
  'areas',
  'replaced_by',
] as const;
export type TeamKeyRow = Pick<Selectable<Database['api_key']>, (typeof TEAM_KEY)[number]>;

export const insertTeamKey = (tx: Tx, row: KeyRow<'api_key'>): Promise<TeamKeyRow> =>
  tx
    .insertInto('api_key')
    .values({ ...row, last_used_at: null, deleted_at: null })
    .returning(TEAM_KEY)
    .executeTakeFirstOrThrow();

export async function insertManagementKey(tx: Tx, row: KeyRow<'management_key'>): Promise<void> {
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

/** The living keys of the organization's living teams in one environment. */
const presentTeamKeys = (tx: Tx, { orgId, environment }: { orgId: string; environment: Environment }) =>
  tx
    .selectFrom('api_key as k')
    .innerJoin('team as t', 't.id', 'k.team_id')
    .select(TEAM_KEY.map((column) => `k.${column}` as const))
    .where('t.org_id', '=', orgId)
    .where('t.deleted_at', 'is', null)
    .where('k.environment', '=', environment)
    .where('k.deleted_at', 'is', null);

export interface TeamKeyPage {
  readonly orgId: string;
  readonly environment: Environment;
  readonly teamId: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

export function listTeamKeys(tx: Tx, page: TeamKeyPage): Promise<TeamKeyRow[]> {
  let query = presentTeamKeys(tx, page);
  if (page.teamId !== undefined) query = query.where('k.team_id', '=', page.teamId);
  if (page.after !== undefined) query = query.where('k.id', '>', page.after);
  return query.orderBy('k.id').limit(page.limit).execute();
}

/** Which teams of the organization have living keys among these. */
export async function teamsOfKeys(
  tx: Tx,
  wanted: { orgId: string; environment: Environment; ids: readonly string[] },
): Promise<string[]> {
  const rows = await presentTeamKeys(tx, wanted)
    .clearSelect()
    .select('k.team_id')
    .distinct()
    .where('k.id', '=', sql<string>`any(${[...wanted.ids]}::uuid[])`)
    .orderBy('k.team_id')
    .execute();
  return rows.map(({ team_id: id }) => id);
}

interface OneKey {
  readonly tenant: Tenant;
  readonly id: string;
}

/** A living key; others who change it wait. */
export const lockTeamKey = (tx: Tx, { tenant, id }: OneKey): Promise<TeamKeyRow | undefined> =>
  tx
    .selectFrom('api_key')
    .select(TEAM_KEY)
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();

/** Puts another key in the place of one, which lives on until `expiresAt`. */
export async function replaceTeamKey(
  tx: Tx,
  id: string,
  { by, expiresAt }: { by: string; expiresAt: Date },
): Promise<void> {
  const change = { replaced_by: by, expires_at: expiresAt };
  await tx.updateTable('api_key').set(change).where('id', '=', id).execute();
}

/**
 * Notes that something is told of the end of a living key, if it was not told yet and the key ends after `after` and
 * not later than `until`; answers the key then.
 */
export function markTold(
  tx: Tx,
  { tenant, id, column }: OneKey & { column: 'expiring_told_at' | 'expired_told_at' },
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
  return marking.returning(TEAM_KEY).executeTakeFirst();
}

/** Revokes those of the keys that are there, for these teams or, with null, for all; answers what it revoked. */
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
  let living = presentTeamKeys(tx, wanted)
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
    .returning(TEAM_KEY)
    .execute();
};

const presentManagementKeys = (tx: Tx, orgId: string) =>
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
  /** On the clock of the service. */
  readonly expires_at: Date | null;
  readonly replaced_by: string | null;
  /** The teams that it is bound to and that were not deleted. */
  readonly team_ids: string[];
}

export interface ManagementKeyPage {
  readonly orgId: string;
  readonly teamId: string | undefined;
  readonly role: ManagementRole | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

export function listManagementKeys(tx: Tx, page: ManagementKeyPage): Promise<ManagementKeyRow[]> {
  let query = presentManagementKeys(tx, page.orgId);
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

/** Whether the organization has an Org Management Key without an end, besides this one. */
export async function hasLastingKey(tx: Tx, orgId: string, besides: string): Promise<boolean> {
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
  presentManagementKeys(tx, orgId).where('k.id', '=', id).executeTakeFirst();

export async function changeManagementKey(
  tx: Tx,
  id: string,
  change: { label: string } | { deleted_at: Date } | { replaced_by: string; expires_at: Date },
): Promise<void> {
  await tx.updateTable('management_key').set(change).where('id', '=', id).execute();
}

export async function getOrgOf(tx: Tx, teamId: string): Promise<string> {
  const team = await tx
    .selectFrom('team')
    .select('org_id')
    .where('id', '=', teamId)
    .executeTakeFirstOrThrow();
  return team.org_id;
}
