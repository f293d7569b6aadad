import { sql } from 'kysely';
import type { Tx } from '../platform/db/database.ts';
import type { Tenant } from '../platform/tenant.ts';
import type { Destination } from './preferences.ts';
import './table.ts';

export interface HeldSettings {
  readonly team_id: string;
  readonly environment: string;
  readonly enabled: Destination[];
}

/**
 * The settings of those tenants that have some; nobody changes or removes them until the transaction ends, so that all
 * that hand out one event do it by the same. Whoever is changing them is waited for: what hangs on them is to be read
 * after this, by a query of its own. One order for all, so that nobody waits crosswise.
 */
export async function holdSettings(tx: Tx, tenants: readonly Tenant[]): Promise<HeldSettings[]> {
  const each = [
    ...new Map(tenants.map((tenant) => [`${tenant.teamId}/${tenant.environment}`, tenant])).values(),
  ];
  const { rows } = await sql<HeldSettings>`
    select p.team_id, p.environment, p.enabled
    from unnest(${each.map(({ teamId }) => teamId)}::uuid[], ${each.map(({ environment }) => environment)}::text[])
      as t (team_id, environment)
    join event_pipeline p on p.team_id = t.team_id and p.environment = t.environment
    order by p.team_id, p.environment for share of p`.execute(tx);
  return rows;
}
