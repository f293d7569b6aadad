import { sql, type Insertable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { OrgMemberRow } from '../organizations/organizations.ts';
import type { FilterColumns } from './filter-store.ts';
import './table.ts';

/** A member with what the directory says about the person. */
export interface DirectoryUserRow extends OrgMemberRow {
  readonly is_provisioned: boolean;
  readonly user_name: string;
  readonly external_id: string | null;
  readonly formatted_name: string;
  readonly given_name: string | null;
  readonly family_name: string | null;
  readonly updated_at: Date;
  readonly groups: readonly { readonly value: string; readonly display: string }[];
}

const USER_NAME = sql<string>`coalesce(d.user_name, m.email)`;
const FORMATTED = sql<string>`coalesce(d.formatted_name, m.name)`;
const UPDATED_AT = sql<Date>`coalesce(d.updated_at, m.created_at)`;

const GROUPS = sql<DirectoryUserRow['groups']>`(
  select coalesce(jsonb_agg(jsonb_build_object('value', g.id, 'display', g.display_name) order by g.id), '[]')
  from directory_group_member x join directory_group g on g.org_id = x.org_id and g.id = x.group_id
  where x.org_id = m.org_id and x.member_id = m.id)`;

const joined = (tx: Tx, orgId: string) =>
  tx
    .selectFrom('organization_member as m')
    .leftJoin('directory_user as d', 'd.member_id', 'm.id')
    .where('m.org_id', '=', orgId);

const users = (tx: Tx, orgId: string) =>
  joined(tx, orgId)
    .selectAll('m')
    .select(['d.external_id', 'd.given_name', 'd.family_name'])
    .select([
      sql<boolean>`coalesce(d.is_provisioned, false)`.as('is_provisioned'),
      USER_NAME.as('user_name'),
      FORMATTED.as('formatted_name'),
      UPDATED_AT.as('updated_at'),
      GROUPS.as('groups'),
    ]);

/** Where the attributes of a User are. */
export const USER_COLUMNS: FilterColumns = {
  columns: {
    id: sql`m.id::text`,
    externalId: sql`d.external_id`,
    userName: USER_NAME,
    'name.formatted': FORMATTED,
    'name.familyName': sql`d.family_name`,
    'name.givenName': sql`d.given_name`,
    displayName: sql`m.name`,
    active: sql`(m.deactivated_at is null)`,
    'meta.resourceType': sql`'User'::text`,
    'meta.created': sql`m.created_at`,
    'meta.lastModified': UPDATED_AT,
  },
  values: {
    emails: {
      columns: { value: sql`m.email`, type: sql`'work'::text`, primary: sql`true` },
      exists: (condition) => condition,
    },
    groups: {
      columns: { value: sql`g.id::text`, display: sql`g.display_name` },
      exists: (condition) => sql<boolean>`exists (
        select from directory_group_member x join directory_group g on g.org_id = x.org_id and g.id = x.group_id
        where x.org_id = m.org_id and x.member_id = m.id and ${condition})`,
    },
  },
};

/** A page of the resources that meet a condition. */
export interface ResourcePage {
  readonly condition: ReturnType<typeof sql<boolean>> | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** Oldest first. */
export async function listUsers(
  tx: Tx,
  orgId: string,
  { condition = sql<boolean>`true`, offset, limit }: ResourcePage,
): Promise<DirectoryUserRow[]> {
  if (limit === 0) return [];
  return users(tx, orgId).where(condition).orderBy('m.id').offset(offset).limit(limit).execute();
}

export async function countUsers(
  tx: Tx,
  orgId: string,
  { condition = sql<boolean>`true` }: ResourcePage,
): Promise<number> {
  const counted = await joined(tx, orgId)
    .select(sql<number>`count(*)::int`.as('count'))
    .where(condition)
    .executeTakeFirstOrThrow();
  return counted.count;
}

export const findUser = (tx: Tx, orgId: string, id: string): Promise<DirectoryUserRow | undefined> =>
  users(tx, orgId).where('m.id', '=', id).executeTakeFirst();

/** Another member of the organization who has the name or the address, in whatever case. */
export async function findNamesake(
  tx: Tx,
  orgId: string,
  { userName, email, exceptId }: { userName: string; email: string; exceptId: string | undefined },
): Promise<'userName' | 'email' | undefined> {
  let query = joined(tx, orgId)
    .select(sql<boolean>`m.email = ${email}`.as('has_email'))
    .where((row) =>
      row.or([row('m.email', '=', email), sql<boolean>`lower(${USER_NAME}) = lower(${userName})`]),
    )
    .limit(1);
  if (exceptId !== undefined) query = query.where('m.id', '!=', exceptId);
  const found = await query.executeTakeFirst();
  return found && (found.has_email ? 'email' : 'userName');
}

export async function saveUser(tx: Tx, row: Insertable<Database['directory_user']>): Promise<void> {
  const { org_id: _org, member_id: _member, ...change } = row;
  await tx
    .insertInto('directory_user')
    .values(row)
    .onConflict((conflict) => conflict.column('member_id').doUpdateSet(change))
    .execute();
}

/** Whether the organization has an active owner, and an active org_admin. */
export async function findLeaders(tx: Tx, orgId: string): Promise<{ owner: boolean; admin: boolean }> {
  const { rows } = await sql<{ owner: boolean; admin: boolean }>`
    select coalesce(bool_or(is_owner or directory_roles @> '[{"role": "owner"}]'), false) as owner,
      coalesce(bool_or(role = 'org_admin'), false) as admin
    from organization_member where org_id = ${orgId} and deactivated_at is null`.execute(tx);
  return rows[0] ?? { owner: false, admin: false };
}

export async function getOrganizationName(tx: Tx, id: string): Promise<{ name: string }> {
  return tx.selectFrom('organization').select('name').where('id', '=', id).executeTakeFirstOrThrow();
}
