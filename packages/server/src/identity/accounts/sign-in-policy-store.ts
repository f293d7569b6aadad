import type { Insertable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import './table.ts';

export const findPolicy = (tx: Tx, orgId: string): Promise<{ require_second_factor: boolean } | undefined> =>
  tx
    .selectFrom('organization_sign_in')
    .select('require_second_factor')
    .where('org_id', '=', orgId)
    .executeTakeFirst();

export async function savePolicy(
  tx: Tx,
  { org_id: orgId, ...columns }: Insertable<Database['organization_sign_in']>,
): Promise<void> {
  await tx
    .insertInto('organization_sign_in')
    .values({ org_id: orgId, ...columns })
    .onConflict((conflict) => conflict.column('org_id').doUpdateSet(columns))
    .execute();
}

/**
 * Ends the sessions of the members of an organization who have no second factor. Those of single sign-on stay: the
 * identity provider asks for its own factors.
 */
export async function deleteSessionsWithoutFactor(tx: Tx, orgId: string): Promise<void> {
  await tx
    .deleteFrom('member_session as s')
    .where('s.org_id', '=', orgId)
    .where('s.method', '!=', 'sso')
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('member_totp as t')
            .whereRef('t.member_id', '=', 's.member_id')
            .where('t.confirmed_at', 'is not', null),
        ),
      ),
    )
    .where((row) =>
      row.not(row.exists(row.selectFrom('member_passkey as p').whereRef('p.member_id', '=', 's.member_id'))),
    )
    .execute();
}
