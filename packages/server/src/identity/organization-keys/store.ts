import type { Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import './table.ts';

export type OrganizationKeyRow = Selectable<Database['organization_key']>;

export const findKey = (tx: Tx, orgId: string): Promise<OrganizationKeyRow | undefined> =>
  tx.selectFrom('organization_key').selectAll().where('org_id', '=', orgId).executeTakeFirst();

/** Another transaction may have created the key first: then nothing happens. */
export async function insertKey(tx: Tx, row: OrganizationKeyRow): Promise<void> {
  await tx
    .insertInto('organization_key')
    .values(row)
    .onConflict((conflict) => conflict.column('org_id').doNothing())
    .execute();
}

/** All keys, locked until the end of the transaction. */
export const lockKeys = (tx: Tx): Promise<OrganizationKeyRow[]> =>
  tx.selectFrom('organization_key').selectAll().forUpdate().execute();

export async function changeKey(tx: Tx, orgId: string, wrappedKey: Buffer): Promise<void> {
  await tx
    .updateTable('organization_key')
    .set({ wrapped_key: wrappedKey })
    .where('org_id', '=', orgId)
    .execute();
}
