import { sql, type Insertable, type Updateable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { DirectoryRole } from '../roles/roles.ts';
import type { FilterColumns } from './filter-store.ts';
import type { ResourcePage } from './user-store.ts';
import './table.ts';

export interface DirectoryGroupRow {
  readonly id: string;
  readonly display_name: string;
  readonly external_id: string | null;
  readonly grants: readonly DirectoryRole[];
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** Undefined where they were not asked for. */
  readonly members?: readonly { readonly value: string; readonly display: string }[];
}

const MEMBERS = sql<NonNullable<DirectoryGroupRow['members']>>`(
  select coalesce(jsonb_agg(jsonb_build_object('value', m.id, 'display', m.name) order by m.id), '[]')
  from directory_group_member x join organization_member m on m.org_id = x.org_id and m.id = x.member_id
  where x.org_id = g.org_id and x.group_id = g.id)`;

const groups = (tx: Tx, orgId: string) =>
  tx
    .selectFrom('directory_group as g')
    .select([
      'g.id',
      'g.display_name',
      'g.external_id',
      'g.grants',
      'g.version',
      'g.created_at',
      'g.updated_at',
    ])
    .where('g.org_id', '=', orgId);

/** Where the attributes of a Group are. */
export const GROUP_COLUMNS: FilterColumns = {
  columns: {
    id: sql`g.id::text`,
    externalId: sql`g.external_id`,
    displayName: sql`g.display_name`,
    'meta.resourceType': sql`'Group'::text`,
    'meta.created': sql`g.created_at`,
    'meta.lastModified': sql`g.updated_at`,
  },
  values: {
    members: {
      columns: { value: sql`m.id::text`, display: sql`m.name`, type: sql`'User'::text` },
      exists: (condition) => sql<boolean>`exists (
        select from directory_group_member x join organization_member m on m.org_id = x.org_id and m.id = x.member_id
        where x.org_id = g.org_id and x.group_id = g.id and ${condition})`,
    },
  },
};

/** Oldest first. */
export async function listGroups(
  tx: Tx,
  orgId: string,
  {
    condition = sql<boolean>`true`,
    offset,
    limit,
    withMembers,
  }: ResourcePage & { readonly withMembers: boolean },
): Promise<DirectoryGroupRow[]> {
  if (limit === 0) return [];
  const page = groups(tx, orgId).where(condition).orderBy('g.id').offset(offset).limit(limit);
  return withMembers ? page.select(MEMBERS.as('members')).execute() : page.execute();
}

export async function countGroups(
  tx: Tx,
  orgId: string,
  { condition = sql<boolean>`true` }: Pick<ResourcePage, 'condition'>,
): Promise<number> {
  const counted = await tx
    .selectFrom('directory_group as g')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('g.org_id', '=', orgId)
    .where(condition)
    .executeTakeFirstOrThrow();
  return counted.count;
}

export const findGroup = (tx: Tx, orgId: string, id: string): Promise<DirectoryGroupRow | undefined> =>
  groups(tx, orgId).select(MEMBERS.as('members')).where('g.id', '=', id).executeTakeFirst();

/** The groups after an id, oldest first, without their members. */
export function listGroupsAfter(
  tx: Tx,
  orgId: string,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<(DirectoryGroupRow & { member_count: number })[]> {
  let query = groups(tx, orgId).select(
    sql<number>`(select count(*)::int from directory_group_member x
      where x.org_id = g.org_id and x.group_id = g.id)`.as('member_count'),
  );
  if (after !== undefined) query = query.where('g.id', '>', after);
  return query.orderBy('g.id').limit(limit).execute();
}

/** Whether another group of the organization has the name, in whatever case. */
export async function hasGroupNamed(
  tx: Tx,
  orgId: string,
  { name, exceptId }: { name: string; exceptId: string | undefined },
): Promise<boolean> {
  let query = groups(tx, orgId).where(sql<boolean>`lower(g.display_name) = lower(${name})`);
  if (exceptId !== undefined) query = query.where('g.id', '!=', exceptId);
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

export async function insertGroup(tx: Tx, row: Insertable<Database['directory_group']>): Promise<void> {
  await tx.insertInto('directory_group').values(row).execute();
}

/** Increments the version. */
export async function changeGroup(
  tx: Tx,
  { orgId, id }: { orgId: string; id: string },
  change: Updateable<Database['directory_group']>,
): Promise<void> {
  await tx
    .updateTable('directory_group')
    .set({ ...change, version: sql<number>`version + 1` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
}

export async function deleteGroup(tx: Tx, orgId: string, id: string): Promise<void> {
  await tx.deleteFrom('directory_group').where('org_id', '=', orgId).where('id', '=', id).execute();
}

/** A trigger increments the version. */
export async function addMembers(
  tx: Tx,
  { orgId, groupId }: { orgId: string; groupId: string },
  memberIds: readonly string[],
): Promise<void> {
  if (memberIds.length === 0) return;
  await sql`
    insert into directory_group_member (org_id, group_id, member_id)
    select ${orgId}::uuid, ${groupId}::uuid, member_id from unnest(${[...memberIds]}::uuid[]) as t (member_id)
    on conflict do nothing`.execute(tx);
}

export async function removeMembers(
  tx: Tx,
  { orgId, groupId }: { orgId: string; groupId: string },
  memberIds: readonly string[],
): Promise<void> {
  if (memberIds.length === 0) return;
  await tx
    .deleteFrom('directory_group_member')
    .where('org_id', '=', orgId)
    .where('group_id', '=', groupId)
    .where('member_id', '=', sql<string>`any(${[...memberIds]}::uuid[])`)
    .execute();
}

/** Those of the ids that are members of the organization. */
export async function listKnownMembers(tx: Tx, orgId: string, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tx
    .selectFrom('organization_member')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Marks the groups of a member as changed. */
export async function touchGroupsOf(
  tx: Tx,
  orgId: string,
  { memberId, at }: { memberId: string; at: Date },
): Promise<void> {
  await sql`
    update directory_group g set updated_at = ${at}
    from directory_group_member x
    where x.org_id = ${orgId} and x.member_id = ${memberId} and g.org_id = x.org_id and g.id = x.group_id`.execute(
    tx,
  );
}
