import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { generatedLabTest } from './generated-lab-test.ts';
import type { Lab, LabTest } from './lab-test.ts';
import { listMarkersNamed, type LabMarker } from './marker-store.ts';
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
 * One lab test that holds all of an order set: the named one where it holds everything,
 * else one made for this combination, or found again. Throws a 400 for a set that no laboratory could be asked for,
 * a 404 for a lab test or marker that is not there.
 */
export async function resolveOrderSet(work: Work, set: OrderSet): Promise<LabTest> {
  const named = namedBy(set.addOn);
  if (named && !set.collectionMethod) throw refused('add_on needs a collection_method');
  const tests = await orderableTests(work, set.labTestIds ?? []);
  const lab = oneLab(tests, set.labSlug);
  const addOns = named ? await orderableMarkers(work, named, lab) : [];
  if (tests.length + addOns.length === 0) throw refused('An order needs lab_test_ids or an add_on');

  const method = oneMethod(tests, set.collectionMethod);
  const markers = new Map([...tests.flatMap((test) => test.markers), ...addOns.map((each) => each.marker)].map((marker) => [marker.id, marker]));
  const whole = tests.find((test) => test.markers.length === markers.size);
  if (whole) return whole;
  const of = lab ?? addOns[0]?.lab;
  if (!of) throw refused('An order needs lab_test_ids or an add_on');
  return generatedLabTest(work, { lab: of, method, tests, markers: [...markers.values()] });
}

const refused = (detail: string) => new DomainError('bad_request', detail);
