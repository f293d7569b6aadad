import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { listMemberNames } from './store.ts';

/**
 * The names of members of an organization, by id. Logs contain only ids, and are read with the names that members have
 * now. Members that were removed have none.
 */
export async function readMemberNames(
  app: App,
  orgId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const distinct = [...new Set(ids)];
  if (distinct.length === 0) return new Map();
  return asSystem(app.db, (tx) => listMemberNames(tx, orgId, distinct));
}
