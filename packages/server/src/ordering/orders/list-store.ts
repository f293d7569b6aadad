import { sql } from 'kysely';
import { errorCode } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import {
  joinConditions,
  boundsConditions,
  splitByActivation,
  orderConditions,
  COUNT_LIMIT,
  matchesActivation,
  hasNamePrefix,
  hasOnlyFacetAndDateFilters,
  ofTenant,
  candidateSets,
  type SqlFragment,
  type OrderIdSet,
  type OrderListQuery,
} from './list-filter-store.ts';
import type { Order } from './order.ts';
import { openOrders, selectOrders, selectFullOrder } from './read-store.ts';

/**
 * The distinct facets of the team's orders. A loose index scan skips from each facet to the next, so the cost grows
 * with the number of facets, not of orders.
 */
export async function listFacets(work: Work): Promise<string[]> {
  const next = (after: SqlFragment) => sql`
    select o.facet from lab_order o where ${ofTenant(work, 'o')} and o.listed ${after} order by o.facet limit 1`;
  const { rows } = await sql<{ facet: string }>`
    with recursive facets as (
      (${next(sql``)})
      union all
      select (${next(sql`and o.facet > facets.facet`)}) from facets where facets.facet is not null)
    select facet from facets where facet is not null`.execute(work.tx);
  return rows.map(({ facet }) => facet);
}

/** The smallest candidate set, if it has at most COUNTED_MAX ids. */
export async function findSmallestSet(work: Work, wanted: OrderListQuery): Promise<OrderIdSet | undefined> {
  const sets = candidateSets(work, wanted);
  if (sets.length === 0 || wanted.ids) return sets[0];
  const counts = sets.map((set) => sql`(select count(*)::int from (${set} limit ${COUNT_LIMIT + 1}) as few)`);
  const { rows } = await sql<{ counts: number[] }>`select array[${sql.join(counts)}] as counts`.execute(
    work.tx,
  );
  const sizes = rows[0]?.counts ?? [];
  const least = Math.min(...sizes);
  return least > COUNT_LIMIT ? undefined : sets[sizes.indexOf(least)];
}

/** Orders without a patient come last in both directions. The index scan reads them as a stream of their own. */
export function sortExpression(
  { sort, direction }: OrderListQuery,
  s: string,
  where?: 'in the index',
): SqlFragment {
  const to = direction === 'asc' ? sql`asc` : sql`desc`;
  const column = (name: string) => sql`${sql.ref(`${s}.${name}`)} ${to}`;
  if (sort === 'created_at') return sql`${column('created_at')}, ${column('id')}`;
  if (sort === 'last_status') return sql`${column('step')}, ${column('created_at')}, ${column('id')}`;
  if (where) return sql`${column('patient_name_id')}, ${column('id')}`;
  return sql`${sql.ref(`${s}.rank`)} is null, ${column('rank')}, ${column('id')}`;
}

export interface PickedOrderIds {
  readonly ids: readonly string[];
  readonly total: number | null;
}

/** Only columns of the sort index, so that skipped orders are read from the index alone. */
const SORT_COLUMNS: Readonly<Record<OrderListQuery['sort'], (work: Work) => SqlFragment>> = {
  created_at: () => sql`o.id, o.created_at`,
  patient_name: (work) => sql`o.id, (
    select n.rank from order_name n where ${ofTenant(work, 'n')} and n.id = o.patient_name_id) as rank`,
  last_status: () => sql`o.id, o.created_at, o.step`,
};

/** Takes the page from a small candidate set. Every order in the set is read. */
export async function pickPageFromSet(
  work: Work,
  wanted: OrderListQuery,
  set: OrderIdSet,
): Promise<PickedOrderIds> {
  const { rows } = await sql<{ ids: string[]; total: number }>`
    with few as materialized (select distinct id from (${set} limit ${COUNT_LIMIT}) as found),
    matching as materialized (
      select o.* from few cross join lateral (
        select ${SORT_COLUMNS[wanted.sort](work)} from lab_order o
        where ${joinConditions([ofTenant(work, 'o'), sql`o.id = few.id`, ...orderConditions(work, wanted)])} limit 1) as o)
    select (select count(*)::int from matching) as total, array(
      select s.id from matching s order by ${sortExpression(wanted, 's')}
      limit ${wanted.size} offset ${wanted.offset}) as ids`.execute(work.tx);
  return { ids: rows[0]?.ids ?? [], total: rows[0]?.total ?? 0 };
}

/**
 * Small sets are handled before this point, but the planner cannot know that: it underestimates how many orders match a
 * name and prefers to sort. These settings force an index scan that stops when the page is full.
 */
const INDEX_SCAN_SETTINGS =
  "set local enable_sort = off; set local enable_bitmapscan = off; set local statement_timeout = '3s'";

/**
 * Takes the page from a scan along the sort index, and skips orders that do not match the other filters. 400 on
 * timeout: then every filter alone matches many orders, but hardly any order matches all of them.
 */
