import type { Selectable } from 'kysely';
import type { Database, Tx } from '../platform/db/database.ts';
import { tenantColumns } from '../platform/db/tenant-rows.ts';
import type { Tenant } from '../platform/tenant.ts';
import './table.ts';

export type ScopeRequirementRow = Selectable<Database['scope_requirement']>;

export function listScopes(
  tx: Tx,
  tenant: Tenant,
  provider: string | undefined,
): Promise<ScopeRequirementRow[]> {
  let query = tx
    .selectFrom('scope_requirement')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);
  if (provider !== undefined) query = query.where('provider', '=', provider);
  return query.orderBy('provider').execute();
}

export async function upsertScopes(
  tx: Tx,
  tenant: Tenant,
  columns: Pick<ScopeRequirementRow, 'provider' | 'must_grant' | 'may_grant' | 'updated_at'>,
): Promise<void> {
  await tx
    .insertInto('scope_requirement')
    .values({ ...tenantColumns(tenant), ...columns })
    .onConflict((conflict) => conflict.columns(['team_id', 'environment', 'provider']).doUpdateSet(columns))
    .execute();
}

export async function deleteScopes(tx: Tx, tenant: Tenant, provider: string): Promise<void> {
  await tx
    .deleteFrom('scope_requirement')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('provider', '=', provider)
    .execute();
}
