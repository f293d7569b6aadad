import type { ReceivedObservation } from '../received.ts';
import { hasCheckDigit } from '../loinc-code.ts';
import { printValue, printRanges, getConceptText, type PrintedValue } from './print-value.ts';
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
  const printed = printValue(part);
  const reason = printed || !part.dataAbsentReason ? null : readAbsentReason(part.dataAbsentReason);
  const isAbsent = printed === null && part.dataAbsentReason !== undefined;
  return {
    test: under.test,
    ...readOrigin(of.specimen ?? under.specimen, found, under.resources),
    code,
    name: name ?? '',
    loinc,
    ...readCodedDetails(part, of),
    ...(printed ?? NO_VALUE),
    referenceRange: printRanges(part.referenceRange, printed?.unit ?? null),
    flags: part.interpretation.flatMap(readFlags),
    status: under.isReportCancelled || isAbsent ? 'cancelled' : STATUS[of.status],
    notes: [...(reason === null ? [] : [reason]), ...of.note.map(({ text }) => text)],
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

/** Absent reasons that add nothing to the missing value. */
const UNINFORMATIVE_REASONS = new Set(['unknown', 'not-performed', 'error', 'temp-unknown']);

function readAbsentReason(concept: CodeableConcept): string | null {
  const words = getConceptText(concept);
  return words === null || UNINFORMATIVE_REASONS.has(words) ? null : words;
}

const STATUS: Readonly<Record<FhirObservation['status'], ReceivedObservation['status']>> = {
  registered: 'preliminary',
  preliminary: 'preliminary',
  unknown: 'preliminary',
  final: 'final',
  amended: 'corrected',
  corrected: 'corrected',
  cancelled: 'cancelled',
  'entered-in-error': 'cancelled',
};

/** The codes of HL7 table 0078, in any code system. */
const readFlags = ({ coding, text }: CodeableConcept): string[] => {
  const codes = coding.flatMap(({ code }) => code ?? []);
  return codes.length > 0 ? codes.slice(0, 1) : text === undefined ? [] : [text];
};

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
