import type { ObservationOrigin, ReceivedObservation } from '../received.ts';
import { DAY } from '../../../platform/clock.ts';
import { getConceptText } from './print-value.ts';
import type { ReceivedFhirResource, BundleResources } from './references.ts';
import { parsePart, Specimen, type FhirIdentifier, type FhirReference } from './wire.ts';

export interface FhirSpecimen {
  readonly ids: readonly string[];
  readonly collected: Date | null;
  readonly received: Date | null;
  readonly type: string | null;
}

export const listIdentifiers = ({ identifier }: FhirReference): FhirIdentifier[] =>
  identifier ? [identifier] : [];

/** Resolves a specimen reference: to a resource in the bundle, or to its identifier alone. */
export function resolveSpecimen(
  reference: FhirReference,
  from: ReceivedFhirResource,
  resources: BundleResources,
): FhirSpecimen {
  const specimen = resources.resolve(reference, from);
  if (specimen?.type !== 'Specimen') {
    const ids = listIdentifiers(reference).flatMap(({ value }) => value ?? []);
    return { ids, collected: null, received: null, type: null };
  }
  const known = specimenCache.get(specimen);
  if (known) return known;
  const { accessionIdentifier, identifier, receivedTime, collection, type } = parsePart(
    Specimen,
    specimen.body,
    specimen.place,
  );
  const ids = [accessionIdentifier, ...identifier].flatMap((each) => each?.value ?? []);
  const collected = collection?.collectedDateTime ?? collection?.collectedPeriod?.start ?? null;
  const sample = {
    ids: [...new Set(ids)],
    collected,
    received: receivedTime ?? null,
    type: type ? getConceptText(type) : null,
  };
  specimenCache.set(specimen, sample);
  return sample;
}

/** Caches parsed specimens: a bundle has few, but many observations reference them. */
const specimenCache = new WeakMap<ReceivedFhirResource, FhirSpecimen>();

/** The origin of an observation, from its specimen. */
export function readOrigin(
  reference: FhirReference | undefined,
  from: ReceivedFhirResource,
  resources: BundleResources,
): Pick<ReceivedObservation, 'origin'> {
  if (reference === undefined) return {};
  const { ids, collected, type } = resolveSpecimen(reference, from, resources);
  const [specimen] = ids;
  if (specimen === undefined && collected === null && type === null) return {};
  const origin: ObservationOrigin = {
    ...(specimen === undefined ? {} : { specimen }),
    ...(type === null ? {} : { specimenType: type }),
    ...(collected === null ? {} : { drawnAt: collected, ...(isDay(collected) ? { isDay: true } : {}) }),
  };
  return { origin };
}

/** A date without a time is parsed as midnight UTC. */
export const isDay = (moment: Date): boolean => moment.getTime() % DAY === 0;
