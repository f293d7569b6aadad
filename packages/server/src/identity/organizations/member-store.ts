import { sql, type Selectable, type Updateable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import { requireFound } from '../../platform/errors.ts';
import './table.ts';

/** `team_ids` are the teams that are not deleted. */
export type OrgMemberRow = Selectable<Database['organization_member']>;

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
      'm.created_at',
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

/** The member, of whatever organization. */
export const findMemberById = (tx: Tx, id: string): Promise<OrgMemberRow | undefined> =>
  allMembers(tx).where('m.id', '=', id).executeTakeFirst();

/** At most `limit` members with an address, oldest first; one for each organization that knows it. */
export const listMembersByEmail = (tx: Tx, email: string, limit: number): Promise<OrgMemberRow[]> =>
  allMembers(tx).where('m.email', '=', email).orderBy('m.id').limit(limit).execute();

export const findMemberByEmail = (tx: Tx, orgId: string, email: string): Promise<OrgMemberRow | undefined> =>
  members(tx, orgId).where('m.email', '=', email).executeTakeFirst();

/** Whether a member of the organization, other than the one with this id, is an org_admin. */
export async function hasAdmin(tx: Tx, orgId: string, exceptId?: string): Promise<boolean> {
  let query = members(tx, orgId).where('m.role', '=', 'org_admin');
  if (exceptId !== undefined) query = query.where('m.id', '!=', exceptId);
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

/** Whether the organization has a member who is an owner, apart from the given one. */
export async function hasOtherOwner(tx: Tx, orgId: string, id: string | null): Promise<boolean> {
  let query = members(tx, orgId).where('m.is_owner', '=', true).limit(1);
  if (id !== null) query = query.where('m.id', '!=', id);
  return (await query.executeTakeFirst()) !== undefined;
}

export async function insertMember(tx: Tx, { roles, ...row }: OrgMemberRow): Promise<void> {
  await tx
    .insertInto('organization_member')
    .values({ ...row, roles: JSON.stringify(roles) })
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
