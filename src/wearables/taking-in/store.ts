import { sql, type Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Work } from '../../platform/work.ts';
import '../../users/users.ts';
import type { Span } from './spans.ts';
import './table.ts';

export type Holder = Pick<
  Selectable<Database['app_user']>,
  'id' | 'client_user_id' | 'ingestion_start' | 'ingestion_end'
>;

/** The user, who cannot be erased before this work is done; undefined for one who is not there or deleted. */
export const holdUser = ({ tx, tenant }: Work, userId: string): Promise<Holder | undefined> =>
  tx
    .selectFrom('app_user')
    .select(['id', 'client_user_id', 'ingestion_start', 'ingestion_end'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .forKeyShare()
    .executeTakeFirst();

/** Each span by provider and resource, made as wide as what was noted of it before and what is now. */
export async function widenUntold(
  { tx, tenant }: Work,
  userId: string,
  spans: readonly Span[],
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

/** Takes away what was noted of a user, and answers it in an order that is always the same. */
export async function takeUntold(
  { tx, tenant }: Work,
  userId: string,
): Promise<Pick<Selectable<Database['untold_history']>, 'provider' | 'resource' | 'first_at' | 'last_at'>[]> {
  const rows = await tx
    .deleteFrom('untold_history')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('user_id', '=', userId)
    .returning(['provider', 'resource', 'first_at', 'last_at'])
    .execute();
  return rows.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

const nameOf = ({ provider, resource }: { provider: string; resource: string }) => `${provider}/${resource}`;
