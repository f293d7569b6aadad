import type { Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import './table.ts';

type TotpRow = Selectable<Database['member_totp']>;

export const findTotp = (tx: Tx, memberId: string): Promise<TotpRow | undefined> =>
  tx.selectFrom('member_totp').selectAll().where('member_id', '=', memberId).executeTakeFirst();

/** The same, locked until the end of the transaction. */
export const lockTotp = (tx: Tx, memberId: string): Promise<TotpRow | undefined> =>
  tx.selectFrom('member_totp').selectAll().where('member_id', '=', memberId).forUpdate().executeTakeFirst();

/** Replaces a pending secret; a confirmed one stays. */
export async function savePendingTotp(
  tx: Tx,
  memberId: string,
  pending: { secret: Buffer; until: Date },
): Promise<void> {
  const columns = { pending: pending.secret, pending_until: pending.until };
  await tx
    .insertInto('member_totp')
    .values({ member_id: memberId, secret: null, confirmed_at: null, last_step: null, ...columns })
    .onConflict((conflict) => conflict.column('member_id').doUpdateSet(columns))
    .execute();
}

/** The pending secret becomes the confirmed one. */
export async function confirmTotp(
  tx: Tx,
  memberId: string,
  { secret, step, at }: { secret: Buffer; step: number; at: Date },
): Promise<void> {
  await tx
    .updateTable('member_totp')
    .set({ secret, confirmed_at: at, last_step: step, pending: null, pending_until: null })
    .where('member_id', '=', memberId)
    .execute();
}

/** Uses up the codes until a time step. False if that one was used already, also by a concurrent call. */
export async function consumeTotpStep(tx: Tx, memberId: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('member_totp')
    .set({ last_step: step })
    .where('member_id', '=', memberId)
    .where('last_step', '<', step)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteTotp(tx: Tx, memberId: string): Promise<void> {
  await tx.deleteFrom('member_totp').where('member_id', '=', memberId).execute();
}
