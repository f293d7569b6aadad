import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { Tenant } from '../../platform/tenant.ts';
import './table.ts';

/**
 * For the rest of the transaction rows are found by index only. Plans are cached, and one that was made while the queue
 * was empty would scan the whole table once the queue is long; index plans are right at any size.
 */
export async function forceIndexScans(tx: Tx): Promise<void> {
  await sql`
    select set_config(name, 'off', true)
    from unnest(array['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin', 'enable_sort'])
      as name`.execute(tx);
}

/**
 * The same for the two statements that every message goes through, with generic plans, so that they are not replanned
 * for each batch.
 */
export async function forceQueuePlans(tx: Tx): Promise<void> {
  await sql`
    select set_config(name, value, true)
    from unnest(array['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin', 'enable_sort',
      'plan_cache_mode'], array['off', 'off', 'off', 'off', 'off', 'force_generic_plan']) as v (name, value)`.execute(
    tx,
  );
}

export const findEvent = (tx: Tx, { tenant, id }: { tenant: Tenant; id: string }) =>
  tx
    .selectFrom('event')
    .select(['team_id', 'event_type', 'user_id', 'client_user_id', 'data'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .executeTakeFirst();