export async function scanIndexForPage(work: Work, wanted: OrderListQuery): Promise<string[]> {
  const walk = sql<{ id: string }>`
    select s.id from (${indexStreams(work, wanted)}) as s
    order by ${sortExpression(wanted, 's')} limit ${wanted.size} offset ${wanted.offset}`;
  try {
    const [, { rows }] = await Promise.all([
      sql.raw(INDEX_SCAN_SETTINGS).execute(work.tx),
      walk.execute(work.tx),
    ]);
    return rows.map(({ id }) => id);
  } catch (error) {
    if (errorCode(error) !== QUERY_CANCELED) throw error;
    throw new DomainError(
      'bad_request',
      'These filters take too long: each matches many orders, but few orders match all of them. ' +
        'Add a narrower filter, such as a date range',
    );
  }
}

const QUERY_CANCELED = '57014';

/** The index scans that the page is merged from. Each reads at most `offset + size` orders. */
function indexStreams(work: Work, wanted: OrderListQuery): SqlFragment {
  const { facets, size, offset, sort } = wanted;
  const stream = (given: OrderListQuery, more: readonly SqlFragment[] = []): SqlFragment => sql`(
    select ${SORT_COLUMNS[wanted.sort](work)} from lab_order o
    where ${joinConditions([ofTenant(work, 'o'), ...orderConditions(work, given), ...more])}
    order by ${sortExpression(given, 'o', 'in the index')} limit ${size + offset})`;
  if (sort === 'patient_name') {
    const unnamed = wanted.patient === undefined ? [stream(wanted, [sql`o.patient_name_id is null`])] : [];
    return sql.join([nameOrderedStream(work, wanted), ...unnamed], sql` union all `);
  }
  const isExact = hasOnlyFacetAndDateFilters(wanted);
  if (!facets || (sort === 'created_at' && !isExact)) return stream(wanted);
  const ofEach = (names: readonly string[], ofPart: SqlFragment): SqlFragment =>
    sql`select o.* from unnest(${names}::text[]) as part (name) cross join lateral ${ofPart} as o`;
  // One stream per facet. With further filters, one per step, since more orders are skipped.
  if (!isExact) {
    const steps = [...new Set(facets.map(stepOfFacet))];
    return ofEach(steps, stream({ ...wanted, sort: 'created_at' }, [sql`o.step = part.name`]));
  }
  const { facets: _each, activation: _day, ...rest } = wanted;
  const parts = splitByActivation(wanted).map(({ facets: names = [], ...day }) =>
    ofEach(names, stream({ ...rest, ...day, sort: 'created_at' }, [sql`o.facet = part.name`])),
  );
  return sql.join(parts, sql` union all `);
}

/** Orders sorted by patient name: name by name, in rank order. */
function nameOrderedStream(work: Work, { patient, ...wanted }: OrderListQuery): SqlFragment {
  const { size, offset, direction } = wanted;
  const to = direction === 'asc' ? sql`asc` : sql`desc`;
  const names = [
    sql`n.rank is not null`,
    ...(patient === undefined ? [] : [hasNamePrefix(work, 'n.id', patient)]),
  ];
  return sql`(
    select o.id, n.rank from order_name n cross join lateral (
      select o.id from lab_order o
      where ${joinConditions([ofTenant(work, 'o'), sql`o.patient_name_id = n.id`, ...orderConditions(work, wanted)])}
      order by o.id ${to} limit ${size + offset}) as o
    where ${joinConditions([ofTenant(work, 'n'), ...names])}
    order by n.rank ${to}, o.id ${to} limit ${size + offset})`;
}

const stepOfFacet = (facet: string): string => facet.split('.')[1] ?? '';

/** Counts the orders that match the facets and the creation date; null above COUNTED_MAX. */
export async function countUpToLimit(work: Work, wanted: OrderListQuery): Promise<number | null> {
  const enough = COUNT_LIMIT + 1;
  const filters = joinConditions([
    ofTenant(work, 'o'),
    sql`o.listed`,
    ...boundsConditions(sql`o.created_at`, wanted.created),
  ]);
  const parts = splitByActivation(wanted).map(({ facets, activation }) => {
    const day = activation ? sql` and ${matchesActivation(activation)}` : sql``;
    return sql`(
      select from unnest(${facets}::text[]) as f (facet) cross join lateral (
        select from lab_order o where ${filters} and o.facet = f.facet${day} limit ${enough}) as s)`;
  });
  const { rows } = await (
    wanted.facets
      ? sql<{ count: number }>`
          select count(*)::int as count from (
            ${sql.join(parts, sql` union all `)} limit ${enough}) as counted`
      : sql<{ count: number }>`
          select count(*)::int as count from (
            select from lab_order o where ${filters} order by o.created_at limit ${enough}) as counted`
  ).execute(work.tx);
  const count = rows[0]?.count ?? 0;
  return count > COUNT_LIMIT ? null : count;
}

/** The full orders with these ids, in the order of the ids. */
export async function listFullOrders(work: Work, ids: readonly string[]): Promise<Order[]> {
  if (ids.length === 0) return [];
  const rows = await selectFullOrder(selectOrders(work))
    .where('o.id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  const inOrder = ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
  return openOrders(work, inOrder);
}

/** The orders of a transaction, oldest first. */
export async function listTransactionOrders(work: Work, transactionId: string): Promise<Order[]> {
  const rows = await selectFullOrder(selectOrders(work))
    .where('o.transaction_id', '=', transactionId)
    .orderBy('o.created_at')
    .orderBy('o.id')
    .execute();
  return openOrders(work, rows);
}
