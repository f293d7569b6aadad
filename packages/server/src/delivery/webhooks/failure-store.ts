import { sql, type Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import './table.ts';

/** The state of an endpoint without failures. */
export const NO_FAILURES = { first_failure_at: null, last_failure_at: null, failing_since: null };

/** Clears the failures of endpoints that succeeded. */
export async function clearFailures(tx: Tx, endpointIds: readonly string[]): Promise<void> {
  await tx
    .updateTable('webhook_endpoint')
    .set(NO_FAILURES)
    .where('id', '=', sql<string>`any(${endpointIds}::uuid[])`)
    .where('first_failure_at', 'is not', null)
    .execute();
}

export type FailuresRow = Pick<
  Selectable<Database['webhook_endpoint']>,
  'id' | 'first_failure_at' | 'last_failure_at' | 'failing_since' | 'disabled_at' | 'revision'
> & { clock_offset_ms: number };

/**
 * Reads and locks the failures of endpoints until the end of the transaction: no endpoint can be changed, disabled or
 * enabled meanwhile.
 */
export async function lockFailures(tx: Tx, endpointIds: readonly string[]): Promise<FailuresRow[]> {
  const { rows } = await sql<FailuresRow>`
    select e.id, e.first_failure_at, e.last_failure_at, e.failing_since, e.disabled_at, e.revision, t.clock_offset_ms
    from webhook_endpoint e
    join team_environment t on t.team_id = e.team_id and t.environment = e.environment
    where e.id = any(${endpointIds}::uuid[])
    order by e.id for no key update of e`.execute(tx);
  return rows;
}

export async function saveFailures(
  tx: Tx,
  rows: readonly Omit<FailuresRow, 'clock_offset_ms' | 'disabled_at' | 'revision'>[],
): Promise<void> {
  await sql`
    update webhook_endpoint e set first_failure_at = v.first_failure_at, last_failure_at = v.last_failure_at,
      failing_since = v.failing_since
    from unnest(${rows.map((r) => r.id)}::uuid[], ${rows.map((r) => r.first_failure_at)}::timestamptz[],
      ${rows.map((r) => r.last_failure_at)}::timestamptz[], ${rows.map((r) => r.failing_since)}::timestamptz[])
      as v (id, first_failure_at, last_failure_at, failing_since)
    where e.id = v.id`.execute(tx);
}
