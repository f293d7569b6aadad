import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { forceIndexScans } from './delivery-store.ts';
import type { Work } from '../../platform/work.ts';
import './table.ts';

/** The tables with rows of an endpoint, each with the column by which an index orders them. */
const WALKS = {
  webhook_delivery: { column: 'event_id', type: sql`uuid`, from: '00000000-0000-0000-0000-000000000000' },
  webhook_bundle: { column: 'due_wall', type: sql`timestamptz`, from: '-infinity' },
  webhook_attempt: { column: 'at', type: sql`timestamptz`, from: '-infinity' },
  webhook_attempt_block: { column: 'last_at', type: sql`timestamptz`, from: '-infinity' },
} as const;
export type EndpointTable = keyof typeof WALKS;

export interface EndpointRowsBatch {
  readonly tenant: Tenant;
  readonly endpointId: string;
  readonly of: EndpointTable;
  /** The end of the previous batch; null for the first. */
  readonly after: string | null;
  readonly limit: number;
}

/**
 * Removes a batch of the rows of an endpoint, and returns where the next one starts; null if none is left. Locked rows
 * are skipped. Runs as the system: the tenant role adds the tenant columns to every condition, and while a table's
 * statistics are new the planner would choose an index that starts with them, and read the tenant's whole queue for
 * each batch.
 */
export async function removeBatch(
  tx: Tx,
  { tenant, endpointId, of, after, limit }: EndpointRowsBatch,
): Promise<string | null> {
  await forceIndexScans(tx);
  const { column, type, from } = WALKS[of];
  const key = sql.ref(column);
  // An attempt is never changed, and the system role cannot lock one.
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

/** Removes it with its remaining messages. */
export async function deleteEndpoint({ tx, tenant }: Work, id: string): Promise<void> {
  await tx
    .deleteFrom('webhook_endpoint')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
}
