import { sql, type RawBuilder } from 'kysely';
import type { Work } from '../../platform/work.ts';
import { prefixToken } from './names.ts';

/** Upper bound of exact totals and of sets that are sorted in memory. No query reads more orders than this per page. */
export const COUNT_LIMIT = 5000;

export interface OrderListQuery {
  readonly sort: 'created_at' | 'patient_name' | 'last_status';
  readonly direction: 'asc' | 'desc';
  readonly offset: number;
  readonly size: number;
  /** Limits the list to these facets; all facets when undefined. */
  readonly facets?: readonly string[];
  /** Only scheduled orders, or only current ones. */
  readonly activation?: ActivationFilter;
  readonly created: TimestampBounds;
  readonly updated: TimestampBounds;
  readonly userId?: string;
  readonly transactionId?: string;
  readonly labTestId?: string;
  readonly ids?: readonly string[];
  /** Name prefixes, normalized by `nameKey`. */
  readonly patient?: string;
  readonly recipient?: string;
  readonly search?: { readonly text: string; readonly name: string | null; readonly id: string | null };
}

/** A facet records that an order has an activation day, but not whether that day has come. */
export interface ActivationFilter {
  readonly isScheduled: boolean;
  readonly today: string;
  /** The facets of orders that have an activation day. */
  readonly datedFacets: readonly string[];
}

export interface TimestampBounds {
  readonly from?: Date;
  readonly to?: Date;
}

export type SqlFragment = RawBuilder<unknown>;
export const joinConditions = (bits: readonly SqlFragment[]): SqlFragment => sql.join(bits, sql` and `);

/** Matches orders whose activation day is still to come, or all others. */
export const matchesActivation = ({ isScheduled, today, datedFacets }: ActivationFilter): SqlFragment =>
  isScheduled
    ? sql`o.activate_by > ${today}::date`
    : sql`(o.facet <> all(${datedFacets}::text[]) or o.activate_by <= ${today}::date)`;

/**
 * Splits the facets in two when the query filters on the activation day. Orders without a day are always current, so
 * their facets can be answered from the facet index alone, which does not contain the day.
 */
export function splitByActivation({
  facets = [],
  activation,
}: OrderListQuery): Pick<OrderListQuery, 'facets' | 'activation'>[] {
  if (!activation) return [{ facets }];
  const hasDay = (facet: string) => activation.datedFacets.includes(facet);
  const parts = [
    { facets: facets.filter((facet) => !hasDay(facet)) },
    { facets: facets.filter(hasDay), activation },
  ];
  return parts.filter((part) => part.facets.length > 0);
}

/** Restricts a table to the tenant's rows. All indexes start with these two columns. */
export const ofTenant = ({ tenant }: Work, alias: string): SqlFragment =>
  sql`${sql.ref(`${alias}.team_id`)} = ${tenant.teamId} and ${sql.ref(`${alias}.environment`)} = ${tenant.environment}`;

export const boundsConditions = (column: SqlFragment, { from, to }: TimestampBounds): SqlFragment[] => [
  ...(from ? [sql`${column} >= ${from}`] : []),
  ...(to ? [sql`${column} <= ${to}`] : []),
];

/** A subquery for order ids that one index can answer: the candidates that a narrow filter leaves. */
export type OrderIdSet = SqlFragment;

/** The name to search: the patient's or the recipient's. */
type NameIdColumn = 'patient_name_id' | 'recipient_name_id';

/** Orders with a name of which one word starts with `name`. The inner limit keeps the planner on the name index. */
const ordersWithNamePrefix = (work: Work, whose: NameIdColumn, name: string): OrderIdSet => sql`
  select named.id from order_name_token t cross join lateral (
    select o.id from lab_order o
    where ${ofTenant(work, 'o')} and ${sql.ref(`o.${whose}`)} = t.name_id and o.listed limit ${COUNT_LIMIT + 1}) as named
  where ${ofTenant(work, 't')} and t.token = ${prefixToken(work.cipher, name)}`;

const selectOrderIds = (work: Work, conditions: readonly SqlFragment[]): OrderIdSet =>
  sql`select o.id from lab_order o where ${joinConditions([ofTenant(work, 'o'), sql`o.listed`, ...conditions])}`;

const userWithClientId = (work: Work, clientUserId: string): SqlFragment => sql`(
  select u.id from app_user u
  where ${ofTenant(work, 'u')} and u.client_user_id = ${clientUserId} and u.deleted_at is null)`;

function searchOrderIds(work: Work, { text, name, id }: NonNullable<OrderListQuery['search']>): OrderIdSet {
  return sql.join(
    [
      ...(name === null
        ? []
        : [
            ordersWithNamePrefix(work, 'patient_name_id', name),
            ordersWithNamePrefix(work, 'recipient_name_id', name),
          ]),
      selectOrderIds(work, [sql`o.sample_id = ${text}`]),
      selectOrderIds(work, [sql`o.user_id = ${userWithClientId(work, text)}`]),
      ...(id === null ? [] : [selectOrderIds(work, [sql`o.id = ${id}`])]),
    ],
    sql` union all `,
  );
}

