import type { FieldReader, Hl7Segment } from './syntax.ts';

/** A request with its ORC. */
interface NumberedRequest {
  readonly order: Hl7Segment | undefined;
  readonly request: Hl7Segment;
}

/** The number of an order in the message: ours, or the laboratory's for one that it placed itself. */
const readOrderNumber = (read: FieldReader, { order, request }: NumberedRequest): string | null =>
  read.get(order, 4) ?? read.get(request, 2) ?? read.get(order, 2);

/** The numbers of the parent of a request: OBR-29, else ORC-8. */
interface ParentNumbers {
  readonly placer: string | null;
  readonly filler: string | null;
}

export function readParentNumbers(
  read: FieldReader,
  { order, request }: NumberedRequest,
): ParentNumbers | undefined {
  const placer = read.get(request, 29, 1) ?? read.get(order, 8, 1);
  const filler = read.get(request, 29, 2) ?? read.get(order, 8, 2);
  return placer === null && filler === null ? undefined : { placer, filler };
}

/**
 * The order number of each request of a patient. A panel that the laboratory added (reflex) belongs to the order of its
 * parent, wherever that is in the message; without its parent here, to the order that it names as its parent. A request
 * without a number belongs to the order of the previous one.
 */
export function resolveOrderNumbers(read: FieldReader, parts: readonly NumberedRequest[]): string[] {
  const parents = parts.map((part) => readParentNumbers(read, part));
  const own = parts.map((part) => readOrderNumber(read, part));
  const isAnyAdded = parents.some((parent) => parent !== undefined);
  const roots = isAnyAdded ? findRoots(read, parts, parents) : undefined;
  const counts = new Map<string | null, number>();
  for (const number of own) counts.set(number, (counts.get(number) ?? 0) + 1);
  const numberOf = (at: number): string | null => {
    const number = own[at] ?? null;
    const placer = parents[at]?.placer ?? null;
    const isAlone = number === null || counts.get(number) === 1;
    return placer !== null && roots?.[at] === at && isAlone && !counts.has(placer) ? placer : number;
  };
  const resolved: string[] = [];
  let last = '';
  for (const at of parts.keys()) {
    const root = roots?.[at] ?? at;
    last = (root < at ? resolved[root] : numberOf(root)) ?? last;
    resolved.push(last);
  }
  return resolved;
}

/** For each request the position of the one that it goes back to: itself, if its parent is not in the message. */
function findRoots(
  read: FieldReader,
  parts: readonly NumberedRequest[],
  parents: readonly (ParentNumbers | undefined)[],
): number[] {
  const byFiller = new Map<string, number>();
  const byPlacer = new Map<string, number>();
  for (const [at, { order, request }] of parts.entries()) {
    const filler = read.get(request, 3) ?? read.get(order, 3);
    const placer = read.get(request, 2) ?? read.get(order, 2);
    if (filler !== null && !byFiller.has(filler)) byFiller.set(filler, at);
    if (placer !== null && !byPlacer.has(placer)) byPlacer.set(placer, at);
  }
  const next = parents.map((parent) =>
    parent ? (byFiller.get(parent.filler ?? '') ?? byPlacer.get(parent.placer ?? '')) : undefined,
  );
  // Each request is visited once, because a message may have many thousands; a circle has its last one as root.
  const roots = new Map<number, number>();
  for (const start of parts.keys()) {
    const path = new Set<number>();
    let at = start;
    while (!roots.has(at) && !path.has(at)) {
      path.add(at);
      at = next[at] ?? at;
    }
    const root = roots.get(at) ?? at;
    for (const each of path) roots.set(each, root);
  }
  return parts.map((_part, at) => roots.get(at) ?? at);
}
