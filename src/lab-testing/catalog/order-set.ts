import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { generatedLabTest } from './generated-lab-test.ts';
import type { Lab, LabTest } from './lab-test.ts';
import { listMarkersNamed, type LabMarker, type NamedMarkers } from './marker-store.ts';
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

/**
 * One lab test that holds all of an order set: the named one where it holds everything, else one that is made for
 * this combination, and found again the next time. A 400 for a set that cannot be ordered together, a 404 for a lab
 * test or marker that is not there.
 */
export async function resolveOrderSet(work: Work, set: OrderSet): Promise<LabTest> {
  const named = namedBy(set.addOn);
  if (named && !set.collectionMethod) throw refused('add_on needs collection_method');
  const tests = await activeTests(work, [...new Set(set.labTestIds)]);
  const lab = oneLab(tests, set.labSlug);
  const addOns = named ? await addedMarkers(work, { named, lab, labSlug: set.labSlug }) : [];

  const first = tests[0]?.lab ?? addOns[0]?.lab;
  if (!first) throw refused('order_set needs lab_test_ids or add_on');
  const method = oneMethod(tests, set.collectionMethod);
  const every = [...tests.flatMap((test) => test.markers), ...addOns.map(({ marker }) => marker)];
  const markers = [...new Map(every.map((marker) => [marker.id, marker])).values()];
  const whole = tests.find((test) => test.markers.length === markers.length);
  return whole ?? generatedLabTest(work, { lab: first, method, tests, markers });
}

const refused = (detail: string) => new DomainError('bad_request', detail);

function namedBy(addOn: AddOn | null | undefined): NamedMarkers | undefined {
  if (!addOn) return undefined;
  const markerIds = [...new Set(addOn.markerIds)];
  const providerIds = [...new Set(addOn.providerIds)];
  if (markerIds.length > 0 === providerIds.length > 0) {
    throw refused('add_on takes exactly one of marker_ids and provider_ids');
  }
  return markerIds.length > 0 ? { markerIds } : { providerIds };
}

/** The named lab tests, in the order in which they were named. */
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

interface Added {
  readonly named: NamedMarkers;
  readonly lab: Lab | undefined;
  readonly labSlug: string | null | undefined;
}

/** The markers of an add-on: all there, all of one laboratory, all to be had alone. */
async function addedMarkers(work: Work, { named, lab, labSlug }: Added): Promise<LabMarker[]> {
  const wantedLab = lab?.slug ?? labSlug;
  const everywhere = await listMarkersNamed(work, named);
  const chosen = 'markerIds' in named ? everywhere : ofOneLab(everywhere, named.providerIds, wantedLab);
  requireAll(named, chosen, wantedLab);
  for (const each of chosen) requireOrderable(each, wantedLab ?? chosen[0]?.lab.slug);
  return chosen;
}

/** A laboratory's code means something only at that laboratory: the wanted one, or the only one that has them all. */
function ofOneLab(
  found: readonly LabMarker[],
  providerIds: readonly string[],
  wanted: string | null | undefined,
): LabMarker[] {
  if (wanted) return found.filter(({ lab }) => lab.slug === wanted);
  const labs = [...new Set(found.map(({ lab }) => lab.slug))];
  const complete = labs.filter(
    (slug) => found.filter(({ lab }) => lab.slug === slug).length === providerIds.length,
  );
  if (complete.length > 1) {
    throw refused(`provider_ids are known to several labs (${complete.join(', ')}): name a lab_account_id`);
  }
  return found.filter(({ lab }) => lab.slug === complete[0]);
}

function requireAll(named: NamedMarkers, chosen: readonly LabMarker[], lab: string | null | undefined): void {
  const wanted: readonly (number | string)[] = 'markerIds' in named ? named.markerIds : named.providerIds;
  const there = new Set<unknown>(
    chosen.map(({ marker }) => ('markerIds' in named ? marker.id : marker.providerId)),
  );
  const missing = wanted.filter((each) => !there.has(each));
  if (missing.length === 0) return;
  const where = 'markerIds' in named || !lab ? '' : ` at ${lab}`;
  throw new DomainError('not_found', `Marker not found${where}: ${missing.join(', ')}`);
}

function requireOrderable({ lab, marker }: LabMarker, wantedLab: string | undefined): void {
  const name = `Marker ${marker.id} (${marker.name})`;
  if (lab.slug !== wantedLab) throw refused(`${name} is of ${lab.slug}, not of ${wantedLab}`);
  if (!marker.isOrderable) throw refused(`${name} cannot be ordered`);
  if (!marker.aLaCarteEnabled) throw refused(`${name} cannot be ordered a la carte`);
}
