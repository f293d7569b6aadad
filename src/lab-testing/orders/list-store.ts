import { sql } from 'kysely';
import { errorCode } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import {
  all,
  between,
  byActivation,
  conditions,
  COUNTED_MAX,
  isActivated,
  isNamedSo,
  isOfFacetsAndDays,
  mine,
  setsOf,
  type Bit,
  type IdSet,
  type Wanted,
} from './list-filter-store.ts';
import type { Order } from './order.ts';
import { openOrders, readOrders, wholeOrder } from './read-store.ts';

/**
 * The facets that the team's orders have: from each to the next by the index, so that it costs as many steps as there
 * are facets and not as there are orders.
 */
export async function listFacets(work: Work): Promise<string[]> {
  const next = (after: Bit) => sql`
    select o.facet from lab_order o where ${mine(work, 'o')} and o.listed ${after} order by o.facet limit 1`;
  const { rows } = await sql<{ facet: string }>`
    with recursive facets as (
      (${next(sql``)})
      union all
      select (${next(sql`and o.facet > facets.facet`)}) from facets where facets.facet is not null)
    select facet from facets where facet is not null`.execute(work.tx);
  return rows.map(({ facet }) => facet);
}

/** The smallest set of the filters, when it has no more than COUNTED_MAX ids. */
export async function smallestSet(work: Work, wanted: Wanted): Promise<IdSet | undefined> {
  const sets = setsOf(work, wanted);
  if (sets.length === 0 || wanted.ids) return sets[0];
  const counts = sets.map((set) => sql`(select count(*)::int from (${set} limit ${COUNTED_MAX + 1}) as few)`);
  const { rows } = await sql<{ counts: number[] }>`select array[${sql.join(counts)}] as counts`.execute(
    work.tx,
  );
  const sizes = rows[0]?.counts ?? [];
  const least = Math.min(...sizes);
  return least > COUNTED_MAX ? undefined : sets[sizes.indexOf(least)];
}

/** Who has no patient yet stands last in either direction; in the index, where they stand apart, that goes unsaid. */
function sorted({ sort, direction }: Wanted, s: string, where?: 'in the index'): Bit {
  const to = direction === 'asc' ? sql`asc` : sql`desc`;
  const column = (name: string) => sql`${sql.ref(`${s}.${name}`)} ${to}`;
  if (sort === 'created_at') return sql`${column('created_at')}, ${column('id')}`;
  if (sort === 'last_status') return sql`${column('step')}, ${column('created_at')}, ${column('id')}`;
  if (where) return sql`${column('patient_name_id')}, ${column('id')}`;
  return sql`${sql.ref(`${s}.rank`)} is null, ${column('rank')}, ${column('id')}`;
}

export interface Picked {
  readonly ids: readonly string[];
  readonly total: number | null;
}

/** No more than the index of the sorting holds, so that orders which are skipped are not looked at themselves. */
const SORT_COLUMNS: Readonly<Record<Wanted['sort'], (work: Work) => Bit>> = {
  created_at: () => sql`o.id, o.created_at`,
  patient_name: (work) => sql`o.id, (
    select n.rank from order_name n where ${mine(work, 'n')} and n.id = o.patient_name_id) as rank`,
  last_status: () => sql`o.id, o.created_at, o.step`,
};

/** The page out of a small set: each of its orders is looked at. */
export async function pickFromSet(work: Work, wanted: Wanted, set: IdSet): Promise<Picked> {
  const { rows } = await sql<{ ids: string[]; total: number }>`
    with few as materialized (select distinct id from (${set} limit ${COUNTED_MAX}) as found),
    matching as materialized (
      select o.* from few cross join lateral (
        select ${SORT_COLUMNS[wanted.sort](work)} from lab_order o
        where ${all([mine(work, 'o'), sql`o.id = few.id`, ...conditions(work, wanted)])} limit 1) as o)
    select (select count(*)::int from matching) as total, array(
      select s.id from matching s order by ${sorted(wanted, 's')}
      limit ${wanted.size} offset ${wanted.offset}) as ids`.execute(work.tx);
  return { ids: rows[0]?.ids ?? [], total: rows[0]?.total ?? 0 };
}

/**
 * The planner would rather sort a set that it takes for small, and it cannot know how many orders a name leaves. What
 * is small has been found before; here it is to go along the index and stop when the page is full.
 */
const WALKING =
  "set local enable_sort = off; set local enable_bitmapscan = off; set local statement_timeout = '3s'";

/**
 * The page along the order that it is sorted in, past what the other filters leave out. That is given up when it takes
 * too long: the filters are wide one by one, and hardly an order fulfils them all.
 */
