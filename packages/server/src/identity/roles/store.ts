import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { DirectoryRole, StoredRole } from './stored-role.ts';

/** What decides about the access of a member. */
export interface MemberRow {
  readonly id: string;
  readonly org_id: string;
  readonly plan: string;
  readonly role: 'org_admin' | 'team_admin' | 'no_role';
  readonly team_ids: readonly string[];
  readonly is_owner: boolean;
  readonly roles: readonly StoredRole[];
  readonly directory_roles: readonly DirectoryRole[];
}

/** Without members who were deactivated. */
export const listMembers = (tx: Tx, ids: readonly string[]): Promise<MemberRow[]> =>
  tx
    .selectFrom('organization_member as m')
    .innerJoin('organization as o', 'o.id', 'm.org_id')
    .select([
      'm.id',
      'm.org_id',
      'm.role',
      'm.team_ids',
      'm.is_owner',
      'm.roles',
      'm.directory_roles',
      'o.plan',
    ])
    .where('m.id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .where('m.deactivated_at', 'is', null)
    .execute();

/** Those of the teams that are not deleted, with their organizations. */
export const listActiveTeams = (tx: Tx, ids: readonly string[]): Promise<{ id: string; org_id: string }[]> =>
  tx
    .selectFrom('team')
    .select(['id', 'org_id'])
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .where('deleted_at', 'is', null)
    .execute();

/** The active teams of an organization, or those of them with one of the ids, by name. */
export const listTeamNames = (
  tx: Tx,
  { orgId, ids, limit }: { orgId: string; ids: readonly string[] | undefined; limit: number },
): Promise<{ id: string; name: string }[]> =>
  tx
    .selectFrom('team')
    .select(['id', 'name'])
    .where('org_id', '=', orgId)
    .where('deleted_at', 'is', null)
    .$if(ids !== undefined, (query) => query.where('id', '=', sql<string>`any(${[...(ids ?? [])]}::uuid[])`))
    .orderBy('name')
    .orderBy('id')
    .limit(limit)
    .execute();

/** The organization and the features of a tenant; undefined for a deleted team. */
export const findTenantFeatures = (tx: Tx, { teamId, environment }: Tenant) =>
  tx
    .selectFrom('team as t')
    .innerJoin('team_environment as e', 'e.team_id', 't.id')
    .select(['t.org_id', 'e.features'])
    .where('t.id', '=', teamId)
    .where('e.environment', '=', environment)
    .where('t.deleted_at', 'is', null)
    .executeTakeFirst();

/** The names of members, by id. Members that were removed have none. */
export async function listMemberNames(
  tx: Tx,
  orgId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await tx
    .selectFrom('organization_member')
    .select(['id', 'name'])
    .where('org_id', '=', orgId)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
