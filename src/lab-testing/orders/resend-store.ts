import { sql } from 'kysely';
import type { Work } from '../../platform/work.ts';
import { readOrders, wholeOrder } from './read-store.ts';
import { holdOrders } from './row-store.ts';

export type WholeRow = Awaited<ReturnType<typeof holdWhole>>[number];

interface Wanted {
  readonly ids?: readonly string[];
  /** Their last change lies in this time. */
  readonly changed?: { readonly from: Date; readonly to: Date };
  readonly limit: number;
}

/**
 * Orders with all that a view needs, what changed first comes first; those of a deleted user are not there. Nobody changes
 * them until this work ends: what is told of them is not over by the time when it is told.
 */
export async function holdWhole(work: Work, wanted: Wanted) {
  const ids = wanted.ids ?? (await changedIds(work, wanted));
  await holdOrders(work, ids);
  return listWhole(work, { ...wanted, ids });
}

async function changedIds(work: Work, wanted: Wanted): Promise<string[]> {
  const rows = await matching(work, wanted).select('o.id').execute();
  return rows.map(({ id }) => id);
}

const listWhole = (work: Work, wanted: Wanted) => wholeOrder(matching(work, wanted)).execute();

function matching(work: Work, { ids, changed, limit }: Wanted) {
  let query = readOrders(work);
  if (ids) query = query.where('o.id', '=', sql<string>`any(${ids}::uuid[])`);
  if (changed) {
    // `listed` is in the index of the last changed.
    query = query.where(sql<boolean>`o.listed`);
    query = query.where('o.updated_at', '>=', changed.from).where('o.updated_at', '<=', changed.to);
  }
  return query.orderBy('o.updated_at').orderBy('o.id').limit(limit);
}
