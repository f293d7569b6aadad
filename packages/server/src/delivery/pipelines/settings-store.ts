import { sql } from 'kysely';
import type { Broker } from '../../adapters/event-destination/port.ts';
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

/** The sealed settings of a broker that events are sent to. */
export interface BrokerSettingsRow extends TenantColumns {
  readonly broker: Broker;
  readonly rabbitmq: Buffer | null;
  readonly nats: Buffer | null;
}

/** The brokers that all tenants have enabled; requires a system transaction. */
export async function listBrokerSettings(tx: Tx): Promise<BrokerSettingsRow[]> {
  const { rows } = await sql<BrokerSettingsRow>`
    select d.team_id, d.environment, d.broker, p.rabbitmq, p.nats
    from event_destination d join event_pipeline p using (team_id, environment)
    where d.role <> 'removed'
    order by d.team_id, d.environment, d.broker`.execute(tx);
  return rows;
}
