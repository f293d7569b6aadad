import { isDeepStrictEqual } from 'node:util';
import { resolveOrderNumbers } from './parent-order.ts';
import type { FieldReader, Hl7Segment } from './syntax.ts';

export interface ObservationSegments {
  readonly segment: Hl7Segment;
  readonly notes: Hl7Segment[];
  /** Follows the SPM of earlier observations, so it describes the specimen itself. */
  readonly isOfSpecimen: boolean;
  /** It ends before its status, and the next line is malformed: a line break may have cut its value. */
  isCut: boolean;
}

/** The segments of one OBR: its order, observations, specimens and notes. */
export interface RequestSegments {
  readonly order: Hl7Segment | undefined;
  readonly request: Hl7Segment;
  readonly observations: ObservationSegments[];
  readonly specimens: Hl7Segment[];
  hasResultsBeforeSpecimen: boolean;
  readonly notes: Hl7Segment[];
  /** All segments in message order, from the ORC on. */
  readonly segments: readonly Hl7Segment[];
}

interface PatientSegments {
  readonly patient: Hl7Segment | undefined;
  readonly notes: Hl7Segment[];
  readonly parts: RequestSegments[];
  /** Segments common to all parts: each PID of the patient, with the segments that follow it. */
  readonly segments: Hl7Segment[];
}

interface GroupingState {
  readonly patients: PatientSegments[];
  part: RequestSegments | undefined;
  order: Hl7Segment | undefined;
  /** Where the following notes belong. */
  notes: Hl7Segment[];
  /** The group that the following segments belong to. */
  whole: Hl7Segment[];
  /** A malformed line that can have been the OBR of the following results. */
  unreadRequest: Hl7Segment | undefined;
}

/** Groups segments by patient and OBR in one pass; unknown segments stay with their neighbors. */
function groupByPatient(segments: readonly Hl7Segment[]): PatientSegments[] {
  const state: GroupingState = {
    patients: [],
    part: undefined,
    order: undefined,
    notes: [],
    whole: [],
    unreadRequest: undefined,
  };
  for (const [index, segment] of segments.entries()) {
    if (segment.problem !== undefined) addMalformed(state, segment, segments[index + 1]);
    else SEGMENT_HANDLERS[segment.name]?.(state, segment);
    state.whole.push(segment);
  }
  return state.patients;
}

function getPatient(state: GroupingState, patient?: Hl7Segment): PatientSegments {
  const last = state.patients.at(-1);
  if (last && !(patient && !isSamePatient(last.patient, patient))) return last;
  // Malformed lines before the first patient are shown in its reports.
  const notes = last ? [] : state.notes.filter(({ problem }) => problem !== undefined);
  return addPatient(state, { patient, notes });
}

function addPatient(
  state: GroupingState,
  group: Pick<PatientSegments, 'patient' | 'notes'>,
): PatientSegments {
  const added = { ...group, parts: [], segments: [] };
  state.patients.push(added);
  return added;
}

const SEGMENT_HANDLERS: Readonly<Record<string, (state: GroupingState, segment: Hl7Segment) => void>> = {
  PID: (state, segment) => {
    const { notes, segments: whole } = getPatient(state, segment);
    Object.assign(state, { notes, whole, part: undefined, unreadRequest: undefined });
  },
  ORC: (state, order) => Object.assign(state, { order, notes: [], whole: [], unreadRequest: undefined }),
  OBR: (state, segment) => {
    // Notes below the ORC belong to its OBR.
    if (state.order === undefined) startRequest(state);
    addRequest(state, segment);
  },
  SPM: (state, segment) => {
    const { part } = state;
    if (!part) return;
    part.hasResultsBeforeSpecimen ||= part.observations.length > 0;
    part.specimens.push(segment);
    // A note after an SPM is not about the previous result.
    state.notes = part.notes;
  },
  OBX: (state, segment) => {
    if (state.unreadRequest) addRequest(state, state.unreadRequest);
    const { part } = state;
    if (!part) return;
    // Some laboratories send the SPM before its results.
    const isOfSpecimen = part.specimens.length > 0 && part.hasResultsBeforeSpecimen;
    const next = { segment, notes: [], isOfSpecimen, isCut: false };
    part.observations.push(next);
    state.notes = next.notes;
  },
  NTE: ({ notes }, segment) => void notes.push(segment),
};

const startRequest = (state: GroupingState): void => void Object.assign(state, { notes: [], whole: [] });

function addRequest(state: GroupingState, request: Hl7Segment): void {
  const { order, notes, whole: segments } = state;
  const empty = { observations: [], specimens: [], hasResultsBeforeSpecimen: false };
  state.part = { order, request, ...empty, notes, segments };
  getPatient(state).parts.push(state.part);
  state.order = state.unreadRequest = undefined;
}

/** Fewer delimiters can be a text that a line break cut in two. */
const WHOLE_SEGMENT_FIELDS_MIN = 6;
const STARTS_REQUEST = new Set(['ORC', 'OBR', 'PV1', 'PD1', 'NK1']);

/** A malformed line is a note of what is before it, and what follows is given to no other test or patient. */
function addMalformed(state: GroupingState, segment: Hl7Segment, next: Hl7Segment | undefined): void {
  const { part, order } = state;
  const last = part?.observations.at(-1);
  if (last && state.whole.at(-1) === last.segment) last.isCut ||= isIncomplete(last.segment);
  const canBePatient =
    (segment.delimiterCount ?? 0) >= WHOLE_SEGMENT_FIELDS_MIN && STARTS_REQUEST.has(next?.name ?? '');
  if (canBePatient && part) {
    const { notes, segments: whole } = addPatient(state, { patient: undefined, notes: [] });
    Object.assign(state, { notes, whole, part: undefined, order: undefined, unreadRequest: undefined });
  } else if (order !== undefined || part === undefined) state.unreadRequest = segment;
  state.notes.push(segment);
}

const STATUS_FIELD = 11;

/** Whether an OBX ends before its status, which every complete one has. */
const isIncomplete = ({ fields }: Hl7Segment): boolean => !fields[STATUS_FIELD];

/** Some laboratories repeat the PID before each test, with the next set id. */
const isSamePatient = (one: Hl7Segment | undefined, other: Hl7Segment): boolean =>
  one !== undefined && isDeepStrictEqual(one.fields.slice(AFTER_SET_ID), other.fields.slice(AFTER_SET_ID));
const AFTER_SET_ID = 2;

export interface OrderSegments {
  readonly patient: PatientSegments;
  readonly parts: RequestSegments[];
}

/** Groups OBRs by our order id; a panel that the laboratory added belongs to the order of its parent. */
export function groupByOrder(segments: readonly Hl7Segment[], read: FieldReader): OrderSegments[] {
  return groupByPatient(segments).flatMap((patient) => {
    const byOrder = new Map<string, OrderSegments>();
    const numbers = resolveOrderNumbers(read, patient.parts);
    for (const [at, part] of patient.parts.entries()) {
      const key = numbers[at] ?? '';
      const group = byOrder.get(key) ?? { patient, parts: [] };
      group.parts.push(part);
      byOrder.set(key, group);
    }
    return [...byOrder.values()];
  });
}
