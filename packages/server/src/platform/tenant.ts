/** The owner of a row: a team in one environment. No row of one tenant is ever visible to another. */
export interface Tenant {
  readonly teamId: string;
  readonly environment: Environment;
}

export const ENVIRONMENTS = ['production', 'sandbox'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

export const REGIONS = ['us', 'eu'] as const;
export type Region = (typeof REGIONS)[number];

/** Names a tenant, as a key of maps and sets. */
export const toTenantKey = ({ teamId, environment }: Tenant): string => `${teamId}/${environment}`;

export const distinctTenants = (tenants: readonly Tenant[]): Tenant[] => [
  ...new Map(tenants.map((tenant) => [toTenantKey(tenant), tenant])).values(),
];
