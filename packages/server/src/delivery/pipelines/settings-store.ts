import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import { distinctTenants, type Tenant } from '../../platform/tenant.ts';
import { type TenantColumns, unnestTenants } from '../../platform/db/tenant-rows.ts';
import type { DestinationKind } from './preferences.ts';
import './table.ts';

interface LockedPipelineSettings extends TenantColumns {
  readonly enabled: DestinationKind[];
}

/**
 * Reads the settings of the tenants that have some, and locks them (for share) until the transaction ends, so that all
 * handlers of one event use the same settings. Waits for a concurrent change, so read dependent rows with a later
 * query. Rows are locked in a fixed order, which prevents deadlocks.
 */
export async function lockSettings(tx: Tx, tenants: readonly Tenant[]): Promise<LockedPipelineSettings[]> {
  const { rows } = await sql<LockedPipelineSettings>`
    select p.team_id, p.environment, p.enabled
    from ${unnestTenants(distinctTenants(tenants))} as t (team_id, environment)
    join event_pipeline p on p.team_id = t.team_id and p.environment = t.environment
    order by p.team_id, p.environment for share of p`.execute(tx);
  return rows;
}
