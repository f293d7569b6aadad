import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import { toTenantKey, type Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { toTenant } from '../../platform/db/tenant-rows.ts';

/** The given tenants in which a report waits for the registration of a kit; requires a system transaction. */
export async function listTenantsAwaitingKits(tx: Tx, tenants: readonly Tenant[]): Promise<Tenant[]> {
  const rows = await tx
    .selectFrom('incoming_result')
    .select(['team_id', 'environment'])
    .distinct()
    .where('awaits_kit', 'is not', null)
    .where(
      'team_id',
      'in',
      tenants.map(({ teamId }) => teamId),
    )
    .execute();
  const asked = new Set(tenants.map(toTenantKey));
  return rows.map(toTenant).filter((tenant) => asked.has(toTenantKey(tenant)));
}

/** Reports in review whose kit is now registered, oldest first. */
export async function listReportsOfRegisteredKits({ tx, tenant }: Work, limit: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('incoming_result as result')
    .innerJoin('lab_order as kit', (join) =>
      join
        .onRef('kit.team_id', '=', 'result.team_id')
        .onRef('kit.environment', '=', 'result.environment')
        .onRef('kit.id', '=', 'result.awaits_kit'),
    )
    .select('result.id')
    .where('result.team_id', '=', tenant.teamId)
    .where('result.environment', '=', tenant.environment)
    .where('result.awaits_kit', 'is not', null)
    .where('result.status', 'in', ['pending_customer_review', 'pending_ops_review'])
    .where('kit.registered_at', 'is not', null)
    .where(sql<boolean>`kit.listed`)
    .orderBy('result.created_at')
    .orderBy('result.id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
