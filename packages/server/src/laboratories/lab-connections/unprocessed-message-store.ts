import type { Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import type { LabMessageRow } from './message-store.ts';

export type UnclaimedMessage = Selectable<Database['lab_unclaimed_message']>;

/** A page of a list that is sorted newest first. */
export interface UnprocessedMessagePage {
  readonly limit: number;
  /** Returns only messages with a smaller id, which are older. */
  readonly before: string | undefined;
}

// prettier-ignore
const UNCLAIMED_COLUMNS = [
  'id', 'created_at', 'size_bytes', 'reason', 'lab_application', 'lab_facility', 'our_application', 'our_facility',
  'connection_id',
] as const;

/** Unclaimed messages without their bodies; requires a system transaction. */
export function listUnclaimedMessages(
  tx: Tx,
  { limit, before }: UnprocessedMessagePage,
): Promise<Pick<UnclaimedMessage, (typeof UNCLAIMED_COLUMNS)[number]>[]> {
  let query = tx.selectFrom('lab_unclaimed_message').select(UNCLAIMED_COLUMNS);
  if (before !== undefined) query = query.where('id', '<', before);
  return query.orderBy('id', 'desc').limit(limit).execute();
}

const DEAD_COLUMNS = ['id', 'connection_id', 'created_at', 'size_bytes', 'reason'] as const;

/** The dead letters of all tenants; requires a system transaction. */
export function listDeadMessages(
  tx: Tx,
  { limit, before }: UnprocessedMessagePage,
): Promise<Pick<LabMessageRow, (typeof DEAD_COLUMNS)[number]>[]> {
  let query = tx.selectFrom('lab_message').select(DEAD_COLUMNS).where('status', '=', 'dead');
  if (before !== undefined) query = query.where('id', '<', before);
  return query.orderBy('id', 'desc').limit(limit).execute();
}

export const findUnclaimedMessage = (tx: Tx, id: string): Promise<UnclaimedMessage | undefined> =>
  tx.selectFrom('lab_unclaimed_message').selectAll().where('id', '=', id).executeTakeFirst();

/** The next unclaimed messages with their bodies, by id. */
export async function listUnclaimedBodies(
  tx: Tx,
  { after, limit }: { after: string | null; limit: number },
): Promise<Pick<UnclaimedMessage, 'id' | 'body'>[]> {
  let query = tx.selectFrom('lab_unclaimed_message').select(['id', 'body']);
  if (after !== null) query = query.where('id', '>', after);
  return query.orderBy('id').limit(limit).execute();
}

export async function updateUnclaimedMessage(
  tx: Tx,
  id: string,
  sealed: { body: Buffer; digest: Buffer },
): Promise<void> {
  await tx.updateTable('lab_unclaimed_message').set(sealed).where('id', '=', id).execute();
}

/** The tenant and connection of a message, across tenants; requires a system transaction. */
export const findMessageOwner = (
  tx: Tx,
  id: string,
): Promise<(TenantColumns & Pick<LabMessageRow, 'id' | 'connection_id'>) | undefined> =>
  tx
    .selectFrom('lab_message')
    .select(['team_id', 'environment', 'id', 'connection_id'])
    .where('id', '=', id)
    .executeTakeFirst();

/** Deletes an unclaimed message; false if it is already gone. A concurrent claim of the same message waits here. */
export async function deleteUnclaimedMessage(tx: Tx, id: string): Promise<boolean> {
  const row = await tx
    .deleteFrom('lab_unclaimed_message')
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** The organization of a team; for the audit log. */
export const findOrgOfTeam = async (tx: Tx, teamId: string): Promise<string | undefined> =>
  (await tx.selectFrom('team').select('org_id').where('id', '=', teamId).executeTakeFirst())?.org_id;
