import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { generatedLabTest } from './generated-lab-test.ts';
import type { Lab, LabTest, Marker } from './lab-test.ts';
import { markersOfOneLab, namedMarkers, requireOrderable } from './named-markers.ts';
import type { LabMarker, NamedMarkers } from './marker-store.ts';
import { CollectionMethod } from './schema.ts';
import { listLabTestsNamed } from './store.ts';

/** What an order asks for: lab tests, single markers besides, or both. */
export interface OrderSet {
  readonly labTestIds?: readonly string[] | null | undefined;
  readonly addOn?: AddOn | null | undefined;
  readonly collectionMethod?: string | null | undefined;
  /** The laboratory of the named lab account; everything must be of it. */
  readonly labSlug?: string | null | undefined;
}

/** Single markers, named by our ids or by the laboratory's codes. */
export interface AddOn {
  readonly markerIds?: readonly number[] | null | undefined;
  readonly providerIds?: readonly string[] | null | undefined;
}

/** What an order set holds, put together. */
interface Contents {
  readonly lab: Lab;
  readonly tests: readonly LabTest[];
  /** Each once, those of the lab tests first. */
  readonly markers: readonly Marker[];
}

/** What an order set would order, without making a lab test of it; its collection method is not asked for. */
export async function listOrderSetMarkers(work: Work, set: OrderSet): Promise<readonly Marker[]> {
  return (await contentsOf(work, set)).markers;
}

/**
 * One lab test that holds all of an order set: the named one where it holds everything, else one that is made for
 * this combination, and found again the next time. A 400 for a set that cannot be ordered together, a 404 for a lab
 * test or marker that is not there.
 */
export async function resolveOrderSet(work: Work, set: OrderSet): Promise<LabTest> {
  if (namedBy(set.addOn) && !set.collectionMethod) throw refused('add_on needs collection_method');
  const { lab, tests, markers } = await contentsOf(work, set);
  const method = oneMethod(tests, set.collectionMethod);
  // Whoever comes for a test that wants fasting comes fasting for all of them.
  const fasting = tests.some((test) => test.fasting);
  const whole = tests.find((test) => test.markers.length === markers.length && test.fasting === fasting);
  return whole ?? generatedLabTest(work, { lab, method, tests, markers });
}

async function contentsOf(work: Work, set: OrderSet): Promise<Contents> {
  const named = namedBy(set.addOn);
  const tests = await activeTests(work, [...new Set(set.labTestIds?.map((id) => id.toLowerCase()))]);
  const lab = oneLab(tests, set.labSlug);
  const addOns = named ? await addedMarkers(work, { named, lab, labSlug: set.labSlug }) : [];
  const first = tests[0]?.lab ?? addOns[0]?.lab;
  if (!first) throw refused('order_set needs lab_test_ids or add_on');
  const every = [...tests.flatMap((test) => test.markers), ...addOns.map(({ marker }) => marker)];
  return { lab: first, tests, markers: [...new Map(every.map((marker) => [marker.id, marker])).values()] };
}

const refused = (detail: string) => new DomainError('bad_request', detail);

function namedBy(addOn: AddOn | null | undefined): NamedMarkers | undefined {
  return addOn ? namedMarkers(addOn, 'add_on') : undefined;
}

/** The named lab tests, in the order in which they were named; ids as the database writes them. */
async function activeTests(work: Work, ids: readonly string[]): Promise<LabTest[]> {
  if (ids.length === 0) return [];
  const known = new Map((await listLabTestsNamed(work, ids)).map((test) => [test.id, test]));
  return ids.map((id) => {
    const test = known.get(id);
    if (!test) throw new DomainError('not_found', `Lab test not found: ${id}`);
    if (test.status !== 'active') throw refused(`Lab test ${id} is ${test.status}, not active`);
    return test;
  });
}

function oneLab(tests: readonly LabTest[], labSlug: string | null | undefined): Lab | undefined {
  const [lab, other] = new Map(tests.map((test) => [test.lab.id, test.lab])).values();
  if (lab && other) throw refused(`All lab tests must be of one lab, got ${lab.slug} and ${other.slug}`);
  if (lab && labSlug && lab.slug !== labSlug) {
    throw refused(`The lab tests are of ${lab.slug}, the lab account is with ${labSlug}`);
  }
  return lab;
}

function oneMethod(tests: readonly LabTest[], wanted: string | null | undefined): CollectionMethod {
  const methods = new Set([...tests.map((test) => test.method), ...(wanted ? [wanted] : [])]);
  const [method, other] = methods;
  if (other !== undefined)
    throw refused(`All of an order has one collection method, got ${method} and ${other}`);
  const known = CollectionMethod.safeParse(method);
  if (!known.success) throw refused(`Unknown collection method ${method}`);
  return known.data;
}

/** The markers of an add-on: all there, all of one laboratory, all to be had alone. */
async function addedMarkers(work: Work, { named, lab, labSlug }: Added): Promise<LabMarker[]> {
  const wantedLab = lab?.slug ?? labSlug;
  const chosen = await markersOfOneLab(work, named, wantedLab);
  for (const each of chosen) requireOrderable(each, { alone: true });
  return chosen;
}

interface Added {
  readonly named: NamedMarkers;
  readonly lab: Lab | undefined;
  readonly labSlug: string | null | undefined;
}
