import type { Insertable, Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import './table.ts';

export type PasskeyRow = Selectable<Database['member_passkey']>;

/** Oldest first. */
export const listPasskeys = (tx: Tx, memberId: string): Promise<PasskeyRow[]> =>
  tx.selectFrom('member_passkey').selectAll().where('member_id', '=', memberId).orderBy('id').execute();

/** A passkey of an active member, by what the authenticator calls it, with the organization of the member. */
export const findPasskey = (
  tx: Tx,
  credentialId: string,
): Promise<(PasskeyRow & { org_id: string }) | undefined> =>
  tx
    .selectFrom('member_passkey as p')
    .innerJoin('organization_member as m', 'm.id', 'p.member_id')
    .selectAll('p')
    .select('m.org_id')
    .where('p.credential_id', '=', credentialId)
    .where('m.deactivated_at', 'is', null)
    .executeTakeFirst();

/** False where the credential is registered already. */
export async function insertPasskey(tx: Tx, row: Insertable<Database['member_passkey']>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('member_passkey')
    .values(row)
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** False if the counter did not grow, also because of a concurrent use. Authenticators that do not count send 0. */
export async function recordPasskeyUse(
  tx: Tx,
  { id, counter, at }: { id: string; counter: number; at: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('member_passkey')
    .set({ counter, last_used_at: at })
    .where('id', '=', id)
    .where((row) => (counter === 0 ? row('counter', '=', String(0)) : row('counter', '<', String(counter))))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

interface MemberPasskey {
  readonly memberId: string;
  readonly id: string;
}

/** Returns whether the member has such a passkey. */
export async function renamePasskey(
  tx: Tx,
  { memberId, id, name }: MemberPasskey & { readonly name: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('member_passkey')
    .set({ name })
    .where('member_id', '=', memberId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Returns whether there was one. */
export async function deletePasskey(tx: Tx, { memberId, id }: MemberPasskey): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('member_passkey')
    .where('member_id', '=', memberId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deletePasskeys(tx: Tx, memberId: string): Promise<void> {
  await tx.deleteFrom('member_passkey').where('member_id', '=', memberId).execute();
}

/** Replaces the challenge of the browser, and removes those that have expired. */
export async function saveChallenge(
  tx: Tx,
  row: Insertable<Database['passkey_challenge']>,
  now: Date,
): Promise<void> {
  await tx.deleteFrom('passkey_challenge').where('expires_at', '<=', now).execute();
  await tx.insertInto('passkey_challenge').values(row).execute();
}

/** Removes the challenge of a browser and returns it; undefined where it has none, or an expired one. */
export const takeChallenge = (
  tx: Tx,
  browser: Buffer,
  now: Date,
): Promise<{ challenge: string; member_id: string | null } | undefined> =>
  tx
    .deleteFrom('passkey_challenge')
    .where('browser', '=', browser)
    .where('expires_at', '>', now)
    .returning(['challenge', 'member_id'])
    .executeTakeFirst();
