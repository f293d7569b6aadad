import { sql, type Insertable, type Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import './table.ts';

export type SessionRow = Omit<Selectable<Database['member_session']>, 'digest'>;

/** A session with its member. */
export type MemberSessionRow = SessionRow & {
  readonly name: string;
  readonly email: string;
  readonly digest: Buffer;
};

/** A session is active before `now` and was used after `idleSince`. */
export interface SessionLimits {
  readonly now: Date;
  readonly idleSince: Date;
}

const SESSION_COLUMNS = [
  's.id',
  's.org_id',
  's.member_id',
  's.method',
  's.address',
  's.user_agent',
  's.created_at',
  's.authenticated_at',
  's.last_seen_at',
  's.expires_at',
] as const;

const activeSessions = (tx: Tx, { now, idleSince }: SessionLimits) =>
  tx
    .selectFrom('member_session as s')
    .select(SESSION_COLUMNS)
    .where('s.expires_at', '>', now)
    .where('s.last_seen_at', '>', idleSince);

export const listSessionsByDigest = (
  tx: Tx,
  digests: readonly Buffer[],
  limits: SessionLimits,
): Promise<MemberSessionRow[]> =>
  activeSessions(tx, limits)
    .innerJoin('organization_member as m', 'm.id', 's.member_id')
    .select(['m.name', 'm.email', 's.digest'])
    .where('s.digest', '=', sql<Buffer>`any(${[...digests]}::bytea[])`)
    .where('m.deactivated_at', 'is', null)
    .execute();

/** Oldest first. */
export const listSessions = (tx: Tx, memberId: string, limits: SessionLimits): Promise<SessionRow[]> =>
  activeSessions(tx, limits).where('s.member_id', '=', memberId).orderBy('s.id').execute();

export async function insertSession(tx: Tx, row: Insertable<Database['member_session']>): Promise<void> {
  await tx.insertInto('member_session').values(row).execute();
}

export async function touchSession(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.updateTable('member_session').set({ last_seen_at: at }).where('id', '=', id).execute();
}

/** Returns whether there was one. */
export async function deleteSession(tx: Tx, of: { memberId: string; id: string }): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('member_session')
    .where('member_id', '=', of.memberId)
    .where('id', '=', of.id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteExpiredSessions(
  tx: Tx,
  memberId: string,
  { now, idleSince }: SessionLimits,
): Promise<void> {
  await tx
    .deleteFrom('member_session')
    .where('member_id', '=', memberId)
    .where((row) => row.or([row('expires_at', '<=', now), row('last_seen_at', '<=', idleSince)]))
    .execute();
}

/** Ends all sessions of a member. */
export async function deleteSessions(tx: Tx, memberId: string): Promise<void> {
  await tx.deleteFrom('member_session').where('member_id', '=', memberId).execute();
}

/** Ends the other sessions of a member; all of them without one to keep. */
export async function deleteOtherSessions(
  tx: Tx,
  { memberId, keptId }: { memberId: string; keptId: string | undefined },
): Promise<void> {
  let query = tx.deleteFrom('member_session').where('member_id', '=', memberId);
  if (keptId !== undefined) query = query.where('id', '!=', keptId);
  await query.execute();
}
