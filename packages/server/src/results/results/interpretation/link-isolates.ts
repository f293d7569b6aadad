import type { MicrobiologyFinding, ReceivedObservation } from '../../../adapters/lab-network/port.ts';
import { findSusceptibility } from './flags.ts';

/** Organism identified: in a culture, in an isolate, in blood, in urine, in stool, in wound, in throat. */
const ORGANISM_LOINCS = new Set([
  '600-7',
  '11475-1',
  '634-6',
  '6463-4',
  '6462-6',
  '630-4',
  '625-4',
  '626-2',
  '43409-2',
  '580-1',
  '17898-8',
]);
const ORGANISM_NAME = /\b(?:organism|isolate|culture|bacteria identified)\b/i;

const isOrganism = ({
  loinc,
  code,
  name,
  snomed,
  value,
  form,
  flags,
  status,
}: ReceivedObservation): boolean =>
  status !== 'cancelled' &&
  (value?.trim() ?? '') !== '' &&
  findSusceptibility(flags) === null &&
  (ORGANISM_LOINCS.has(loinc ?? '') ||
    ORGANISM_LOINCS.has(code ?? '') ||
    (ORGANISM_NAME.test(name) && (snomed !== undefined || form === 'coded')));

/**
 * The isolates among the observations, and the susceptibilities with the isolate that each is of: by the number of the
 * isolate (OBX-4 `1`, and `1` or `1.1` of the drug), in whatever order the groups come. Without numbers it is the only
 * isolate, else the one above. Where that is ambiguous, the organism is null.
 */
export function linkIsolates(
  observations: readonly ReceivedObservation[],
): ReadonlyMap<ReceivedObservation, MicrobiologyFinding> {
  const findings = new Map<ReceivedObservation, MicrobiologyFinding>();
  const organisms = observations.filter(isOrganism);
  let above: ReceivedObservation | undefined;
  for (const one of observations) {
    const susceptibility = findSusceptibility(one.flags);
    if (isOrganism(one)) {
      above = one;
      findings.set(one, toFinding(one, one, null));
    } else if (susceptibility !== null) {
      findings.set(one, toFinding(one, findIsolate(one, organisms, above), susceptibility));
    }
  }
  return findings;
}

const toFinding = (
  one: ReceivedObservation,
  isolate: ReceivedObservation | undefined,
  susceptibility: string | null,
): MicrobiologyFinding => ({
  isolate: isolate?.subId ?? one.subId?.split('.')[0] ?? null,
  organism: isolate?.value?.trim() ?? null,
  snomed: isolate?.snomed ?? null,
  susceptibility,
  method: susceptibility === null ? null : (one.method ?? null),
});

function findIsolate(
  drug: ReceivedObservation,
  organisms: readonly ReceivedObservation[],
  above: ReceivedObservation | undefined,
): ReceivedObservation | undefined {
  const { subId } = drug;
  const isStated = (one: ReceivedObservation) =>
    drug.notes.some((note) => note.endsWith(`: ${one.value?.trim()}`));
  const numbered =
    subId === undefined
      ? []
      : organisms.filter(
          (one) => one.subId !== undefined && (subId === one.subId || subId.startsWith(`${one.subId}.`)),
        );
  const meant = narrow(numbered, [
    isStated,
    (one) => one.test === drug.test || (one.test.code !== null && one.test.code === drug.test.code),
    (one) => one.origin?.filler !== undefined && one.origin.filler === drug.origin?.filler,
  ]);
  if (numbered.length > 0) return meant.length === 1 ? meant[0] : undefined;
  if (organisms.length === 1) return organisms[0];
  const stated = organisms.filter(isStated);
  if (stated.length > 0) return stated.length === 1 ? stated[0] : undefined;
  // Numbers that no isolate has are of something else, such as the lines of the drugs.
  return organisms.every((one) => one.subId === undefined) || subId === undefined ? above : undefined;
}

/** Applies each test that leaves at least one. */
function narrow(
  all: readonly ReceivedObservation[],
  tests: readonly ((one: ReceivedObservation) => boolean)[],
): readonly ReceivedObservation[] {
  let left = all;
  for (const test of tests) {
    const passing = left.filter(test);
    if (passing.length > 0) left = passing;
  }
  return left;
}
