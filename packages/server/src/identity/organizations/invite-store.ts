import { sql, type Insertable, type Selectable, type Updateable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import { toContainsPattern, type OrgPeoplePage } from './member-store.ts';
import './table.ts';

/** `team_ids` are the teams that are not deleted. */
export type InviteRow = Omit<Selectable<Database['organization_invite']>, 'digest'>;

const ACTIVE_TEAM_IDS = sql<string[]>`array(select t.id from team t where t.id = any(i.team_ids)
  and t.deleted_at is null order by t.id)`;

const invites = (tx: Tx) =>
  tx
    .selectFrom('organization_invite as i')
    .select([
      'i.id',
      'i.org_id',
      'i.email',
      'i.role',
      'i.is_owner',
      'i.roles',
      'i.created_by',
      'i.invited_at',
      'i.resent_at',
      'i.expires_at',
      ACTIVE_TEAM_IDS.as('team_ids'),
    ]);

/** Oldest first, including expired invites. */
export function listInvites(tx: Tx, page: OrgPeoplePage): Promise<InviteRow[]> {
  let query = invites(tx).where('i.org_id', '=', page.orgId);
  if (page.after !== undefined) query = query.where('i.id', '>', page.after);
  if (page.search !== undefined) query = query.where('i.email', 'ilike', toContainsPattern(page.search));
  return query.orderBy('i.id').limit(page.limit).execute();
}

export const findInvite = (tx: Tx, orgId: string, id: string): Promise<InviteRow | undefined> =>
  invites(tx).where('i.org_id', '=', orgId).where('i.id', '=', id).executeTakeFirst();

export const findInviteByEmail = (tx: Tx, orgId: string, email: string): Promise<InviteRow | undefined> =>
  invites(tx).where('i.org_id', '=', orgId).where('i.email', '=', email).executeTakeFirst();

export const findInviteByDigest = (tx: Tx, digest: Buffer): Promise<InviteRow | undefined> =>
  invites(tx).where('i.digest', '=', digest).executeTakeFirst();

export async function insertInvite(tx: Tx, row: Insertable<Database['organization_invite']>): Promise<void> {
  await tx.insertInto('organization_invite').values(row).execute();
}

export async function changeInvite(
  tx: Tx,
  id: string,
  change: Updateable<Database['organization_invite']>,
): Promise<void> {
  await tx.updateTable('organization_invite').set(change).where('id', '=', id).execute();
}

export async function deleteInvite(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('organization_invite').where('id', '=', id).execute();
}
