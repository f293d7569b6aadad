import { sql, type RawBuilder } from 'kysely';
import type { Environment, Tenant } from '../tenant.ts';

/** The columns of every tenant table, for its table.ts. */
export interface TenantColumns {
  team_id: string;
  environment: Environment;
}

/** The tenant columns of a row, for every insert into a tenant table. */
export const tenantColumns = (tenant: Tenant): TenantColumns => ({
  team_id: tenant.teamId,
  environment: tenant.environment,
});

/** The tenant that owns a row, for queries across tenants. */
export const toTenant = (row: Readonly<TenantColumns>): Tenant => ({
  teamId: row.team_id,
  environment: row.environment,
});

/** Tenants as a table with the columns `team_id` and `environment`, to be named by `as t (team_id, environment)`. */
export const unnestTenants = (tenants: readonly Tenant[]): RawBuilder<unknown> =>
  sql`unnest(${tenants.map(({ teamId }) => teamId)}::uuid[], ${tenants.map(({ environment }) => environment)}::text[])`;
