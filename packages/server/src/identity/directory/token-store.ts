import type { Insertable, Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import './table.ts';

const COLUMNS = ['id', 'org_id', 'label', 'prefix', 'created_at', 'last_used_at', 'expires_at'] as const;

export type DirectoryTokenRow = Pick<Selectable<Database['directory_token']>, (typeof COLUMNS)[number]>;

const tokens = (tx: Tx) => tx.selectFrom('directory_token').select(COLUMNS).where('deleted_at', 'is', null);

/** Those that were not revoked, oldest first. There are at most two that work, and few that have expired. */
export const listTokens = (tx: Tx, orgId: string): Promise<DirectoryTokenRow[]> =>
  tokens(tx).where('org_id', '=', orgId).orderBy('id').execute();

export const findToken = (tx: Tx, orgId: string, id: string): Promise<DirectoryTokenRow | undefined> =>
  tokens(tx).where('org_id', '=', orgId).where('id', '=', id).executeTakeFirst();

/** A token that was not revoked, with the plan of its organization. */
export const findTokenByDigest = (
  tx: Tx,
  digest: Buffer,
): Promise<(DirectoryTokenRow & { plan: string }) | undefined> =>
  tx
    .selectFrom('directory_token as k')
    .innerJoin('organization as o', 'o.id', 'k.org_id')
    .select(COLUMNS.map((column) => `k.${column}` as const))
    .select('o.plan')
    .where('k.digest', '=', digest)
    .where('k.deleted_at', 'is', null)
    .executeTakeFirst();

export async function insertToken(
  tx: Tx,
  row: Omit<Insertable<Database['directory_token']>, 'last_used_at' | 'deleted_at'>,
): Promise<void> {
  await tx
    .insertInto('directory_token')
    .values({ ...row, last_used_at: null, deleted_at: null })
    .execute();
}

export async function changeToken(
  tx: Tx,
  id: string,
  change: { deleted_at: Date } | { last_used_at: Date },
): Promise<void> {
  await tx.updateTable('directory_token').set(change).where('id', '=', id).execute();
}
