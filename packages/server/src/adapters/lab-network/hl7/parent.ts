import type { FieldReader, Hl7Segment } from './syntax.ts';
import type { RequestSegments } from './group-segments.ts';

/** The parent observation of an OBR, such as the isolate of susceptibility results. */
export interface ParentObservation {
  /** Its OBX-4, if it is known. */
  readonly subId: string | null;
  /** For display: `Organism 1: Escherichia coli`. */
  readonly note: string;
}

/**
 * Reads the parent of an OBR: OBR-26 has its code, its OBX-4 and its value; OBR-29 the number of its OBR (filler, else
 * placer). Without an OBX-4 it is the only such observation of that OBR, or known by its value alone.
 */
export function createParentReader(
  read: FieldReader,
  parts: readonly RequestSegments[],
): (request: Hl7Segment) => ParentObservation | undefined {
  let known: ParentIndex | undefined;
  return (request) => {
    const [code, subId, said] = [1, 2, 3].map((component) => read.get(request, 26, component));
    const isNamed = read.get(request, 29, 1) !== null || read.get(request, 29, 2) !== null;
    if (subId == null && said == null && !isNamed) return undefined;
    known ??= indexParents(read, parts);
    const described = { code: code ?? null, subId: subId ?? null };
    const order = findParentOrder(read, known, request);
    const parent = order
      ? findInOrder(read, order, described)
      : known.observations.get(toParentKey(described));
    const value = said ?? read.get(parent, 5, 2) ?? read.get(parent, 5);
    const number = subId ?? read.get(parent, 4);
    if (number === null && value === null) return undefined;
    const title = read.subparts(read.all(request, 26)[0] ?? '', 1)[1];
    const name = [read.get(parent, 3, 2) ?? title ?? code ?? 'Isolate', number]
      .filter((one) => one != null)
      .join(' ');
    return { subId: number, note: value === null ? name : `${name}: ${value}` };
  };
}

interface ParentDescription {
  readonly code: string | null;
  readonly subId: string | null;
}

/** Indexed once, because a message may have thousands of each. */
interface ParentIndex {
  readonly observations: ReadonlyMap<string, Hl7Segment>;
  /** By OBR-3 and by OBR-2; null for a number of several. */
  readonly byFiller: ReadonlyMap<string, RequestSegments | null>;
  readonly byPlacer: ReadonlyMap<string, RequestSegments | null>;
}

const toParentKey = ({ code, subId }: ParentDescription): string => `${code ?? ''}\n${subId ?? ''}`;

function indexParents(read: FieldReader, parts: readonly RequestSegments[]): ParentIndex {
  const observations = new Map<string, Hl7Segment>();
  const byFiller = new Map<string, RequestSegments | null>();
  const byPlacer = new Map<string, RequestSegments | null>();
  for (const part of parts) {
    for (const [index, field] of [
      [byFiller, 3],
      [byPlacer, 2],
    ] as const) {
      const number = read.get(part.request, field);
      if (number !== null) index.set(number, index.has(number) ? null : part);
    }
    for (const { segment } of part.observations) {
      const subId = read.get(segment, 4);
      if (subId !== null) observations.set(toParentKey({ code: read.get(segment, 3), subId }), segment);
    }
  }
  return { observations, byFiller, byPlacer };
}

/** The OBR that OBR-29 names. */
function findParentOrder(
  read: FieldReader,
  { byFiller, byPlacer }: ParentIndex,
  child: Hl7Segment,
): RequestSegments | undefined {
  const order =
    byFiller.get(read.get(child, 29, 2) ?? '') ?? byPlacer.get(read.get(child, 29, 1) ?? '') ?? undefined;
  return order?.request === child ? undefined : order;
}

const OBSERVATIONS_MAX = 500;

/** The observation of the parent OBR: the one that is described, if it is the only one. */
function findInOrder(
  read: FieldReader,
  { observations }: RequestSegments,
  { code, subId }: ParentDescription,
): Hl7Segment | undefined {
  const [only, ...others] = observations
    .slice(0, OBSERVATIONS_MAX)
    .map(({ segment }) => segment)
    .filter(
      (segment) =>
        (subId === null || read.get(segment, 4) === subId) &&
        (code === null ? read.get(segment, 5) !== null : read.get(segment, 3) === code),
    );
  return others.length === 0 ? only : undefined;
}
