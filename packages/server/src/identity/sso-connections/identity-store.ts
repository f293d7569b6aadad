import type { Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import './table.ts';

type SsoIdentityRow = Selectable<Database['sso_identity']>;

export const findIdentity = (
  tx: Tx,
  connectionId: string,
  subject: string,
): Promise<SsoIdentityRow | undefined> =>
  tx
    .selectFrom('sso_identity')
    .selectAll()
    .where('connection_id', '=', connectionId)
    .where('subject', '=', subject)
    .executeTakeFirst();

/** The account of the connection that the member is. */
export const findIdentityOfMember = (
  tx: Tx,
  connectionId: string,
  memberId: string,
): Promise<SsoIdentityRow | undefined> =>
  tx
    .selectFrom('sso_identity')
    .selectAll()
    .where('connection_id', '=', connectionId)
    .where('member_id', '=', memberId)
    .executeTakeFirst();

/** The oldest active connection with which the member has signed in. */
export async function findConnectionOfMember(tx: Tx, memberId: string): Promise<string | undefined> {
  const found = await tx
    .selectFrom('sso_identity as i')
    .innerJoin('sso_connection as c', 'c.id', 'i.connection_id')
    .select('c.id')
    .where('i.member_id', '=', memberId)
    .where('c.is_active', '=', true)
    .orderBy('c.id')
    .executeTakeFirst();
  return found?.id;
}

/** The members that accounts of the connection are. */
export async function listLinkedMembers(tx: Tx, connectionId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('sso_identity')
    .select('member_id')
    .where('connection_id', '=', connectionId)
    .execute();
  return rows.flatMap(({ member_id: id }) => id ?? []);
}

/** Links an account with a member; one that was a removed member becomes the new one. */
export async function saveIdentity(tx: Tx, row: SsoIdentityRow): Promise<void> {
  await tx
    .insertInto('sso_identity')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['connection_id', 'subject'])
        .doUpdateSet({ member_id: row.member_id, created_at: row.created_at }),
    )
    .execute();
}

/** Unlinks all accounts of a connection. */
export async function deleteIdentities(tx: Tx, connectionId: string): Promise<void> {
  await tx.deleteFrom('sso_identity').where('connection_id', '=', connectionId).execute();
}

/** Unlinks a member from the accounts of all connections. Returns the number. */
export async function deleteIdentitiesOfMember(tx: Tx, memberId: string): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('sso_identity')
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
