import { sql, type Selectable, type Updateable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import { requireFound } from '../../platform/errors.ts';
import './table.ts';

/** `team_ids` are the teams that are not deleted. */
export type OrgMemberRow = Selectable<Database['organization_member']>;

/** The columns of a member whom neither a directory nor a deactivation has touched. */
export const ACTIVE_MEMBER = { directory_roles: [], deactivated_at: null } as const;

/** By hand, or by a group of the directory. */
export const isOwner = ({
  is_owner,
  directory_roles,
}: Pick<OrgMemberRow, 'is_owner' | 'directory_roles'>): boolean =>
  is_owner || directory_roles.some(({ role }) => role === 'owner');

/** The same in SQL, of the alias m. */
export const IS_OWNER = sql<boolean>`(m.is_owner or m.directory_roles @> '[{"role": "owner"}]')`;

const ACTIVE_TEAM_IDS = sql<string[]>`array(select t.id from team t where t.id = any(m.team_ids)
  and t.deleted_at is null order by t.id)`;

const allMembers = (tx: Tx) =>
  tx
    .selectFrom('organization_member as m')
    .select([
      'm.id',
      'm.org_id',
      'm.email',
      'm.name',
      'm.role',
      'm.is_owner',
      'm.roles',
      'm.directory_roles',
      'm.created_at',
      'm.deactivated_at',
      ACTIVE_TEAM_IDS.as('team_ids'),
    ]);

const members = (tx: Tx, orgId: string) => allMembers(tx).where('m.org_id', '=', orgId);

export interface OrgPeoplePage {
  readonly orgId: string;
  readonly search: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

/** Oldest first. */
export function listMembers(tx: Tx, page: OrgPeoplePage): Promise<OrgMemberRow[]> {
  let query = members(tx, page.orgId);
  if (page.after !== undefined) query = query.where('m.id', '>', page.after);
  if (page.search !== undefined) {
    const pattern = toContainsPattern(page.search);
    query = query.where((row) => row.or([row('m.name', 'ilike', pattern), row('m.email', 'ilike', pattern)]));
  }
  return query.orderBy('m.id').limit(page.limit).execute();
}

/** An ILIKE pattern that matches the text literally, anywhere. */
export const toContainsPattern = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;

export const findMember = (tx: Tx, orgId: string, id: string): Promise<OrgMemberRow | undefined> =>
  members(tx, orgId).where('m.id', '=', id).executeTakeFirst();

/** The same, or a 404. */
export const requireMemberOf = async (tx: Tx, orgId: string, id: string): Promise<OrgMemberRow> =>
  requireFound(await findMember(tx, orgId, id), 'Member');

/** An active member, of whatever organization, who stays active until the transaction ends. */
export const lockActiveMember = (tx: Tx, id: string): Promise<OrgMemberRow | undefined> =>
  allMembers(tx).where('m.id', '=', id).where('m.deactivated_at', 'is', null).forShare().executeTakeFirst();

/** The member, of whatever organization. */
export const findMemberById = (tx: Tx, id: string): Promise<OrgMemberRow | undefined> =>
  allMembers(tx).where('m.id', '=', id).executeTakeFirst();

/** At most `limit` active members with an address, oldest first; one for each organization that knows it. */
export const listMembersByEmail = (tx: Tx, email: string, limit: number): Promise<OrgMemberRow[]> =>
  allMembers(tx)
    .where('m.email', '=', email)
    .where('m.deactivated_at', 'is', null)
    .orderBy('m.id')
    .limit(limit)
    .execute();

export const findMemberByEmail = (tx: Tx, orgId: string, email: string): Promise<OrgMemberRow | undefined> =>
  members(tx, orgId).where('m.email', '=', email).executeTakeFirst();

/** Whether an active member of the organization, other than the one with this id, is an org_admin. */
export async function hasAdmin(tx: Tx, orgId: string, exceptId?: string): Promise<boolean> {
  let query = members(tx, orgId).where('m.role', '=', 'org_admin').where('m.deactivated_at', 'is', null);
  if (exceptId !== undefined) query = query.where('m.id', '!=', exceptId);
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

/** Whether the organization has an active member who is an owner, apart from the given one. */
export async function hasOtherOwner(tx: Tx, orgId: string, id: string | null): Promise<boolean> {
  let query = members(tx, orgId).where(IS_OWNER).where('m.deactivated_at', 'is', null).limit(1);
  if (id !== null) query = query.where('m.id', '!=', id);
  return (await query.executeTakeFirst()) !== undefined;
}

export async function insertMember(tx: Tx, { roles, directory_roles, ...row }: OrgMemberRow): Promise<void> {
  const granted = { roles: JSON.stringify(roles), directory_roles: JSON.stringify(directory_roles) };
  await tx
    .insertInto('organization_member')
    .values({ ...row, ...granted })
    .execute();
}

export async function changeMember(
  tx: Tx,
  id: string,
  change: Updateable<Database['organization_member']>,
): Promise<void> {
  await tx.updateTable('organization_member').set(change).where('id', '=', id).execute();
}

export async function deleteMember(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('organization_member').where('id', '=', id).execute();
}
