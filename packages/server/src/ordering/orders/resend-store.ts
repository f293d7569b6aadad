import { sql } from 'kysely';
import type { Work } from '../../platform/work.ts';
import { selectOrders, selectFullOrder } from './read-store.ts';
import { lockOrders } from './row-store.ts';

export type FullOrderRow = Awaited<ReturnType<typeof lockFullOrders>>[number];

interface ResendQuery {
  readonly ids?: readonly string[];
  /** Orders whose last change is within this window (inclusive). */
  readonly changed?: { readonly from: Date; readonly to: Date };
  readonly limit: number;
}

/**
 * Locks full orders and returns them, ordered by last change. Orders of deleted users are left out. The lock lasts
 * until this work ends, so an event that is emitted about them cannot be outdated by a concurrent change.
 */
export async function lockFullOrders(work: Work, wanted: ResendQuery) {
  const ids = wanted.ids ?? (await listChangedIds(work, wanted));
  await lockOrders(work, ids);
  return readFullOrders(work, { ...wanted, ids });
}

async function listChangedIds(work: Work, wanted: ResendQuery): Promise<string[]> {
  const rows = await selectMatching(work, wanted).select('o.id').execute();
  return rows.map(({ id }) => id);
}

const readFullOrders = (work: Work, wanted: ResendQuery) =>
  selectFullOrder(selectMatching(work, wanted)).execute();

function selectMatching(work: Work, { ids, changed, limit }: ResendQuery) {
  let query = selectOrders(work);
  if (ids) query = query.where('o.id', '=', sql<string>`any(${ids}::uuid[])`);
  if (changed) {
    // The index on `updated_at` is partial, on `listed`.
    query = query.where(sql<boolean>`o.listed`);
    query = query.where('o.updated_at', '>=', changed.from).where('o.updated_at', '<=', changed.to);
  }
  return query.orderBy('o.updated_at').orderBy('o.id').limit(limit);
}