/** The candidate sets of the filters, one for each filter that an index can answer alone. */
export function candidateSets(work: Work, wanted: OrderListQuery): OrderIdSet[] {
  const { ids, transactionId, labTestId, userId, patient, recipient, search, updated, created, facets } =
    wanted;
  if (ids) return [sql`select unnest(${ids}::uuid[]) as id`];
  const sets: OrderIdSet[] = [];
  if (transactionId !== undefined)
    sets.push(selectOrderIds(work, [sql`o.transaction_id = ${transactionId}`]));
  if (labTestId !== undefined) sets.push(selectOrderIds(work, [sql`o.lab_test_id = ${labTestId}`]));
  if (userId !== undefined) sets.push(selectOrderIds(work, [sql`o.user_id = ${userId}`]));
  if (patient !== undefined) sets.push(ordersWithNamePrefix(work, 'patient_name_id', patient));
  if (recipient !== undefined) sets.push(ordersWithNamePrefix(work, 'recipient_name_id', recipient));
  if (search) sets.push(searchOrderIds(work, search));
  const since = boundsConditions(sql`o.updated_at`, updated);
  if (since.length > 0) sets.push(selectOrderIds(work, since));
  if (hasSortedIndex(wanted)) return sets;
  const placed = boundsConditions(sql`o.created_at`, created);
  if (placed.length > 0) sets.push(selectOrderIds(work, placed));
  if (facets) sets.push(selectOrderIds(work, [hasFacetIn(facets)]));
  return sets;
}

const hasFacetIn = (facets: readonly string[]): SqlFragment => sql`o.facet = any(${facets}::text[])`;

/** Whether an index holds the filtered orders in the requested sort order. */
const hasSortedIndex = (wanted: OrderListQuery): boolean =>
  wanted.sort !== 'patient_name' && hasOnlyFacetAndDateFilters(wanted);

/** Whether the query filters only on low-cardinality properties and on the creation date. */
export const hasOnlyFacetAndDateFilters = ({
  ids,
  transactionId,
  labTestId,
  userId,
  patient,
  recipient,
  search,
  updated,
}: OrderListQuery) =>
  [ids, transactionId, labTestId, userId, patient, recipient, search, updated.from, updated.to].every(
    (filter) => filter === undefined,
  );

/**
 * Whether the list is one of a user's orders, with no filter beyond what their index has but the lab test. Other filters
 * may leave fewer orders than the user has.
 */
export const isListOfUser = (wanted: OrderListQuery): boolean =>
  wanted.userId !== undefined &&
  [wanted.ids, wanted.transactionId, wanted.patient, wanted.recipient, wanted.search].every(
    (filter) => filter === undefined,
  );

/**
 * Whether a word of this name starts with `name`; null means no. A scalar subquery, because the planner would turn
 * `exists` into a scan of all names with this prefix.
 */
export const hasNamePrefix = (work: Work, nameId: string, name: string): SqlFragment => sql`(
  select true from order_name_token t
  where ${ofTenant(work, 't')} and t.token = ${prefixToken(work.cipher, name)} and t.name_id = ${sql.ref(nameId)} limit 1)`;
const PATIENT = 'o.patient_name_id';
const RECIPIENT = 'o.recipient_name_id';

/** All filters as conditions on one order. */
export function orderConditions(work: Work, wanted: OrderListQuery): SqlFragment[] {
  const { ids, transactionId, labTestId, userId, patient, recipient, search, updated, created } = wanted;
  const { facets, activation } = wanted;
  return [
    sql`o.listed`,
    ...(facets ? [hasFacetIn(facets)] : []),
    ...(activation ? [matchesActivation(activation)] : []),
    ...boundsConditions(sql`o.created_at`, created),
    ...boundsConditions(sql`o.updated_at`, updated),
    ...(ids ? [sql`o.id = any(${ids}::uuid[])`] : []),
    ...(transactionId === undefined ? [] : [sql`o.transaction_id = ${transactionId}`]),
    ...(labTestId === undefined ? [] : [sql`o.lab_test_id = ${labTestId}`]),
    ...(userId === undefined ? [] : [sql`o.user_id = ${userId}`]),
    ...(patient === undefined ? [] : [hasNamePrefix(work, PATIENT, patient)]),
    ...(recipient === undefined ? [] : [hasNamePrefix(work, RECIPIENT, recipient)]),
    ...(search ? [matchesSearch(work, search)] : []),
  ];
}

function matchesSearch(work: Work, { text, name, id }: NonNullable<OrderListQuery['search']>): SqlFragment {
  const hits = [
    ...(name === null ? [] : [hasNamePrefix(work, PATIENT, name), hasNamePrefix(work, RECIPIENT, name)]),
    ...(id === null ? [] : [sql`o.id = ${id}`]),
    sql`o.sample_id = ${text}`,
    sql`o.user_id = ${userWithClientId(work, text)}`,
  ];
  return sql`(${sql.join(hits, sql` or `)})`;
}
