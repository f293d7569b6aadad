import type { Tx } from '../../platform/db/database.ts';
import './table.ts';

/** Replaces all codes of a member. */
export async function replaceRecoveryCodes(
  tx: Tx,
  memberId: string,
  { digests, at }: { digests: readonly Buffer[]; at: Date },
): Promise<void> {
  await deleteRecoveryCodes(tx, memberId);
  await tx
    .insertInto('member_recovery_code')
    .values(digests.map((digest) => ({ member_id: memberId, digest, created_at: at, used_at: null })))
    .execute();
}

export async function deleteRecoveryCodes(tx: Tx, memberId: string): Promise<void> {
  await tx.deleteFrom('member_recovery_code').where('member_id', '=', memberId).execute();
}

/** Marks a code as used. False for an unknown one, and for one that was used, also by a concurrent call. */
export async function useRecoveryCode(
  tx: Tx,
  { memberId, digest, at }: { memberId: string; digest: Buffer; at: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('member_recovery_code')
    .set({ used_at: at })
    .where('member_id', '=', memberId)
    .where('digest', '=', digest)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The number of codes that were not used. */
export async function countRecoveryCodes(tx: Tx, memberId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('member_recovery_code')
    .select((row) => row.fn.countAll<string>().as('count'))
    .where('member_id', '=', memberId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}
