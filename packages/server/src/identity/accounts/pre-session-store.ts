import type { Insertable, Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import './table.ts';

type PreSessionRow = Pick<
  Selectable<Database['member_pre_session']>,
  'id' | 'org_id' | 'member_id' | 'method' | 'expires_at'
> & { readonly name: string; readonly email: string };

export async function insertPreSession(
  tx: Tx,
  row: Insertable<Database['member_pre_session']>,
): Promise<void> {
  await tx.deleteFrom('member_pre_session').where('expires_at', '<=', row.created_at).execute();
  await tx.insertInto('member_pre_session').values(row).execute();
}

/** One that has not expired. */
export const findPreSessionByDigest = (
  tx: Tx,
  digest: Buffer,
  now: Date,
): Promise<PreSessionRow | undefined> =>
  tx
    .selectFrom('member_pre_session as p')
    .innerJoin('organization_member as m', 'm.id', 'p.member_id')
    .select(['p.id', 'p.org_id', 'p.member_id', 'p.method', 'p.expires_at', 'm.name', 'm.email'])
    .where('p.digest', '=', digest)
    .where('p.expires_at', '>', now)
    .where('m.deactivated_at', 'is', null)
    .executeTakeFirst();

/** Ends one. False if it was ended, also by a concurrent call. */
export async function deletePreSession(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('member_pre_session')
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deletePreSessions(tx: Tx, memberId: string): Promise<void> {
  await tx.deleteFrom('member_pre_session').where('member_id', '=', memberId).execute();
}
