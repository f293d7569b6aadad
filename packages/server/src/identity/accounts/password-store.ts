import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import './table.ts';

export const findPassword = async (tx: Tx, memberId: string): Promise<string | undefined> =>
  (await tx.selectFrom('member_password').select('hash').where('member_id', '=', memberId).executeTakeFirst())
    ?.hash;

export async function savePassword(
  tx: Tx,
  row: { memberId: string; hash: string; changedAt: Date },
): Promise<void> {
  const columns = { hash: row.hash, changed_at: row.changedAt };
  await tx
    .insertInto('member_password')
    .values({ member_id: row.memberId, ...columns })
    .onConflict((conflict) => conflict.column('member_id').doUpdateSet(columns))
    .execute();
}

interface SignInAttempts {
  readonly key: Buffer;
  readonly count: number;
  readonly started_at: Date;
}

/** Counts one more attempt for each key, in windows that begin with an attempt after `since`. */
export function countAttempts(
  tx: Tx,
  keys: readonly Buffer[],
  { now, since }: { now: Date; since: Date },
): Promise<SignInAttempts[]> {
  const isOver = sql<boolean>`sign_in_attempt.started_at <= ${since}`;
  return (
    tx
      .insertInto('sign_in_attempt')
      // In one order, so that two requests never wait for each other.
      .values(keys.toSorted(Buffer.compare).map((key) => ({ key, count: 1, started_at: now })))
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet({
          count: sql`case when ${isOver} then 1 else sign_in_attempt.count + 1 end`,
          started_at: sql`case when ${isOver} then ${now} else sign_in_attempt.started_at end`,
        }),
      )
      .returning(['key', 'count', 'started_at'])
      .execute()
  );
}

/** Forgets the attempts of these keys, and of those whose window is over. */
export async function forgetAttempts(tx: Tx, keys: readonly Buffer[], since: Date): Promise<void> {
  await tx
    .deleteFrom('sign_in_attempt')
    .where((row) => row.or([row('key', 'in', keys), row('started_at', '<=', since)]))
    .execute();
}
