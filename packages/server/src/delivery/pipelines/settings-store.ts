import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { DestinationKind } from './preferences.ts';
import './table.ts';

interface LockedPipelineSettings {
  readonly team_id: string;
  readonly environment: string;
  readonly enabled: DestinationKind[];
}

/**
 * Reads the settings of the tenants that have some, and locks them (for share) until the transaction ends, so that all
 * handlers of one event use the same settings. Waits for a concurrent change, so read dependent rows with a later
 * query. Rows are locked in a fixed order, which prevents deadlocks.
 */
export async function lockSettings(tx: Tx, tenants: readonly Tenant[]): Promise<LockedPipelineSettings[]> {
  const each = [
    ...new Map(tenants.map((tenant) => [`${tenant.teamId}/${tenant.environment}`, tenant])).values(),
  ];
  const { rows } = await sql<LockedPipelineSettings>`
    select p.team_id, p.environment, p.enabled
    from unnest(${each.map(({ teamId }) => teamId)}::uuid[], ${each.map(({ environment }) => environment)}::text[])
      as t (team_id, environment)
    join event_pipeline p on p.team_id = t.team_id and p.environment = t.environment
    order by p.team_id, p.environment for share of p`.execute(tx);
  return rows;
}
