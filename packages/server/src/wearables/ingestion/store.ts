import { sql, type Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Work } from '../../platform/work.ts';
import '../../users/users/users.ts';
import type { ChangedSpan } from './spans.ts';
import './table.ts';

export type IngestionUser = Pick<
  Selectable<Database['app_user']>,
  'id' | 'client_user_id' | 'ingestion_start' | 'ingestion_end'
>;

/** The user, locked against erasure until the transaction ends; undefined if missing or deleted. */
export const shareLockUser = ({ tx, tenant }: Work, userId: string): Promise<IngestionUser | undefined> =>
  tx
    .selectFrom('app_user')
    .select(['id', 'client_user_id', 'ingestion_start', 'ingestion_end'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .forKeyShare()
    .executeTakeFirst();

/** Widens the pending span of each provider and resource. */
export async function upsertPendingHistory(
  { tx, tenant }: Work,
  userId: string,
  spans: readonly ChangedSpan[],
): Promise<void> {
  await tx
    .insertInto('untold_history')
    .values(
      spans.map(({ provider, resource, first, last }) => ({
        ...tenantColumns(tenant),
        user_id: userId,
        provider,
        resource,
        first_at: new Date(first),
        last_at: new Date(last),
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['team_id', 'environment', 'user_id', 'provider', 'resource']).doUpdateSet({
        first_at: sql<Date>`least(untold_history.first_at, excluded.first_at)`,
        last_at: sql<Date>`greatest(untold_history.last_at, excluded.last_at)`,
      }),
    )
    .execute();
}

/** Deletes and returns the pending spans of a user, in a fixed order. */
export async function takePendingHistory(
  { tx, tenant }: Work,
  userId: string,
  only?: { readonly provider: string; readonly resources?: readonly string[] },
): Promise<Pick<Selectable<Database['untold_history']>, 'provider' | 'resource' | 'first_at' | 'last_at'>[]> {
  let taking = tx
    .deleteFrom('untold_history')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('user_id', '=', userId);
  if (only) taking = taking.where('provider', '=', only.provider);
  if (only?.resources)
    taking = taking.where('resource', '=', sql<string>`any(${[...only.resources]}::text[])`);
  const rows = await taking.returning(['provider', 'resource', 'first_at', 'last_at']).execute();
  return rows.toSorted((one, other) => (toSortKey(one) < toSortKey(other) ? -1 : 1));
}

const toSortKey = ({ provider, resource }: { provider: string; resource: string }) =>
  `${provider}/${resource}`;
