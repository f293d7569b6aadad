import { isoDay } from '../../platform/clock.ts';
import { momentIn } from '../../platform/given-moments.ts';
import type { Work } from '../../platform/work.ts';
import type { OrderFilters } from './commands.ts';
import { isOfFacetsAndDays, type Activation, type Between, type Wanted } from './list-filter-store.ts';
import * as store from './list-store.ts';
import { nameKey } from './names.ts';
import type { Order } from './order.ts';
import { stepNamed } from './status.ts';

export interface Page {
  readonly orders: readonly Order[];
  /** Exact, or null: more than are counted. */
  readonly total: number | null;
}

/**
 * One page of the team's orders, newest first unless asked otherwise. What it costs does not grow with the number of
 * orders: docs/decisions/0016 tells how.
 */
export async function listOrders(work: Work, filters: OrderFilters): Promise<Page> {
  const { ids, total } = await pick(work, await wantedOf(work, filters));
  return { orders: await store.listWholeOrders(work, ids), total };
}

/** Out of the smallest set that a filter leaves, when one is small; else along the order of the sorting. */
async function pick(work: Work, wanted: Wanted): Promise<store.Picked> {
  if (wanted.facets?.length === 0 || wanted.ids?.length === 0) return { ids: [], total: 0 };
  const set = await store.smallestSet(work, wanted);
  if (set) return store.pickFromSet(work, wanted, set);
  const [ids, counted] = await Promise.all([
    store.walkTo(work, wanted),
    isOfFacetsAndDays(wanted) ? store.countUpTo(work, wanted) : null,
  ]);
  return { ids, total: totalSeen(wanted, ids.length) ?? counted };
}

/** A page that is not full is the last one, and says how many there are. */
const totalSeen = ({ offset, size }: Wanted, seen: number): number | undefined =>
  seen < size && (seen > 0 || offset === 0) ? offset + seen : undefined;

async function wantedOf(work: Work, filters: OrderFilters): Promise<Wanted> {
  const sort = filters.order_key ?? 'created_at';
  const { facets, activation } = await facetsOf(work, filters);
  // Of nothing but hyphens no key is left, and no name begins with one: nobody is called so.
  const name = (text: string | null | undefined) => (text?.trim() ? nameKey(text) || text : undefined);
  const [patient, recipient] = [name(filters.patient_name), name(filters.shipping_recipient_name)];
  const search = filters.search_input?.trim();
  const updatedUntil = until(filters.updated_end_date);
  return {
    sort,
    direction: filters.order_direction ?? 'desc',
    offset: (filters.page - 1) * filters.size,
    size: filters.size,
    ...(facets ? { facets } : {}),
    ...(activation ? { activation } : {}),
    // What was changed last before a moment was placed before it.
    created: { ...from(filters.start_date), ...earlier(until(filters.end_date), updatedUntil) },
    updated: { ...from(filters.updated_start_date), ...updatedUntil },
    ...(filters.user_id == null ? {} : { userId: filters.user_id }),
    ...(filters.order_transaction_id == null ? {} : { transactionId: filters.order_transaction_id }),
    ...(filters.order_ids == null ? {} : { ids: filters.order_ids }),
    ...(patient === undefined ? {} : { patient }),
    ...(recipient === undefined ? {} : { recipient }),
    ...(search ? { search: searchFor(search) } : {}),
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const searchFor = (text: string) => ({
  text,
  name: nameKey(text) || null,
  id: UUID.test(text) ? text : null,
});

const from = (text: string | null | undefined) => (text == null ? {} : { from: momentOf(text, DAY_BEGINS) });
const until = (text: string | null | undefined) => (text == null ? {} : { to: momentOf(text, DAY_ENDS) });

const earlier = (one: Pick<Between, 'to'>, other: Pick<Between, 'to'>): Pick<Between, 'to'> =>
  one.to && (!other.to || one.to < other.to) ? one : other;

const DAY_BEGINS = 'T00:00:00Z';
const DAY_ENDS = 'T23:59:59.999Z';
const DAY_ONLY = /^\d{4}-\d\d-\d\d$/;

const momentOf = (text: string, wholeDay: string): Date =>
  DAY_ONLY.test(text) ? new Date(`${text}${wholeDay}`) : momentIn(text);

/** The team's facets that the filters on properties of few values leave; undefined when no such filter is given. */
async function facetsOf(work: Work, filters: OrderFilters): Promise<Pick<Wanted, 'facets' | 'activation'>> {
  const tests = testsOf(filters);
  if (tests.length === 0) return {};
  const facets = (await store.listFacets(work)).filter((facet) => {
    const [modality = '', step = '', interpretation = '', day = ''] = facet.split('.');
    return tests.every((test) => test({ modality, step, interpretation, hasDay: day !== '' }));
  });
  const activation = activationOf(work, filters, facets);
  return { facets, ...(activation ? { activation } : {}) };
}

/** An order is scheduled until its day begins; undefined where that is the same for all of these facets. */
function activationOf(work: Work, filters: OrderFilters, facets: readonly string[]): Activation | undefined {
  const types = new Set(filters.order_activation_types);
  const ofDays = facets.filter((facet) => facet.endsWith('.scheduled'));
  if (types.size !== 1 || ofDays.length === 0) return undefined;
  return { isToCome: types.has('scheduled'), today: isoDay(work.now), ofDays };
}

interface Facet {
  readonly modality: string;
  readonly step: string;
  readonly interpretation: string;
  readonly hasDay: boolean;
}

/** A test for each filter that is given. */
function testsOf(filters: OrderFilters): ((facet: Facet) => boolean)[] {
  const { status, order_type: types, interpretation, is_critical: critical } = filters;
  const steps: readonly (string | undefined)[] | undefined = status?.map(stepNamed);
  const activation = filters.order_activation_types;
  const tests: ((facet: Facet) => boolean)[] = [];
  if (steps) tests.push(({ step }) => steps.includes(step));
  if (types) tests.push(({ modality }) => types.some((type) => type === modality));
  if (interpretation != null) tests.push((facet) => facet.interpretation === interpretation);
  if (critical != null) tests.push((facet) => (facet.interpretation === 'critical') === critical);
  // Without a day it is current; with one, the day has to be asked.
  if (activation) tests.push(({ hasDay }) => hasDay || activation.includes('current'));
  return tests;
}
