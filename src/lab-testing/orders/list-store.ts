import { sql, type RawBuilder } from 'kysely';
import { errorCode } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import type { Order } from './order.ts';
import { openOrder, readOrders, wholeOrder } from './store.ts';

/** So many are counted, and a set of at most so many is sorted as a whole; nothing here reads more for a page. */
export const COUNTED_MAX = 5000;

export interface Wanted {
  readonly sort: 'created_at' | 'patient_name' | 'last_status';
  readonly direction: 'asc' | 'desc';
  readonly offset: number;
  readonly size: number;
  /** Only orders of these facets; of all when undefined. */
  readonly facets?: readonly string[];
  readonly created: Between;
  readonly updated: Between;
  readonly userId?: string;
  readonly transactionId?: string;
  readonly ids?: readonly string[];
  /** Names as `nameKey` writes them. */
  readonly patient?: string;
  readonly recipient?: string;
  readonly search?: { readonly text: string; readonly name: string | null; readonly id: string | null };
}

export interface Between {
  readonly from?: Date;
  readonly to?: Date;
}

type Bit = RawBuilder<unknown>;
const all = (bits: readonly Bit[]): Bit => sql.join(bits, sql` and `);
const NONE: Bit = sql``;

/** Every table here is asked for the rows of the tenant, as the indexes begin. */
const mine = ({ tenant }: Work, alias: string): Bit =>
  sql`${sql.ref(`${alias}.team_id`)} = ${tenant.teamId} and ${sql.ref(`${alias}.environment`)} = ${tenant.environment}`;

const between = (column: Bit, { from, to }: Between): Bit[] => [
  ...(from ? [sql`${column} >= ${from}`] : []),
  ...(to ? [sql`${column} <= ${to}`] : []),
];

/**
 * The facets that the team's orders have: from each to the next by the index, so that it costs as many steps as there
 * are facets and not as there are orders.
 */
export async function listFacets(work: Work): Promise<string[]> {
  const next = (after: Bit) => sql`
    select o.facet from lab_order o where ${mine(work, 'o')} and o.listed ${after} order by o.facet limit 1`;
  const { rows } = await sql<{ facet: string }>`
    with recursive facets as (
      (${next(NONE)})
      union all
      select (${next(sql`and o.facet > facets.facet`)}) from facets where facets.facet is not null)
    select facet from facets where facet is not null`.execute(work.tx);
  return rows.map(({ facet }) => facet);
}

/** The ids of a few orders, by an index of their own: what a narrow filter leaves. */
type Set = Bit;

const LAST_CHARACTER = '\u{10ffff}';
const namedSo = (work: Work, kinds: readonly string[], name: string): Set => sql`
  select n.order_id as id from lab_order_name n
  where ${mine(work, 'n')} and n.kind = any(${kinds}::text[])
    and n.term >= ${name} and n.term < ${name + LAST_CHARACTER}`;

const ordersWhere = (work: Work, conditions: readonly Bit[]): Set =>
  sql`select o.id from lab_order o where ${all([mine(work, 'o'), sql`o.listed`, ...conditions])}`;

const KINDS = ['patient', 'recipient'];

const userKnownAs = (work: Work, clientUserId: string): Bit => sql`(
  select u.id from app_user u
  where ${mine(work, 'u')} and u.client_user_id = ${clientUserId} and u.deleted_at is null)`;

function searched(work: Work, { text, name, id }: NonNullable<Wanted['search']>): Set {
  return sql.join(
    [
      ...(name === null ? [] : [namedSo(work, KINDS, name)]),
      ordersWhere(work, [sql`o.sample_id = ${text}`]),
      ordersWhere(work, [sql`o.user_id = ${userKnownAs(work, text)}`]),
      ...(id === null ? [] : [ordersWhere(work, [sql`o.id = ${id}`])]),
    ],
    sql` union all `,
  );
}

