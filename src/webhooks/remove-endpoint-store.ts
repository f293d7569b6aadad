import { sql } from 'kysely';
import type { Tx } from '../platform/db/database.ts';
import type { Tenant } from '../platform/tenant.ts';
import { byIndexOnly } from './delivery-store.ts';
import type { Work } from '../platform/work.ts';
import './table.ts';

/** What hangs on an endpoint: each table with the column by which one of its indexes orders the rows of an endpoint. */
const WALKS = {
  webhook_delivery: { column: 'event_id', type: sql`uuid`, from: '00000000-0000-0000-0000-000000000000' },
  webhook_bundle: { column: 'due_wall', type: sql`timestamptz`, from: '-infinity' },
  webhook_attempt: { column: 'at', type: sql`timestamptz`, from: '-infinity' },
  webhook_attempt_block: { column: 'last_at', type: sql`timestamptz`, from: '-infinity' },
} as const;
export type OfEndpoint = keyof typeof WALKS;

export interface Part {
  readonly tenant: Tenant;
  readonly endpointId: string;
  readonly of: OfEndpoint;
  /** Where the part before ended; null for the first. */
  readonly after: string | null;
  readonly limit: number;
}

/**
 * Removes a part of what hangs on an endpoint, and answers where the next one begins; null when there is none. What
 * somebody has in their hands is passed by. For the system: the tenant's own role brings the tenant's columns into every
 * condition, and while a table's statistics are young the planner would take an index that begins with them, and read
 * the tenant's whole queue for each part.
 */
export async function removePart(
  tx: Tx,
  { tenant, endpointId, of, after, limit }: Part,
): Promise<string | null> {
  await byIndexOnly(tx);
  const { column, type, from } = WALKS[of];
  const key = sql.ref(column);
  // An attempt is never changed, and the system may not lock one.
  const free = of === 'webhook_attempt' ? sql`` : sql`for update skip locked`;
  const { rows } = await sql<{ removed: number; last: string | null }>`
    with part as materialized (
      select ctid as place, ${key} as key from ${sql.table(of)}
      where team_id = ${tenant.teamId} and environment = ${tenant.environment} and endpoint_id = ${endpointId}
        and ${key} >= ${after ?? from}::${type}
      order by ${key} limit ${limit} ${free}),
    gone as (delete from ${sql.table(of)} where ctid = any(array(select place from part)))
    select count(*)::int as removed, max(key::text) as last from part`.execute(tx);
  const [row] = rows;
  return row && row.removed === limit ? row.last : null;
}

/** Removes it with the messages that are left. */
export async function deleteEndpoint({ tx, tenant }: Work, id: string): Promise<void> {
  await tx
    .deleteFrom('webhook_endpoint')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
}
