import { sql, type RawBuilder } from 'kysely';
import type { Work } from '../../platform/work.ts';
import { beginsToken } from './names.ts';

/** So many are counted, and a set of at most so many is sorted as a whole; nothing here reads more for a page. */
export const COUNTED_MAX = 5000;

export interface Wanted {
  readonly sort: 'created_at' | 'patient_name' | 'last_status';
  readonly direction: 'asc' | 'desc';
  readonly offset: number;
  readonly size: number;
  /** Only orders of these facets; of all when undefined. */
  readonly facets?: readonly string[];
  /** Only those whose day is still to come, or no such orders. */
  readonly activation?: Activation;
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

/** A facet knows that an order has a day, and cannot know whether it has come. */
export interface Activation {
  readonly isToCome: boolean;
  readonly today: string;
  /** The facets of orders that wait for a day, or waited for it. */
  readonly ofDays: readonly string[];
}

export interface Between {
  readonly from?: Date;
  readonly to?: Date;
}

export type Bit = RawBuilder<unknown>;
export const all = (bits: readonly Bit[]): Bit => sql.join(bits, sql` and `);

/** Whether the day of an order is to come, or is not. */
export const isActivated = ({ isToCome, today, ofDays }: Activation): Bit =>
  isToCome
    ? sql`o.activate_by > ${today}::date`
    : sql`(o.facet <> all(${ofDays}::text[]) or o.activate_by <= ${today}::date)`;

/**
 * The same facets in two parts where a day is asked for: an order that has none is current without being looked at
 * itself, because the index of facets does not know the day.
 */
export function byActivation({ facets = [], activation }: Wanted): Pick<Wanted, 'facets' | 'activation'>[] {
  if (!activation) return [{ facets }];
  const hasDay = (facet: string) => activation.ofDays.includes(facet);
  const parts = [
    { facets: facets.filter((facet) => !hasDay(facet)) },
    { facets: facets.filter(hasDay), activation },
  ];
  return parts.filter((part) => part.facets.length > 0);
}

/** Every table here is asked for the rows of the tenant, as the indexes begin. */
export const mine = ({ tenant }: Work, alias: string): Bit =>
  sql`${sql.ref(`${alias}.team_id`)} = ${tenant.teamId} and ${sql.ref(`${alias}.environment`)} = ${tenant.environment}`;

export const between = (column: Bit, { from, to }: Between): Bit[] => [
  ...(from ? [sql`${column} >= ${from}`] : []),
  ...(to ? [sql`${column} <= ${to}`] : []),
];

/** The ids of a few orders, by an index of their own: what a narrow filter leaves. */
export type IdSet = Bit;

/** Whose name is asked for. */
type Whose = 'patient_name_id' | 'recipient_name_id';

/** The orders of each name that has a word which begins so; the inner limit keeps the planner to the index of names. */
const namedSo = (work: Work, whose: Whose, name: string): IdSet => sql`
  select named.id from order_name_token t cross join lateral (
    select o.id from lab_order o
    where ${mine(work, 'o')} and ${sql.ref(`o.${whose}`)} = t.name_id and o.listed limit ${COUNTED_MAX + 1}) as named
  where ${mine(work, 't')} and t.token = ${beginsToken(work.cipher, name)}`;

const ordersWhere = (work: Work, conditions: readonly Bit[]): IdSet =>
  sql`select o.id from lab_order o where ${all([mine(work, 'o'), sql`o.listed`, ...conditions])}`;

const userKnownAs = (work: Work, clientUserId: string): Bit => sql`(
  select u.id from app_user u
  where ${mine(work, 'u')} and u.client_user_id = ${clientUserId} and u.deleted_at is null)`;

function searched(work: Work, { text, name, id }: NonNullable<Wanted['search']>): IdSet {
  return sql.join(
    [
      ...(name === null
        ? []
        : [namedSo(work, 'patient_name_id', name), namedSo(work, 'recipient_name_id', name)]),
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
  if (patient !== undefined) sets.push(namedSo(work, 'patient_name_id', patient));
  if (recipient !== undefined) sets.push(namedSo(work, 'recipient_name_id', recipient));
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

/**
 * Whether a word of this name begins so, asked of one name; null is no. As a value and not as `exists`, which the planner
 * would rather answer by reading all names that begin so.
 */
export const isNamedSo = (work: Work, nameId: string, name: string): Bit => sql`(
  select true from order_name_token t
  where ${mine(work, 't')} and t.token = ${beginsToken(work.cipher, name)} and t.name_id = ${sql.ref(nameId)} limit 1)`;
const PATIENT = 'o.patient_name_id';
const RECIPIENT = 'o.recipient_name_id';

/** What every order of the answer fulfils, asked of one order. */
export function conditions(work: Work, wanted: Wanted): Bit[] {
  const { ids, transactionId, userId, patient, recipient, search, updated, created } = wanted;
  const { facets, activation } = wanted;
  return [
    sql`o.listed`,
    ...(facets ? [among(facets)] : []),
    ...(activation ? [isActivated(activation)] : []),
    ...between(sql`o.created_at`, created),
    ...between(sql`o.updated_at`, updated),
    ...(ids ? [sql`o.id = any(${ids}::uuid[])`] : []),
    ...(transactionId === undefined ? [] : [sql`o.transaction_id = ${transactionId}`]),
    ...(userId === undefined ? [] : [sql`o.user_id = ${userId}`]),
    ...(patient === undefined ? [] : [isNamedSo(work, PATIENT, patient)]),
    ...(recipient === undefined ? [] : [isNamedSo(work, RECIPIENT, recipient)]),
    ...(search ? [isSearched(work, search)] : []),
  ];
}

function isSearched(work: Work, { text, name, id }: NonNullable<Wanted['search']>): Bit {
  const hits = [
    ...(name === null ? [] : [isNamedSo(work, PATIENT, name), isNamedSo(work, RECIPIENT, name)]),
    ...(id === null ? [] : [sql`o.id = ${id}`]),
    sql`o.sample_id = ${text}`,
    sql`o.user_id = ${userKnownAs(work, text)}`,
  ];
  return sql`(${sql.join(hits, sql` or `)})`;
}
