import type { Insertable, Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import './table.ts';

export type MemberLinkRow = Pick<
  Selectable<Database['member_link']>,
  'id' | 'org_id' | 'member_id' | 'purpose' | 'expires_at'
>;

export async function insertLink(
  tx: Tx,
  row: Omit<Insertable<Database['member_link']>, 'used_at'>,
): Promise<void> {
  await tx.insertInto('member_link').values(row).execute();
}

/** A link that was not used and has not expired. */
export const findLinkByDigest = (tx: Tx, digest: Buffer, now: Date): Promise<MemberLinkRow | undefined> =>
  tx
    .selectFrom('member_link')
    .select(['id', 'org_id', 'member_id', 'purpose', 'expires_at'])
    .where('digest', '=', digest)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();

/** Marks it as used. False for a link that was used, has expired or was deleted in the meantime. */
export async function consumeLink(tx: Tx, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('member_link')
    .set({ used_at: now })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteExpiredLinks(tx: Tx, orgId: string, now: Date): Promise<void> {
  await tx.deleteFrom('member_link').where('org_id', '=', orgId).where('expires_at', '<=', now).execute();
}

/** Invalidates all links of a member that were not used. */
export async function deleteLinks(tx: Tx, memberId: string): Promise<void> {
  await tx.deleteFrom('member_link').where('member_id', '=', memberId).where('used_at', 'is', null).execute();
}

/** Organizations of which no owner can sign in: with a password, a passkey or single sign-on. Oldest first. */
const withoutOwner = (tx: Tx) =>
  tx
    .selectFrom('organization as o')
    .select(['o.id', 'o.name'])
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('organization_member as m')
            .leftJoin('member_password as w', 'w.member_id', 'm.id')
            .leftJoin('member_passkey as k', 'k.member_id', 'm.id')
            .leftJoin('sso_identity as i', 'i.member_id', 'm.id')
            .select('m.id')
            .whereRef('m.org_id', '=', 'o.id')
            .where('m.is_owner', '=', true)
            .where((way) =>
              way.or([
                way('w.member_id', 'is not', null),
                way('k.id', 'is not', null),
                way('i.member_id', 'is not', null),
              ]),
            ),
        ),
      ),
    )
    .orderBy('o.created_at')
    .orderBy('o.id');

export const findOrganizationWithoutOwner = (tx: Tx): Promise<{ id: string; name: string } | undefined> =>
  withoutOwner(tx).limit(1).executeTakeFirst();

/** Whether no owner of the organization can sign in. */
export const lacksOwner = async (tx: Tx, orgId: string): Promise<boolean> =>
  (await withoutOwner(tx).where('o.id', '=', orgId).executeTakeFirst()) !== undefined;

/** Undefined where there are several. */
export async function findOnlyOrganization(tx: Tx): Promise<string | undefined> {
  const found = await tx.selectFrom('organization').select('id').limit(2).execute();
  return found.length === 1 ? found[0]?.id : undefined;
}
