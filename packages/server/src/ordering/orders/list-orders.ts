import { isoDay } from '../../platform/clock.ts';
import { parseTimestamp } from '../../platform/timestamp-input.ts';
import type { Work } from '../../platform/work.ts';
import type { OrderExportFilters, OrderFilters } from './commands.ts';
import {
  hasOnlyFacetAndDateFilters,
  isListOfUser,
  type ActivationFilter,
  type TimestampBounds,
  type OrderListQuery,
} from './list-filter-store.ts';
import * as store from './list-store.ts';
import * as userList from './user-list-store.ts';
import { nameKey } from './names.ts';
import type { Order } from './order.ts';
import { parseStep } from './status.ts';

interface OrderListPage {
  readonly orders: readonly Order[];
  /** Exact, or null above the limit for counting. */
  readonly total: number | null;
}

/**
 * One page of the team's orders, newest first by default. The cost does not grow with the number of orders; see
 * docs/decisions/0016.
 */
export async function listOrders(work: Work, filters: OrderFilters): Promise<OrderListPage> {
  const wanted = await toListQuery(work, filters);
  if (wanted.facets?.length === 0 || wanted.ids?.length === 0) return { orders: [], total: 0 };
  if (isListOfUser(wanted)) return listOrdersOfUser(work, wanted);
  const { ids, total } = await pickPage(work, wanted);
  return { orders: await store.listFullOrders(work, ids), total };
}

/** From the index of the user's orders: the page, and the count only where the page does not tell it. */
async function listOrdersOfUser(work: Work, wanted: OrderListQuery): Promise<OrderListPage> {
  const ids = await userList.scanUserForPage(work, wanted);
  const known = totalOfLastPage(wanted, ids.length);
  const [orders, counted] = await Promise.all([
    store.listFullOrders(work, ids),
    known === undefined ? userList.countOrdersOfUser(work, wanted) : known,
  ]);
  return { orders, total: counted };
}

/** Orders created from a time on, oldest first, without their total. `skip`: how many of them are known already. */
export async function listOrdersFrom(
  work: Work,
  filters: OrderExportFilters,
  { from, skip = 0, size }: { from?: Date; skip?: number; size: number },
): Promise<Order[]> {
  const first = await toListQuery(work, { ...filters, order_direction: 'asc', page: 1, size });
  const created = from === undefined ? first.created : { ...first.created, from };
  const wanted = { ...first, created, offset: skip };
  if (wanted.facets?.length === 0 || wanted.ids?.length === 0) return [];
  if (isListOfUser(wanted)) return store.listFullOrders(work, await userList.scanUserForPage(work, wanted));
  const set = await store.findSmallestSet(work, wanted);
  const ids = set
    ? (await store.pickPageFromSet(work, wanted, set)).ids
    : await store.scanIndexForPage(work, wanted);
  return store.listFullOrders(work, ids);
}

/** Sorts the smallest candidate set, if one is small enough; otherwise scans the index of the sort order. */
async function pickPage(work: Work, wanted: OrderListQuery): Promise<store.PickedOrderIds> {
  const set = await store.findSmallestSet(work, wanted);
  if (set) return store.pickPageFromSet(work, wanted, set);
  const [ids, counted] = await Promise.all([
    store.scanIndexForPage(work, wanted),
    hasOnlyFacetAndDateFilters(wanted) ? store.countUpToLimit(work, wanted) : null,
  ]);
  return { ids, total: totalOfLastPage(wanted, ids.length) ?? counted };
}

/** A page that is not full is the last one, so the total is known without counting. */
const totalOfLastPage = ({ offset, size }: OrderListQuery, seen: number): number | undefined =>
  seen < size && (seen > 0 || offset === 0) ? offset + seen : undefined;

