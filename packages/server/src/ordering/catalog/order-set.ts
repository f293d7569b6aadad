import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { getOrCreateGeneratedLabTest } from './generated-lab-test.ts';
import type { Lab, LabTest, Marker } from './lab-test.ts';
import { selectMarkersOfOneLab, parseMarkerSelector, requireOrderable } from './marker-selection.ts';
import type { LabMarker, MarkerSelector } from './marker-store.ts';
import { CollectionMethod } from './schema.ts';
import { listLabTestsByIds } from './store.ts';

/** What an order requests: lab tests, single markers, or both. */
export interface OrderSet {
  readonly labTestIds?: readonly string[] | null | undefined;
  readonly addOn?: OrderSetAddOn | null | undefined;
  readonly collectionMethod?: string | null | undefined;
  /** The laboratory of the requested lab account; all markers must belong to it. */
  readonly labSlug?: string | null | undefined;
}

/** Single markers, by marker ids or by the laboratory's codes. */
interface OrderSetAddOn {
  readonly markerIds?: readonly number[] | null | undefined;
  readonly providerIds?: readonly string[] | null | undefined;
}

/** The resolved contents of an order set. */
interface OrderSetContents {
  readonly lab: Lab;
  readonly tests: readonly LabTest[];
  /** Without duplicates, those of the lab tests first. */
  readonly markers: readonly Marker[];
}

/** The markers of an order set. Creates no lab test and ignores the collection method. */
export async function listOrderSetMarkers(work: Work, set: OrderSet): Promise<readonly Marker[]> {
  return (await resolveContents(work, set)).markers;
}

/**
 * Resolves an order set to one lab test: a requested lab test that already contains everything, or the generated lab
 * test of this combination. 400 for a set that cannot be ordered together, 404 for a missing lab test or marker.
 */
export async function resolveOrderSet(work: Work, set: OrderSet): Promise<LabTest> {
  if (parseAddOn(set.addOn) && !set.collectionMethod) throw badRequest('add_on needs collection_method');
  const { lab, tests, markers } = await resolveContents(work, set);
  const method = requireOneMethod(tests, set.collectionMethod);
  // If one test requires fasting, the patient fasts for all of them.
  const fasting = tests.some((test) => test.fasting);
  const whole = tests.find((test) => test.markers.length === markers.length && test.fasting === fasting);
  return whole ?? getOrCreateGeneratedLabTest(work, { lab, method, tests, markers });
}

async function resolveContents(work: Work, set: OrderSet): Promise<OrderSetContents> {
  const named = parseAddOn(set.addOn);
  const tests = await listActiveLabTests(work, [...new Set(set.labTestIds?.map((id) => id.toLowerCase()))]);
  const lab = requireOneLab(tests, set.labSlug);
  const addOns = named ? await selectAddOnMarkers(work, { named, lab, labSlug: set.labSlug }) : [];
  const first = tests[0]?.lab ?? addOns[0]?.lab;
  if (!first) throw badRequest('order_set needs lab_test_ids or add_on');
  const every = [...tests.flatMap((test) => test.markers), ...addOns.map(({ marker }) => marker)];
  return { lab: first, tests, markers: [...new Map(every.map((marker) => [marker.id, marker])).values()] };
}

const badRequest = (detail: string) => new DomainError('bad_request', detail);

function parseAddOn(addOn: OrderSetAddOn | null | undefined): MarkerSelector | undefined {
  return addOn ? parseMarkerSelector(addOn, 'add_on') : undefined;
}

/** The requested lab tests, in request order; `ids` are lowercase, as the database returns them. */
async function listActiveLabTests(work: Work, ids: readonly string[]): Promise<LabTest[]> {
  if (ids.length === 0) return [];
  const known = new Map((await listLabTestsByIds(work, ids)).map((test) => [test.id, test]));
  return ids.map((id) => {
    const test = known.get(id);
    if (!test) throw new DomainError('not_found', `Lab test not found: ${id}`);
    if (test.status !== 'active') throw badRequest(`Lab test ${id} is ${test.status}, not active`);
    return test;
  });
}

function requireOneLab(tests: readonly LabTest[], labSlug: string | null | undefined): Lab | undefined {
  const [lab, other] = new Map(tests.map((test) => [test.lab.id, test.lab])).values();
  if (lab && other)
    throw badRequest(`All lab tests must belong to one lab, got ${lab.slug} and ${other.slug}`);
  if (lab && labSlug && lab.slug !== labSlug) {
    throw badRequest(`The lab tests belong to ${lab.slug}, but the lab account belongs to ${labSlug}`);
  }
  return lab;
}

function requireOneMethod(tests: readonly LabTest[], wanted: string | null | undefined): CollectionMethod {
  const methods = new Set([...tests.map((test) => test.method), ...(wanted ? [wanted] : [])]);
  const [method, other] = methods;
  if (other !== undefined)
    throw badRequest(`An order must have one collection method, got ${method} and ${other}`);
  const known = CollectionMethod.safeParse(method);
  if (!known.success) throw badRequest(`Unknown collection method ${method}`);
  return known.data;
}

/** The markers of an add-on: all of one laboratory, all orderable a la carte. */
async function selectAddOnMarkers(work: Work, { named, lab, labSlug }: AddOnLookup): Promise<LabMarker[]> {
  const wantedLab = lab?.slug ?? labSlug;
  const chosen = await selectMarkersOfOneLab(work, named, wantedLab);
  for (const each of chosen) requireOrderable(each, { alone: true });
  return chosen;
}

interface AddOnLookup {
  readonly named: MarkerSelector;
  readonly lab: Lab | undefined;
  readonly labSlug: string | null | undefined;
}
