import type { Origin, ReceivedObservation } from '../received.ts';
import { DAY } from '../../../platform/clock.ts';
import type { Found, Resources } from './references.ts';
import { parsed, Specimen, type Identifier, type Reference } from './wire.ts';

export interface Sample {
  readonly ids: readonly string[];
  readonly collected: Date | null;
  readonly received: Date | null;
}

export const identifierOf = ({ identifier }: Reference): Identifier[] => (identifier ? [identifier] : []);

/** The specimen that a reference names: sent along, or by its identifier alone. */
export function sampleAt(reference: Reference, from: Found, resources: Resources): Sample {
  const specimen = resources.resolve(reference, from);
  if (specimen?.type !== 'Specimen') {
    const ids = identifierOf(reference).flatMap(({ value }) => value ?? []);
    return { ids, collected: null, received: null };
  }
  const known = samples.get(specimen);
  if (known) return known;
  const { accessionIdentifier, identifier, receivedTime, collection } = parsed(
    Specimen,
    specimen.body,
    specimen.place,
  );
  const ids = [accessionIdentifier, ...identifier].flatMap((each) => each?.value ?? []);
  const collected = collection?.collectedDateTime ?? collection?.collectedPeriod?.start ?? null;
  const sample = { ids: [...new Set(ids)], collected, received: receivedTime ?? null };
  samples.set(specimen, sample);
  return sample;
}

/** Those of a bundle are few, and each of its observations may name one. */
const samples = new WeakMap<Found, Sample>();

/** The draw of an observation by its specimen. */
export function originOf(
  reference: Reference | undefined,
  from: Found,
  resources: Resources,
): Pick<ReceivedObservation, 'origin'> {
  if (reference === undefined) return {};
  const { ids, collected } = sampleAt(reference, from, resources);
  const [specimen] = ids;
  if (specimen === undefined && collected === null) return {};
  const origin: Origin = {
    ...(specimen === undefined ? {} : { specimen }),
    ...(collected === null ? {} : { drawnAt: collected, ...(isDay(collected) ? { isDay: true } : {}) }),
  };
  return { origin };
}

/** A day without its hour is read as its midnight in UTC. */
const isDay = (moment: Date): boolean => moment.getTime() % DAY === 0;
