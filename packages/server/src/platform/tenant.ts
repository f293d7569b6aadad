/** The owner of a row: a team in one environment. No row of one tenant is ever visible to another. */
export interface Tenant {
  readonly teamId: string;
  readonly environment: Environment;
}

export const ENVIRONMENTS = ['production', 'sandbox'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

export const REGIONS = ['us', 'eu'] as const;
export type Region = (typeof REGIONS)[number];
