import type { Tx } from '../db/database.ts';
import { asSystem, type Db } from '../db/transact.ts';
import type { Tenant } from '../tenant.ts';

const TENANTS_PER_ROUND = 20;

/** Where to find tenants with work, and how to do a part of it. */
interface TenantRound {
  readonly list: (tx: Tx, limit: number) => Promise<readonly Tenant[]>;
  /** Does one batch for a tenant; returns whether there may be more. */
  readonly advance: (tenant: Tenant) => Promise<boolean>;
}

/** One iteration of a loop over tenants with work: one batch for each of up to 20. Returns whether there may be more. */
export async function advanceTenants(db: Db, { list, advance }: TenantRound): Promise<boolean> {
  let isMore = false;
  for (const tenant of await asSystem(db, (tx) => list(tx, TENANTS_PER_ROUND)))
    isMore = (await advance(tenant)) || isMore;
  return isMore;
}
