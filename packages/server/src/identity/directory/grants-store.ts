import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { OrgMemberRow } from '../organizations/organizations.ts';
import type { DirectoryRole } from '../roles/roles.ts';
import './table.ts';

/** A member, and what each of the member's groups grants. */
type MemberGrants = Pick<
  OrgMemberRow,
  'id' | 'role' | 'team_ids' | 'is_owner' | 'roles' | 'directory_roles' | 'deactivated_at'
> & { readonly granted: readonly (readonly DirectoryRole[])[] };

export const listGrants = (tx: Tx, orgId: string, memberIds: readonly string[]): Promise<MemberGrants[]> =>
  tx
    .selectFrom('organization_member as m')
    .select([
      'm.id',
      'm.role',
      'm.team_ids',
      'm.is_owner',
      'm.roles',
      'm.directory_roles',
      'm.deactivated_at',
    ])
    .select(
      sql<MemberGrants['granted']>`(select coalesce(jsonb_agg(g.grants), '[]')
        from directory_group_member x join directory_group g on g.org_id = x.org_id and g.id = x.group_id
        where x.org_id = m.org_id and x.member_id = m.id)`.as('granted'),
    )
    .where('m.org_id', '=', orgId)
    .where('m.id', '=', sql<string>`any(${[...memberIds]}::uuid[])`)
    .orderBy('m.id')
    .execute();

export async function saveDirectoryRoles(
  tx: Tx,
  orgId: string,
  changes: readonly { readonly id: string; readonly roles: readonly DirectoryRole[] }[],
): Promise<void> {
  const ids = changes.map(({ id }) => id);
  const roles = changes.map((change) => JSON.stringify(change.roles));
  await sql`
    update organization_member m set directory_roles = c.roles::jsonb
    from unnest(${ids}::uuid[], ${roles}::text[]) as c (id, roles)
    where m.org_id = ${orgId} and m.id = c.id`.execute(tx);
}
