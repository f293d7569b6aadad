import type { FieldReader, Segment } from './syntax.ts';

/** What belongs to one OBR: what was ordered, its observations and specimens, and every note. */
export interface Part {
  readonly order: Segment | undefined;
  readonly request: Segment;
  readonly observations: { readonly segment: Segment; readonly notes: Segment[] }[];
  readonly specimens: Segment[];
  readonly notes: Segment[];
}

export interface PatientPart {
  readonly patient: Segment | undefined;
  readonly notes: Segment[];
  readonly parts: Part[];
}

/** Walks the segments in their order; what is unknown is passed over. */
function patientsOf(segments: readonly Segment[]): PatientPart[] {
  const patients: PatientPart[] = [];
  let order: Segment | undefined;
  let notes: Segment[] = [];
  const current = (patient?: Segment): PatientPart => {
    let last = patients.at(-1);
    if (!last || patient) patients.push((last = { patient, notes: [], parts: [] }));
    return last;
  };
  for (const segment of segments) {
    const part = patients.at(-1)?.parts.at(-1);
    if (segment.name === 'PID') ({ notes } = current(segment));
    else if (segment.name === 'ORC') order = segment;
    else if (segment.name === 'OBR') {
      const next: Part = { order, request: segment, observations: [], specimens: [], notes: [] };
      current().parts.push(next);
      ({ notes } = next);
      order = undefined;
    } else if (segment.name === 'SPM') part?.specimens.push(segment);
    else if (segment.name === 'OBX' && part) {
      const next = { segment, notes: [] };
      part.observations.push(next);
      ({ notes } = next);
    } else if (segment.name === 'NTE') notes.push(segment);
  }
  return patients;
}

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
