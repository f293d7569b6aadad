import { isDeepStrictEqual } from 'node:util';
import type { FieldReader, Segment } from './syntax.ts';

export interface Observed {
  readonly segment: Segment;
  readonly notes: Segment[];
  /** Behind the specimen that the observations before it were made of: about the specimen itself. */
  readonly isOfSpecimen: boolean;
}

/** What belongs to one OBR: what was ordered, its observations and specimens, and every note. */
export interface Part {
  readonly order: Segment | undefined;
  readonly request: Segment;
  readonly observations: Observed[];
  readonly specimens: Segment[];
  hasResultsBeforeSpecimen: boolean;
  readonly notes: Segment[];
  /** All of it as it stands in the message, from its ORC on. */
  readonly segments: readonly Segment[];
}

export interface PatientPart {
  readonly patient: Segment | undefined;
  readonly notes: Segment[];
  readonly parts: Part[];
  /** What stands in the message for all parts: each PID of the patient, with what follows it. */
  readonly segments: Segment[];
}

/** Walks the segments in their order; what is unknown is passed over. */
function patientsOf(segments: readonly Segment[]): PatientPart[] {
  const patients: PatientPart[] = [];
  const current = (patient?: Segment): PatientPart => {
    let last = patients.at(-1);
    if (!last || (patient && !isSamePatient(last.patient, patient)))
      patients.push((last = { patient, notes: [], parts: [], segments: [] }));
    return last;
  };
  let part: Part | undefined;
  let order: Segment | undefined;
  let notes: Segment[] = [];
  // Whose the segments are that follow.
  let whole: Segment[] = [];
  for (const segment of segments) {
    if (segment.name === 'PID') {
      ({ notes, segments: whole } = current(segment));
      part = undefined;
    } else if (segment.name === 'ORC') {
      order = segment;
      [notes, whole] = [[], []];
    } else if (segment.name === 'OBR') {
      // What was noted below its ORC is about it, too.
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
      // Not about the result that happens to stand before it.
      ({ notes } = part);
    } else if (segment.name === 'OBX' && part) {
      // Some laboratories name the specimen before its results.
      const isOfSpecimen = part.specimens.length > 0 && part.hasResultsBeforeSpecimen;
      const next = { segment, notes: [], isOfSpecimen };
      part.observations.push(next);
      ({ notes } = next);
    } else if (segment.name === 'NTE') notes.push(segment);
    whole.push(segment);
  }
  return patients;
}

/** Some laboratories name the patient again before each test, under the next set id. */
const isSamePatient = (one: Segment | undefined, other: Segment): boolean =>
  one !== undefined && isDeepStrictEqual(one.fields.slice(AFTER_SET_ID), other.fields.slice(AFTER_SET_ID));
const AFTER_SET_ID = 2;

export interface Group {
  readonly patient: PatientPart;
  readonly parts: Part[];
}

/** Parts that name the same order of ours belong together; one that names none belongs to the one before it. */
export function groupsOf(segments: readonly Segment[], read: FieldReader): Group[] {
  return patientsOf(segments).flatMap((patient) => {
    const byOrder = new Map<string, Group>();
    let key = '';
    for (const part of patient.parts) {
      key = groupNumber(part, read) ?? key;
      const group = byOrder.get(key) ?? { patient, parts: [] };
      group.parts.push(part);
      byOrder.set(key, group);
    }
    return [...byOrder.values()];
  });
}

const groupNumber = ({ order, request }: Part, read: FieldReader) =>
  read.get(order, 4) ?? read.get(request, 2) ?? read.get(order, 2);
