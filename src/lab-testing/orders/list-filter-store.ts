import { sql, type RawBuilder } from 'kysely';
import type { Work } from '../../platform/work.ts';

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

export type Bit = RawBuilder<unknown>;
export const all = (bits: readonly Bit[]): Bit => sql.join(bits, sql` and `);

/** Every table here is asked for the rows of the tenant, as the indexes begin. */
export const mine = ({ tenant }: Work, alias: string): Bit =>
  sql`${sql.ref(`${alias}.team_id`)} = ${tenant.teamId} and ${sql.ref(`${alias}.environment`)} = ${tenant.environment}`;

export const between = (column: Bit, { from, to }: Between): Bit[] => [
  ...(from ? [sql`${column} >= ${from}`] : []),
  ...(to ? [sql`${column} <= ${to}`] : []),
];

/** The ids of a few orders, by an index of their own: what a narrow filter leaves. */
export type IdSet = Bit;

const LAST_CHARACTER = '\u{10ffff}';
const namedSo = (work: Work, kinds: readonly string[], name: string): IdSet => sql`
  select n.order_id as id from lab_order_name n
  where ${mine(work, 'n')} and n.kind = any(${kinds}::text[])
    and n.term >= ${name} and n.term < ${name + LAST_CHARACTER}`;

const ordersWhere = (work: Work, conditions: readonly Bit[]): IdSet =>
  sql`select o.id from lab_order o where ${all([mine(work, 'o'), sql`o.listed`, ...conditions])}`;

const KINDS = ['patient', 'recipient'];

const userKnownAs = (work: Work, clientUserId: string): Bit => sql`(
  select u.id from app_user u
  where ${mine(work, 'u')} and u.client_user_id = ${clientUserId} and u.deleted_at is null)`;

function searched(work: Work, { text, name, id }: NonNullable<Wanted['search']>): IdSet {
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
export function setsOf(work: Work, wanted: Wanted): IdSet[] {
  const { ids, transactionId, userId, patient, recipient, search, updated, created, facets } = wanted;
  if (ids) return [sql`select unnest(${ids}::uuid[]) as id`];
  const sets: IdSet[] = [];
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

/** As the words of a name are kept: in lower case, between single spaces. */
export const nameKey = (name: string): string =>
  name.toLowerCase().replaceAll('-', ' ').replaceAll(/\s+/g, ' ').trim();

/** `key` is a name in lower case. */
const likeName = (key: Bit, name: string): Bit =>
  sql`' ' || translate(${key}, '-', ' ') like ${`% ${name.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`}`;
const RECIPIENT_KEY = sql`lower(o.recipient_name)`;

/** What every order of the answer fulfils, asked of one order. */
export function conditions(work: Work, wanted: Wanted): Bit[] {
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
