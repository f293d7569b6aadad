import type { Tenant } from '../tenant.ts';

/** The tenant columns of a row, for every insert into a tenant table. */
export const tenantColumns = (tenant: Tenant): { team_id: string; environment: string } => ({
  team_id: tenant.teamId,
  environment: tenant.environment,
});

/** The columns of every tenant table, for its table.ts. */
export interface TenantColumns {
  team_id: string;
  environment: string;
}
