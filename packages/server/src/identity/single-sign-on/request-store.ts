import type { Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import './table.ts';

export type SsoRequestRow = Selectable<Database['sso_request']>;

/** Stores a request, and removes those that have expired. */
export async function insertRequest(tx: Tx, row: SsoRequestRow): Promise<void> {
  await tx.deleteFrom('sso_request').where('expires_at', '<=', row.created_at).execute();
  await tx.insertInto('sso_request').values(row).execute();
}

/** Removes the request of a browser and returns it. Undefined for another browser, an expired one and a second time. */
export const takeRequest = (
  tx: Tx,
  { state, browser }: Pick<SsoRequestRow, 'state' | 'browser'>,
  now: Date,
): Promise<SsoRequestRow | undefined> =>
  tx
    .deleteFrom('sso_request')
    .where('state', '=', state)
    .where('browser', '=', browser)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
