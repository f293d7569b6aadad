import type { ReceivedObservation } from '../received.ts';
import { printedOf, rangeOf, wordsOf, type Printed } from './printed.ts';
import type { Found, Resources } from './references.ts';
import { originOf } from './specimens.ts';
import {
  fault,
  Observation,
  Organization,
  parsed,
  type Concept,
  type Reference,
  type Valued,
} from './wire.ts';

type Test = ReceivedObservation['test'];

interface Under {
  readonly resources: Resources;
  /** What was ordered: the report's code, or that of the panel that a member belongs to. */
  readonly test: Test;
  readonly isReportCancelled: boolean;
  /** The only one of the report. */
  readonly specimen: Reference | undefined;
  /** On the way to here, so that a circle ends. */
  readonly path: ReadonlySet<Found>;
}

const LOINC = 'http://loinc.org';
const DEPTH_MAX = 8;

/** The observation that a reference names, with its members and components, each as one. */
export function observationsAt(
  reference: Reference,
  from: Found,
  under: Under & { readonly place: readonly (string | number)[] },
): ReceivedObservation[] {
  const found = under.resources.resolve(reference, from);
  if (!found || found.type !== 'Observation') {
    throw fault(under.place, `no Observation ${reference.reference ?? ''} in the bundle`);
  }
  if (under.path.has(found) || under.path.size >= DEPTH_MAX) {
    throw fault(under.place, 'panels are nested in a circle, or too deeply');
  }
  const observation = parsed(Observation, found.body, found.place);
  const own = codesOf(observation.code);
  const members = observation.hasMember.flatMap((member, at) =>
    observationsAt(member, found, {
      ...under,
      test: own,
      path: new Set([...under.path, found]),
      place: [...found.place, 'hasMember', at],
    }),
  );
  const parts = observation.component.map((component) =>
    received(component, { of: observation, found, under: { ...under, test: own } }),
  );
  const isOnlyPanel = members.length + parts.length > 0 && printedOf(observation) === null;
  return [
    ...(isOnlyPanel ? [] : [received(observation, { of: observation, found, under })]),
    ...parts,
    ...members,
  ];
}

/** What of a concept is of LOINC, what is the laboratory's own, and what it is called. */
export function codesOf(concept: Concept): Test {
  const local = concept.coding.find(({ system, code }) => system !== LOINC && code !== undefined);
  const loinc = concept.coding.find(({ system, code }) => system === LOINC && code !== undefined);
  return { code: local?.code ?? null, name: wordsOf(concept), loinc: loinc?.code ?? null };
}

interface Part extends Valued {
  readonly code: Concept;
  readonly interpretation: readonly Concept[];
  readonly referenceRange: Parameters<typeof rangeOf>[0];
}

interface Of {
  readonly of: Observation;
  readonly found: Found;
  readonly under: Under;
}

const NOTHING: Printed = { form: 'text', value: null, unit: null };

function received(part: Part, { of, found, under }: Of): ReceivedObservation {
  const { code, name, loinc } = codesOf(part.code);
  const printed = printedOf(part);
  const reason = printed || !part.dataAbsentReason ? null : reasonOf(part.dataAbsentReason);
  const isAbsent = printed === null && part.dataAbsentReason !== undefined;
  return {
    test: under.test,
    ...originOf(of.specimen ?? under.specimen, found, under.resources),
    code,
    name: name ?? '',
    loinc,
    ...(printed ?? NOTHING),
    referenceRange: rangeOf(part.referenceRange, printed?.unit ?? null),
    flags: part.interpretation.flatMap(flagsOf),
    status: under.isReportCancelled || isAbsent ? 'cancelled' : STATUS[of.status],
    notes: [...(reason === null ? [] : [reason]), ...of.note.map(({ text }) => text)],
    performingLaboratory: laboratoryName(of.performer, found, under.resources),
    observedAt:
      of.effectiveDateTime ??
      of.effectiveInstant ??
      of.effectivePeriod?.end ??
      of.effectivePeriod?.start ??
      null,
  };
}

/** Codes that say no more than that there is no value. */
const BARE_REASONS = new Set(['unknown', 'not-performed', 'error', 'temp-unknown']);

function reasonOf(concept: Concept): string | null {
  const words = wordsOf(concept);
  return words === null || BARE_REASONS.has(words) ? null : words;
}

const STATUS: Readonly<Record<Observation['status'], ReceivedObservation['status']>> = {
  registered: 'preliminary',
  preliminary: 'preliminary',
  unknown: 'preliminary',
  final: 'final',
  amended: 'corrected',
  corrected: 'corrected',
  cancelled: 'cancelled',
  'entered-in-error': 'cancelled',
};

/** The codes are those of HL7 table 0078, be it in its own code system or the later one. */
const flagsOf = ({ coding, text }: Concept): string[] => {
  const codes = coding.flatMap(({ code }) => code ?? []);
  return codes.length > 0 ? codes.slice(0, 1) : text === undefined ? [] : [text];
};

/** The name of the organization among those who performed it. */
export function laboratoryName(
  performers: readonly Reference[],
  from: Found,
  resources: Resources,
): string | null {
  for (const performer of performers) {
    const found = resources.resolve(performer, from);
    if (found?.type === 'Organization') {
      const { name } = parsed(Organization, found.body, found.place);
      if (name !== undefined) return name;
    }
    if (!found && performer.display !== undefined) return performer.display;
  }
  return null;
}
