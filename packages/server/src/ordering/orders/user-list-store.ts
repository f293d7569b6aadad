import { sql } from 'kysely';
import type { Work } from '../../platform/work.ts';
import {
  COUNT_LIMIT,
  joinConditions,
  ofTenant,
  orderConditions,
  type OrderListQuery,
  type SqlFragment,
} from './list-filter-store.ts';
import { sortExpression } from './list-store.ts';

/**
 * What each sort needs, from the index of the user's orders alone: by creation its own order, of which only the page is
 * read; else a sort of index entries, of which a user has thousands at most. The step is the second part of the facet.
 */
const SORTED_BY: Readonly<Record<OrderListQuery['sort'], (work: Work) => SqlFragment>> = {
  created_at: () => sql`o.id, o.created_at from lab_order o`,
  last_status: () => sql`o.id, o.created_at, split_part(o.facet, '.', 2) as step from lab_order o`,
  patient_name: (work) => sql`o.id, n.rank from lab_order o
    left join order_name n on ${ofTenant(work, 'n')} and n.id = o.patient_name_id`,
};

const conditionsOf = (work: Work, wanted: OrderListQuery): SqlFragment =>
  joinConditions([ofTenant(work, 'o'), ...orderConditions(work, wanted)]);

/** The ids of a page of the user's orders that pass the filters. */
export async function scanUserForPage(work: Work, wanted: OrderListQuery): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select s.id from (select ${SORTED_BY[wanted.sort](work)} where ${conditionsOf(work, wanted)}) as s
    order by ${sortExpression(wanted, 's')} limit ${wanted.size} offset ${wanted.offset}`.execute(work.tx);
  return rows.map(({ id }) => id);
}

/** How many of the user's orders pass the filters; null above COUNT_LIMIT. */
export async function countOrdersOfUser(work: Work, wanted: OrderListQuery): Promise<number | null> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from lab_order o where ${conditionsOf(work, wanted)} limit ${COUNT_LIMIT + 1}) as counted`.execute(
    work.tx,
  );
  const count = rows[0]?.count ?? 0;
  return count > COUNT_LIMIT ? null : count;
}
