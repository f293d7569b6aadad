import { sql } from 'kysely';
import type { Work } from '../../platform/work.ts';
import { readOrders, wholeOrder } from './read-store.ts';

export type WholeRow = Awaited<ReturnType<typeof listWhole>>[number];

interface Wanted {
  readonly ids?: readonly string[];
  /** Their last change lies in this time. */
  readonly changed?: { readonly from: Date; readonly to: Date };
  readonly limit: number;
}

/** Orders with all that a view needs, what changed first comes first; those of a deleted user are not there. */
export function listWhole(work: Work, { ids, changed, limit }: Wanted) {
  let query = readOrders(work);
  if (ids) query = query.where('o.id', '=', sql<string>`any(${ids}::uuid[])`);
  if (changed) {
    // `listed` is in the index of the last changed.
    query = query.where(sql<boolean>`o.listed`);
    query = query.where('o.updated_at', '>=', changed.from).where('o.updated_at', '<=', changed.to);
  }
  return wholeOrder(query).orderBy('o.updated_at').orderBy('o.id').limit(limit).execute();
}