/** The sets of the filters that an index answers by itself. */
function setsOf(work: Work, wanted: Wanted): Set[] {
  const { ids, transactionId, userId, patient, recipient, search, updated, created, facets } = wanted;
  if (ids) return [sql`select unnest(${ids}::uuid[]) as id`];
  const sets: Set[] = [];
  if (transactionId !== undefined) sets.push(ordersWhere(work, [sql`o.transaction_id = ${transactionId}`]));
  if (userId !== undefined) sets.push(ordersWhere(work, [sql`o.user_id = ${userId}`]));
  if (patient !== undefined) sets.push(namedSo(work, ['patient'], patient));
  if (recipient !== undefined) sets.push(namedSo(work, ['recipient'], recipient));
  if (search) sets.push(searched(work, search));
  const since = between(sql`o.updated_at`, updated);
  if (since.length > 0) sets.push(ordersWhere(work, since));
  if (isSortedByThem(wanted)) return sets;
  const placed = between(sql`o.created_at`, created);
  if (placed.length > 0) sets.push(ordersWhere(work, placed));
  if (facets) sets.push(ordersWhere(work, [among(facets)]));
  return sets;
}

const among = (facets: readonly string[]): Bit => sql`o.facet = any(${facets}::text[])`;

/** Whether an index holds the orders that the filters leave in the order that is asked for. */
const isSortedByThem = (wanted: Wanted): boolean =>
  wanted.sort !== 'patient_name' && isOfFacetsAndDays(wanted);

/** Whether no other filter is given than for properties of few values and for the day of the order. */
export const isOfFacetsAndDays = ({
  ids,
  transactionId,
  userId,
  patient,
  recipient,
  search,
  updated,
}: Wanted) =>
  [ids, transactionId, userId, patient, recipient, search, updated.from, updated.to].every(
    (filter) => filter === undefined,
  );

