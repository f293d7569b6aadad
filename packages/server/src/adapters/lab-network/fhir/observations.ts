import type { ReceivedObservation } from '../received.ts';
import { hasCheckDigit } from '../loinc-code.ts';
import { findSource, isSusceptibility, listDerivationNotes, type IsolateNumbers } from './derived.ts';
import { readFlags } from './interpretation-flags.ts';
import { readState } from './observation-state.ts';
import {
  getConceptText,
  listOtherLimits,
  printRanges,
  printValue,
  type PrintedValue,
} from './print-value.ts';
import type { ReceivedFhirResource, BundleResources } from './references.ts';
import { readOrigin } from './specimens.ts';
import {
  createFhirError,
  FhirObservation,
  Organization,
  parsePart,
  type CodeableConcept,
  type FhirReference,
  type FhirValue,
} from './wire.ts';

type FhirTest = ReceivedObservation['test'];

interface FhirObservationContext {
  readonly resources: BundleResources;
  /** The ordered test: the code of the report, or of the panel of a member. */
  readonly test: FhirTest;
  readonly isReportCancelled: boolean;
  /** The report's specimen, if it has exactly one. */
  readonly specimen: FhirReference | undefined;
  readonly isolates: IsolateNumbers;
  /** Observations that were read: a report may list a member of a panel as well. */
  readonly visited: Set<ReceivedFhirResource>;
  /** The ancestors, to detect cycles. */
  readonly path: ReadonlySet<ReceivedFhirResource>;
}

const LOINC = 'http://loinc.org';
const DEPTH_MAX = 8;

/** Reads the referenced observation with its members and components as separate observations. */
export function readObservationTree(
  reference: FhirReference,
  from: ReceivedFhirResource,
  under: FhirObservationContext & { readonly place: readonly (string | number)[] },
): ReceivedObservation[] {
  const found = under.resources.resolve(reference, from);
  if (!found || found.type !== 'Observation') {
    throw createFhirError(under.place, `no Observation ${reference.reference ?? ''} in the bundle`);
  }
  if (under.path.has(found) || under.path.size >= DEPTH_MAX) {
    throw createFhirError(under.place, 'panels are nested in a cycle or too deeply');
  }
  if (under.visited.has(found)) return [];
  under.visited.add(found);
  const observation = parsePart(FhirObservation, found.body, found.place);
  const own = readCodes(observation.code);
  const members = observation.hasMember.flatMap((member, at) =>
    readObservationTree(member, found, {
      ...under,
      test: own,
      path: new Set([...under.path, found]),
      place: [...found.place, 'hasMember', at],
    }),
  );
  const parts = observation.component.map((component) =>
    toReceivedObservation(component, { of: observation, found, under: { ...under, test: own } }),
  );
  const isOnlyPanel = members.length + parts.length > 0 && printValue(observation) === null;
  return [
    ...(isOnlyPanel ? [] : [toReceivedObservation(observation, { of: observation, found, under })]),
    ...parts,
    ...members,
  ];
}

/** The LOINC code, the laboratory's own code and the name of a concept. */
export function readCodes(concept: CodeableConcept): FhirTest {
  const coded = concept.coding.filter(({ code }) => code !== undefined);
  const loinc = coded.find(({ system, code = '' }) => system === LOINC && hasCheckDigit(code));
  const others = coded.filter((one) => one !== loinc);
  const local = others.find(({ system }) => system !== LOINC) ?? (loinc ? undefined : others[0]);
  return { code: local?.code ?? null, name: getConceptText(concept), loinc: loinc?.code ?? null };
}

interface FhirObservationPart extends FhirValue {
  readonly code: CodeableConcept;
  readonly interpretation: readonly CodeableConcept[];
  readonly referenceRange: Parameters<typeof printRanges>[0];
}

interface ObservationSource {
  readonly of: FhirObservation;
  readonly found: ReceivedFhirResource;
  readonly under: FhirObservationContext;
}

const NO_VALUE: PrintedValue = { form: 'text', value: null, unit: null };

function toReceivedObservation(
  part: FhirObservationPart,
  { of, found, under }: ObservationSource,
): ReceivedObservation {
  const { code, name, loinc } = readCodes(part.code);
  const { printed, notes, ...state } = readState(printValue(part), {
    status: of.status,
    dataAbsentReason: part.dataAbsentReason,
    isReportCancelled: under.isReportCancelled,
  });
  const flags = part.interpretation.flatMap(readFlags);
  const unit = printed?.unit ?? null;
  return {
    test: under.test,
    ...readOrigin(of.specimen ?? under.specimen, found, under.resources),
    code,
    name: name ?? '',
    loinc,
    ...readIsolateNumber(flags, { of, found, under }),
    ...readCodedDetails(part, of),
    ...(printed ?? NO_VALUE),
    referenceRange: printRanges(part.referenceRange, unit),
    flags,
    ...state,
    notes: [
      ...notes,
      ...of.note.map(({ text }) => text),
      ...listOtherLimits(part.referenceRange, unit),
      ...(part === of && printed?.form === 'number' && !isSusceptibility(flags)
        ? listDerivationNotes(of.derivedFrom, found, under.resources)
        : []),
    ],
    performingLaboratory: findLaboratoryName(of.performer, found, under.resources),
    observedAt:
      of.effectiveDateTime ??
      of.effectiveInstant ??
      of.effectivePeriod?.end ??
      of.effectivePeriod?.start ??
      null,
  };
}

const SNOMED = 'http://snomed.info/sct';

/** The SNOMED CT code of a coded value, and the method. */
function readCodedDetails(
  { valueCodeableConcept }: FhirValue,
  { method }: FhirObservation,
): Pick<ReceivedObservation, 'snomed' | 'method'> {
  const snomed = valueCodeableConcept?.coding.find(({ system }) => system === SNOMED)?.code;
  const text = method && getConceptText(method);
  return { ...(snomed === undefined ? {} : { snomed }), ...(text == null ? {} : { method: text }) };
}

/** The number of the isolate that it is, or that it is a susceptibility of. */
function readIsolateNumber(
  flags: readonly string[],
  { of, found, under: { isolates, resources } }: ObservationSource,
): Pick<ReceivedObservation, 'subId'> {
  const own = isolates.get(found);
  const source = own === undefined && isSusceptibility(flags) && findSource(of.derivedFrom, found, resources);
  const subId = own ?? (source ? isolates.get(source) : undefined);
  return subId === undefined ? {} : { subId };
}

/** The name of the performing organization. */
export function findLaboratoryName(
  performers: readonly FhirReference[],
  from: ReceivedFhirResource,
  resources: BundleResources,
): string | null {
  for (const performer of performers) {
    const found = resources.resolve(performer, from);
    if (found?.type === 'Organization') {
      const { name } = parsePart(Organization, found.body, found.place);
      if (name !== undefined) return name;
    }
    if (!found && performer.display !== undefined) return performer.display;
  }
  return null;
}
