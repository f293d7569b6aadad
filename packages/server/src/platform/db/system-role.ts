import type { Tx } from './database.ts';
import { execute } from './transact.ts';

/** Runs a part of a tenant's transaction as the system role, for tables that tenants may not write. */
export async function withSystemRole<T>(tx: Tx, run: () => Promise<T>): Promise<T> {
  await execute(tx, 'SET LOCAL ROLE aliquot_system');
  const value = await run();
  await execute(tx, 'SET LOCAL ROLE aliquot_tenant');
  return value;
}
