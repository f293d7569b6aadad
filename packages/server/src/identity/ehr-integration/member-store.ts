import { sql, type Selectable, type Updateable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import './table.ts';

/** `team_ids` are the teams that are not deleted; null for a member who is not bound to teams. */
export type EhrMemberRow = Selectable<Database['ehr_member']>;

const ACTIVE_TEAM_IDS = sql<string[] | null>`case when m.team_ids is null then null else
  array(select t.id from team t where t.id = any(m.team_ids) and t.deleted_at is null order by t.id) end`;

const members = (tx: Tx, orgId: string) =>
  tx
    .selectFrom('ehr_member as m')
    .select([
      'm.id',
      'm.org_id',
      'm.integration_member_id',
      'm.name',
      'm.email',
      'm.avatar',
      'm.created_at',
      'm.updated_at',
      ACTIVE_TEAM_IDS.as('team_ids'),
    ])
    .where('m.org_id', '=', orgId);

interface EhrMemberPage {
  readonly orgId: string;
  readonly after: string | undefined;
  readonly limit: number;
}

/** Oldest first. */
export function listMembers(tx: Tx, { orgId, after, limit }: EhrMemberPage): Promise<EhrMemberRow[]> {
  let query = members(tx, orgId);
  if (after !== undefined) query = query.where('m.id', '>', after);
  return query.orderBy('m.id').limit(limit).execute();
}

export const findMember = (tx: Tx, orgId: string, id: string): Promise<EhrMemberRow | undefined> =>
  members(tx, orgId).where('m.id', '=', id).executeTakeFirst();

export const findByIntegrationId = (
  tx: Tx,
  orgId: string,
  foreignId: string,
): Promise<EhrMemberRow | undefined> =>
  members(tx, orgId).where('m.integration_member_id', '=', foreignId).executeTakeFirst();

export async function insertMember(tx: Tx, row: EhrMemberRow): Promise<void> {
  await tx.insertInto('ehr_member').values(row).execute();
}

export async function changeMember(
  tx: Tx,
  id: string,
  change: Updateable<Database['ehr_member']>,
): Promise<void> {
  await tx.updateTable('ehr_member').set(change).where('id', '=', id).execute();
}

export async function deleteMember(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('ehr_member').where('id', '=', id).execute();
}