async function toListQuery(work: Work, filters: OrderFilters): Promise<OrderListQuery> {
  const sort = filters.order_key ?? 'created_at';
  const { facets, activation } = await selectFacets(work, filters);
  // Text of hyphens alone has an empty key. Searching for the raw text finds nothing, as it should.
  const name = (text: string | null | undefined) => (text?.trim() ? nameKey(text) || text : undefined);
  const [patient, recipient] = [name(filters.patient_name), name(filters.shipping_recipient_name)];
  const search = filters.search_input?.trim();
  const updatedUntil = upperBound(filters.updated_end_date);
  return {
    sort,
    direction: filters.order_direction ?? 'desc',
    offset: (filters.page - 1) * filters.size,
    size: filters.size,
    ...(facets ? { facets } : {}),
    ...(activation ? { activation } : {}),
    // An order is never updated before it is created, so the update bound limits the creation too.
    created: {
      ...lowerBound(filters.start_date),
      ...earlierUpperBound(upperBound(filters.end_date), updatedUntil),
    },
    updated: { ...lowerBound(filters.updated_start_date), ...updatedUntil },
    ...(filters.user_id == null ? {} : { userId: filters.user_id }),
    ...(filters.order_transaction_id == null ? {} : { transactionId: filters.order_transaction_id }),
    ...(filters.lab_test_id == null ? {} : { labTestId: filters.lab_test_id }),
    ...(filters.order_ids == null ? {} : { ids: filters.order_ids }),
    ...(patient === undefined ? {} : { patient }),
    ...(recipient === undefined ? {} : { recipient }),
    ...(search ? { search: parseSearch(search) } : {}),
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const parseSearch = (text: string) => ({
  text,
  name: nameKey(text) || null,
  id: UUID.test(text) ? text : null,
});

const lowerBound = (text: string | null | undefined) =>
  text == null ? {} : { from: parseBound(text, DAY_BEGINS) };
const upperBound = (text: string | null | undefined) =>
  text == null ? {} : { to: parseBound(text, DAY_ENDS) };

const earlierUpperBound = (
  one: Pick<TimestampBounds, 'to'>,
  other: Pick<TimestampBounds, 'to'>,
): Pick<TimestampBounds, 'to'> => (one.to && (!other.to || one.to < other.to) ? one : other);

const DAY_BEGINS = 'T00:00:00Z';
const DAY_ENDS = 'T23:59:59.999Z';
const DAY_ONLY = /^\d{4}-\d\d-\d\d$/;

const parseBound = (text: string, wholeDay: string): Date =>
  DAY_ONLY.test(text) ? new Date(`${text}${wholeDay}`) : parseTimestamp(text);

/** The team's facets that pass the filters on low-cardinality properties; empty object without such filters. */
async function selectFacets(
  work: Work,
  filters: OrderFilters,
): Promise<Pick<OrderListQuery, 'facets' | 'activation'>> {
  const tests = facetPredicates(filters);
  if (tests.length === 0) return {};
  const facets = (await store.listFacets(work)).filter((facet) => {
    const [modality = '', step = '', interpretation = '', day = ''] = facet.split('.');
    return tests.every((test) => test({ modality, step, interpretation, hasDay: day !== '' }));
  });
  const activation = toActivationFilter(work, filters, facets);
  return { facets, ...(activation ? { activation } : {}) };
}

/** An order is scheduled until its day begins (UTC). Undefined when the filter does not depend on the day. */
function toActivationFilter(
  work: Work,
  filters: OrderFilters,
  facets: readonly string[],
): ActivationFilter | undefined {
  const types = new Set(filters.order_activation_types);
  const ofDays = facets.filter((facet) => facet.endsWith('.scheduled'));
  if (types.size !== 1 || ofDays.length === 0) return undefined;
  return { isScheduled: types.has('scheduled'), today: isoDay(work.now), datedFacets: ofDays };
}

interface OrderFacet {
  readonly modality: string;
  readonly step: string;
  readonly interpretation: string;
  readonly hasDay: boolean;
}

/** One predicate for each filter that is set. */
function facetPredicates(filters: OrderFilters): ((facet: OrderFacet) => boolean)[] {
  const { status, order_type: types, interpretation, is_critical: critical } = filters;
  const steps: readonly (string | undefined)[] | undefined = status?.map(parseStep);
  const activation = filters.order_activation_types;
  const tests: ((facet: OrderFacet) => boolean)[] = [];
  if (steps) tests.push(({ step }) => steps.includes(step));
  if (types) tests.push(({ modality }) => types.some((type) => type === modality));
  if (interpretation != null) tests.push((facet) => facet.interpretation === interpretation);
  if (critical != null) tests.push((facet) => (facet.interpretation === 'critical') === critical);
  // An order without a day is current. With a day, the facet alone cannot decide.
  if (activation) tests.push(({ hasDay }) => hasDay || activation.includes('current'));
  return tests;
}
