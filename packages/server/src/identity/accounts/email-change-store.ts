import { sql, type Insertable, type Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import './table.ts';

type EmailChangeRow = Pick<Selectable<Database['member_email_change']>, 'email' | 'expires_at'>;

/** Replaces the one that the member asked for before. */
export async function saveEmailChange(
  tx: Tx,
  row: Insertable<Database['member_email_change']>,
): Promise<void> {
  const { member_id: _, ...changed } = row;
  await tx
    .insertInto('member_email_change')
    .values(row)
    .onConflict((conflict) => conflict.column('member_id').doUpdateSet(changed))
    .execute();
}

/** The change that waits for its confirmation. */
export const findEmailChange = (tx: Tx, memberId: string, now: Date): Promise<EmailChangeRow | undefined> =>
  tx
    .selectFrom('member_email_change')
    .select(['email', 'expires_at'])
    .where('member_id', '=', memberId)
    .where('expires_at', '>', now)
    .executeTakeFirst();

interface EmailChangeLink {
  readonly memberId: string;
  readonly digest: Buffer;
  readonly now: Date;
}

/** Uses up a link of the member. Undefined for one that was used, was replaced, has expired or is another member's. */
export async function consumeEmailChange(
  tx: Tx,
  { memberId, digest, now }: EmailChangeLink,
): Promise<string | undefined> {
  const row = await tx
    .deleteFrom('member_email_change')
    .where('digest', '=', digest)
    .where('member_id', '=', memberId)
    .where('expires_at', '>', now)
    .returning('email')
    .executeTakeFirst();
  return row?.email;
}

/** False where the member has asked for none. */
export async function deleteEmailChange(tx: Tx, memberId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('member_email_change')
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteExpiredEmailChanges(tx: Tx, orgId: string, now: Date): Promise<void> {
  await tx
    .deleteFrom('member_email_change')
    .where('org_id', '=', orgId)
    .where('expires_at', '<=', now)
    .execute();
}

/** Whether a directory (SCIM) manages the member, whose address it would set again. */
export async function isInDirectory(tx: Tx, memberId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from directory_user where member_id = ${memberId} and is_provisioned`.execute(tx);
  return rows.length > 0;
}
