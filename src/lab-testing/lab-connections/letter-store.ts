import type { Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import type { MessageRow } from './message-store.ts';

export type UnclaimedMessage = Selectable<Database['lab_unclaimed_message']>;

/** Which part of a list, newest first. */
export interface LetterPage {
  readonly limit: number;
  /** Only those that came before this one. */
  readonly before: string | undefined;
}

// prettier-ignore
const UNCLAIMED = [
  'id', 'created_at', 'size_bytes', 'reason', 'lab_application', 'lab_facility', 'our_application', 'our_facility',
] as const;

/** What came and belongs to nobody, without its bytes; for the system. */
export function listUnclaimed(
  tx: Tx,
  { limit, before }: LetterPage,
): Promise<Pick<UnclaimedMessage, (typeof UNCLAIMED)[number]>[]> {
  let query = tx.selectFrom('lab_unclaimed_message').select(UNCLAIMED);
  if (before !== undefined) query = query.where('id', '<', before);
  return query.orderBy('id', 'desc').limit(limit).execute();
}

const DEAD = ['id', 'connection_id', 'created_at', 'size_bytes', 'reason'] as const;

/** The dead letters of all tenants; for the system. */
export function listDead(
  tx: Tx,
  { limit, before }: LetterPage,
): Promise<Pick<MessageRow, (typeof DEAD)[number]>[]> {
  let query = tx.selectFrom('lab_message').select(DEAD).where('status', '=', 'dead');
  if (before !== undefined) query = query.where('id', '<', before);
  return query.orderBy('id', 'desc').limit(limit).execute();
}

export const findUnclaimed = (tx: Tx, id: string): Promise<UnclaimedMessage | undefined> =>
  tx.selectFrom('lab_unclaimed_message').selectAll().where('id', '=', id).executeTakeFirst();

/** The next of them with their bytes, in the order of their ids. */
export async function listUnclaimedBodies(
  tx: Tx,
  { after, limit }: { after: string | null; limit: number },
): Promise<Pick<UnclaimedMessage, 'id' | 'body'>[]> {
  let query = tx.selectFrom('lab_unclaimed_message').select(['id', 'body']);
  if (after !== null) query = query.where('id', '>', after);
  return query.orderBy('id').limit(limit).execute();
}

export async function changeUnclaimed(
  tx: Tx,
  id: string,
  sealed: { body: Buffer; digest: Buffer },
): Promise<void> {
  await tx.updateTable('lab_unclaimed_message').set(sealed).where('id', '=', id).execute();
}

/** Whose message it is, over all tenants; for the system. */
export const findOwner = (
  tx: Tx,
  id: string,
): Promise<(TenantColumns & Pick<MessageRow, 'id' | 'connection_id'>) | undefined> =>
  tx
    .selectFrom('lab_message')
    .select(['team_id', 'environment', 'id', 'connection_id'])
    .where('id', '=', id)
    .executeTakeFirst();

/** Takes a message out of the list of nobody's; false when somebody else did. Of two who claim it the second waits here. */
export async function removeUnclaimed(tx: Tx, id: string): Promise<boolean> {
  const row = await tx
    .deleteFrom('lab_unclaimed_message')
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** The organization of a team; for the audit log. */
export const findOrgOf = async (tx: Tx, teamId: string): Promise<string | undefined> =>
  (await tx.selectFrom('team').select('org_id').where('id', '=', teamId).executeTakeFirst())?.org_id;