/** The smallest set of the filters, when it has no more than COUNTED_MAX ids. */
export async function smallestSet(work: Work, wanted: Wanted): Promise<Set | undefined> {
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

/** As the words of a name are kept: in lower case, between single spaces. */
export const nameKey = (name: string): string =>
  name.toLowerCase().replaceAll('-', ' ').replaceAll(/\s+/g, ' ').trim();

/** `key` is a name in lower case. */
const likeName = (key: Bit, name: string): Bit =>
  sql`' ' || translate(${key}, '-', ' ') like ${`% ${name.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`}`;
const RECIPIENT_KEY = sql`lower(o.recipient_name)`;

/** What every order of the answer fulfils, asked of one order. */
function conditions(work: Work, wanted: Wanted): Bit[] {
  const { ids, transactionId, userId, patient, recipient, search, updated, created, facets } = wanted;
  return [
    sql`o.listed`,
    ...(facets ? [among(facets)] : []),
    ...between(sql`o.created_at`, created),
    ...between(sql`o.updated_at`, updated),
    ...(ids ? [sql`o.id = any(${ids}::uuid[])`] : []),
    ...(transactionId === undefined ? [] : [sql`o.transaction_id = ${transactionId}`]),
    ...(userId === undefined ? [] : [sql`o.user_id = ${userId}`]),
    ...(patient === undefined ? [] : [likeName(sql`o.patient_key`, patient)]),
    ...(recipient === undefined ? [] : [likeName(RECIPIENT_KEY, recipient)]),
    ...(search ? [isSearched(work, search)] : []),
  ];
}

function isSearched(work: Work, { text, name, id }: NonNullable<Wanted['search']>): Bit {
  const hits = [
    ...(name === null ? [] : [likeName(sql`o.patient_key`, name), likeName(RECIPIENT_KEY, name)]),
    ...(id === null ? [] : [sql`o.id = ${id}`]),
    sql`o.sample_id = ${text}`,
    sql`o.user_id = ${userKnownAs(work, text)}`,
  ];
  return sql`(${sql.join(hits, sql` or `)})`;
}

/** Who has no patient yet stands last in either direction; in the index, where they stand apart, that goes unsaid. */
function sorted({ sort, direction }: Wanted, s: string, where?: 'in the index'): Bit {
  const to = direction === 'asc' ? sql`asc` : sql`desc`;
  const column = (name: string) => sql`${sql.ref(`${s}.${name}`)} ${to}`;
  if (sort === 'created_at') return sql`${column('created_at')}, ${column('id')}`;
  if (sort === 'last_status') return sql`${column('step')}, ${column('created_at')}, ${column('id')}`;
  const named = sql`${column('patient_key')}, ${column('id')}`;
  return where ? named : sql`${sql.ref(`${s}.patient_key`)} is null, ${named}`;
}

export interface Picked {
  readonly ids: readonly string[];
  readonly total: number | null;
}

/** No more than the index of the sorting holds, so that orders which are skipped are not looked at themselves. */
const SORT_COLUMNS: Readonly<Record<Wanted['sort'], Bit>> = {
  created_at: sql`o.id, o.created_at`,
  patient_name: sql`o.id, o.patient_key`,
  last_status: sql`o.id, o.created_at, o.step`,
};

/** The page out of a small set: each of its orders is looked at. */
export async function pickFromSet(work: Work, wanted: Wanted, set: Set): Promise<Picked> {
  const { rows } = await sql<{ ids: string[]; total: number }>`
    with few as materialized (select distinct id from (${set} limit ${COUNTED_MAX}) as found),
    matching as materialized (
      select o.* from few cross join lateral (
        select ${SORT_COLUMNS[wanted.sort]} from lab_order o
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
    select ${SORT_COLUMNS[wanted.sort]} from lab_order o
    where ${all([mine(work, 'o'), ...conditions(work, given), ...more])}
    order by ${sorted(given, 'o', 'in the index')} limit ${size + offset})`;
  if (sort === 'patient_name') {
    const unnamed = wanted.patient === undefined ? [stream(wanted, [sql`o.patient_key is null`])] : [];
    return sql.join([stream(wanted, [sql`o.patient_key is not null`]), ...unnamed], sql` union all `);
  }
  const isExact = isOfFacetsAndDays(wanted);
  if (!facets || (sort === 'created_at' && !isExact)) return stream(wanted);
  // One stream for each facet; where more is to be skipped, for each step.
  const parts = isExact ? facets : [...new Set(facets.map(stepOfFacet))];
  const { facets: _each, ...rest } = wanted;
  const ofPart = isExact
    ? stream({ ...rest, sort: 'created_at' }, [sql`o.facet = part.name`])
    : stream({ ...wanted, sort: 'created_at' }, [sql`o.step = part.name`]);
  return sql`select o.* from unnest(${parts}::text[]) as part (name) cross join lateral ${ofPart} as o`;
}

const stepOfFacet = (facet: string): string => facet.split('.')[1] ?? '';

/** How many orders of these facets were placed then; null when there are more than COUNTED_MAX. */
export async function countUpTo(work: Work, { created, facets }: Wanted): Promise<number | null> {
  const enough = COUNTED_MAX + 1;
  const filters = all([mine(work, 'o'), sql`o.listed`, ...between(sql`o.created_at`, created)]);
  const { rows } = await (
    facets
      ? sql<{ count: number }>`
          select count(*)::int as count from (
            select from unnest(${facets}::text[]) as f (facet) cross join lateral (
              select from lab_order o where ${filters} and o.facet = f.facet limit ${enough}) as s
            limit ${enough}) as counted`
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
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row ? [openOrder(work, row)] : [];
  });
}

/** The orders of a transaction, oldest first. */
export async function listTransactionOrders(work: Work, transactionId: string): Promise<Order[]> {
  const rows = await wholeOrder(readOrders(work))
    .where('o.transaction_id', '=', transactionId)
    .orderBy('o.created_at')
    .orderBy('o.id')
    .execute();
  return rows.map((row) => openOrder(work, row));
}
