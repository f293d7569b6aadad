import type { ReceivedFhirResource, BundleResources } from './references.ts';
import { getConceptText } from './print-value.ts';
import { FhirObservation, parsePart, type FhirReference } from './wire.ts';

/** Numbers the isolates of a bundle, so that each susceptibility names its own: as OBX-4 in HL7 v2. */
export type IsolateNumbers = Map<ReceivedFhirResource, string>;

const SUSCEPTIBILITIES = new Set(['S', 'I', 'R', 'SDD', 'NS']);

export const isSusceptibility = (flags: readonly string[]): boolean =>
  flags.some((flag) => SUSCEPTIBILITIES.has(flag.toUpperCase()));

/** The isolates that susceptibilities are derived from, in the order of the bundle. */
export function numberIsolates(
  resources: BundleResources,
  readFlagsOf: (observation: FhirObservation) => readonly string[],
): IsolateNumbers {
  const isolates = new Set<ReceivedFhirResource>();
  const all = resources.ofType('Observation');
  for (const found of all) {
    const derived: unknown = Object.entries(found.body ?? {}).find(([name]) => name === 'derivedFrom')?.[1];
    if (derived === undefined) continue;
    const observation = parsePart(FhirObservation, found.body, found.place);
    if (!isSusceptibility(readFlagsOf(observation))) continue;
    const isolate = findSource(observation.derivedFrom, found, resources);
    if (isolate) isolates.add(isolate);
  }
  const ordered = [...isolates].toSorted((one, other) => all.indexOf(one) - all.indexOf(other));
  return new Map(ordered.map((isolate, at) => [isolate, String(at + 1)]));
}

/** The only Observation among the sources. */
export function findSource(
  derivedFrom: readonly FhirReference[],
  from: ReceivedFhirResource,
  resources: BundleResources,
): ReceivedFhirResource | undefined {
  const sources = derivedFrom.flatMap((reference) => resources.resolve(reference, from) ?? []);
  const [only, ...others] = sources.filter(({ type }) => type === 'Observation');
  return others.length === 0 ? only : undefined;
}

/** `Calculated from Glucose`: a note on a number that is derived from other results. */
export function listDerivationNotes(
  derivedFrom: readonly FhirReference[],
  from: ReceivedFhirResource,
  resources: BundleResources,
): string[] {
  const names = derivedFrom.flatMap((reference) => {
    const found = resources.resolve(reference, from);
    if (found && found.type !== 'Observation') return [];
    const name = found && getConceptText(parsePart(FhirObservation, found.body, found.place).code);
    if (name != null) return [name];
    return reference.display ?? (reference.reference?.includes('Observation/') ? ['other results'] : []);
  });
  return names.length === 0 ? [] : [`Calculated from ${[...new Set(names)].join(', ')}`];
}