export async function walkTo(work: Work, wanted: Wanted): Promise<string[]> {
  const walk = sql<{ id: string }>`
    select s.id from (${streams(work, wanted)}) as s
    order by ${sorted(wanted, 's')} limit ${wanted.size} offset ${wanted.offset}`;
  try {
    const [, { rows }] = await Promise.all([sql.raw(WALKING).execute(work.tx), walk.execute(work.tx)]);
    return rows.map(({ id }) => id);
  } catch (error) {
    if (errorCode(error) !== TIMED_OUT) throw error;
    throw new DomainError(
      'bad_request',
      'Hardly any of very many orders fulfils these filters together; add a narrower one, as a date range',
    );
  }
}

const TIMED_OUT = '57014';

/** What the page is taken from: indexes read in their order, each no further than it could be needed. */
function streams(work: Work, wanted: Wanted): Bit {
  const { facets, size, offset, sort } = wanted;
  const stream = (given: Wanted, more: readonly Bit[] = []): Bit => sql`(
    select ${SORT_COLUMNS[wanted.sort](work)} from lab_order o
    where ${all([mine(work, 'o'), ...conditions(work, given), ...more])}
    order by ${sorted(given, 'o', 'in the index')} limit ${size + offset})`;
  if (sort === 'patient_name') {
    const unnamed = wanted.patient === undefined ? [stream(wanted, [sql`o.patient_name_id is null`])] : [];
    return sql.join([namedStream(work, wanted), ...unnamed], sql` union all `);
  }
  const isExact = isOfFacetsAndDays(wanted);
  if (!facets || (sort === 'created_at' && !isExact)) return stream(wanted);
  const ofEach = (names: readonly string[], ofPart: Bit): Bit =>
    sql`select o.* from unnest(${names}::text[]) as part (name) cross join lateral ${ofPart} as o`;
  // One stream for each facet; where more is to be skipped, for each step.
  if (!isExact) {
    const steps = [...new Set(facets.map(stepOfFacet))];
    return ofEach(steps, stream({ ...wanted, sort: 'created_at' }, [sql`o.step = part.name`]));
  }
  const { facets: _each, activation: _day, ...rest } = wanted;
  const parts = byActivation(wanted).map(({ facets: names = [], ...day }) =>
    ofEach(names, stream({ ...rest, ...day, sort: 'created_at' }, [sql`o.facet = part.name`])),
  );
  return sql.join(parts, sql` union all `);
}

/** The orders of one name after the other, in the order of the names. */
function namedStream(work: Work, { patient, ...wanted }: Wanted): Bit {
  const { size, offset, direction } = wanted;
  const to = direction === 'asc' ? sql`asc` : sql`desc`;
  const names = [
    sql`n.rank is not null`,
    ...(patient === undefined ? [] : [isNamedSo(work, 'n.id', patient)]),
  ];
  return sql`(
    select o.id, n.rank from order_name n cross join lateral (
      select o.id from lab_order o
      where ${all([mine(work, 'o'), sql`o.patient_name_id = n.id`, ...conditions(work, wanted)])}
      order by o.id ${to} limit ${size + offset}) as o
    where ${all([mine(work, 'n'), ...names])}
    order by n.rank ${to}, o.id ${to} limit ${size + offset})`;
}

const stepOfFacet = (facet: string): string => facet.split('.')[1] ?? '';

/** How many orders of these facets were placed then; null when there are more than COUNTED_MAX. */
export async function countUpTo(work: Work, wanted: Wanted): Promise<number | null> {
  const enough = COUNTED_MAX + 1;
  const filters = all([mine(work, 'o'), sql`o.listed`, ...between(sql`o.created_at`, wanted.created)]);
  const parts = byActivation(wanted).map(({ facets, activation }) => {
    const day = activation ? sql` and ${isActivated(activation)}` : sql``;
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
  return count > COUNTED_MAX ? null : count;
}

/** The orders of these ids in their order, with all that a view needs. */
export async function listWholeOrders(work: Work, ids: readonly string[]): Promise<Order[]> {
  if (ids.length === 0) return [];
  const rows = await wholeOrder(readOrders(work))
    .where('o.id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  const inOrder = ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
  return openOrders(work, inOrder);
}

/** The orders of a transaction, oldest first. */
export async function listTransactionOrders(work: Work, transactionId: string): Promise<Order[]> {
  const rows = await wholeOrder(readOrders(work))
    .where('o.transaction_id', '=', transactionId)
    .orderBy('o.created_at')
    .orderBy('o.id')
    .execute();
  return openOrders(work, rows);
}
