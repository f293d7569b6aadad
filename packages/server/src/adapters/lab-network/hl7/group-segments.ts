import { isDeepStrictEqual } from 'node:util';
import type { FieldReader, Hl7Segment } from './syntax.ts';

export interface ObservationSegments {
  readonly segment: Hl7Segment;
  readonly notes: Hl7Segment[];
  /** Follows the SPM of earlier observations, so it describes the specimen itself. */
  readonly isOfSpecimen: boolean;
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

/** Groups segments by patient and OBR in one pass; unknown segments stay with their neighbors. */
function groupByPatient(segments: readonly Hl7Segment[]): PatientSegments[] {
  const patients: PatientSegments[] = [];
  const current = (patient?: Hl7Segment): PatientSegments => {
    let last = patients.at(-1);
    if (!last || (patient && !isSamePatient(last.patient, patient)))
      patients.push((last = { patient, notes: [], parts: [], segments: [] }));
    return last;
  };
  let part: RequestSegments | undefined;
  let order: Hl7Segment | undefined;
  let notes: Hl7Segment[] = [];
  // The group that the following segments belong to.
  let whole: Hl7Segment[] = [];
  for (const segment of segments) {
    if (segment.name === 'PID') {
      ({ notes, segments: whole } = current(segment));
      part = undefined;
    } else if (segment.name === 'ORC') {
      order = segment;
      [notes, whole] = [[], []];
    } else if (segment.name === 'OBR') {
      // Notes below the ORC belong to its OBR.
      if (order === undefined) [notes, whole] = [[], []];
      part = {
        order,
        request: segment,
        observations: [],
        specimens: [],
        hasResultsBeforeSpecimen: false,
        notes,
        segments: whole,
      };
      current().parts.push(part);
      order = undefined;
    } else if (segment.name === 'SPM' && part) {
      part.hasResultsBeforeSpecimen ||= part.observations.length > 0;
      part.specimens.push(segment);
      // A note after an SPM is not about the previous result.
      ({ notes } = part);
    } else if (segment.name === 'OBX' && part) {
      // Some laboratories send the SPM before its results.
      const isOfSpecimen = part.specimens.length > 0 && part.hasResultsBeforeSpecimen;
      const next = { segment, notes: [], isOfSpecimen };
      part.observations.push(next);
      ({ notes } = next);
    } else if (segment.name === 'NTE') notes.push(segment);
    whole.push(segment);
  }
  return patients;
}

/** Some laboratories repeat the PID before each test, with the next set id. */
const isSamePatient = (one: Hl7Segment | undefined, other: Hl7Segment): boolean =>
  one !== undefined && isDeepStrictEqual(one.fields.slice(AFTER_SET_ID), other.fields.slice(AFTER_SET_ID));
const AFTER_SET_ID = 2;

export interface OrderSegments {
  readonly patient: PatientSegments;
  readonly parts: RequestSegments[];
}

/** Groups OBRs by our order id; an OBR without one belongs to the previous group. */
export function groupByOrder(segments: readonly Hl7Segment[], read: FieldReader): OrderSegments[] {
  return groupByPatient(segments).flatMap((patient) => {
    const byOrder = new Map<string, OrderSegments>();
    let key = '';
    for (const part of patient.parts) {
      key = readOrderNumber(part, read) ?? key;
      const group = byOrder.get(key) ?? { patient, parts: [] };
      group.parts.push(part);
      byOrder.set(key, group);
    }
    return [...byOrder.values()];
  });
}

const readOrderNumber = ({ order, request }: RequestSegments, read: FieldReader) =>
  read.get(order, 4) ?? read.get(request, 2) ?? read.get(order, 2);
