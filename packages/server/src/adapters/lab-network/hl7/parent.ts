import type { FieldReader, Hl7Segment } from './syntax.ts';
import type { RequestSegments } from './group-segments.ts';

/** The parent observation of an OBR, such as the isolate of susceptibility results. */
export interface ParentObservation {
  /** Its OBX-4. */
  readonly subId: string;
  /** For display: `Organism 1: Escherichia coli`. */
  readonly note: string;
}

/**
 * Reads the parent of an OBR (OBR-26): its code, its OBX-4, and its value if the message lacks that observation.
 * Without an OBX-4 there is no parent.
 */
export function createParentReader(
  read: FieldReader,
  parts: readonly RequestSegments[],
): (request: Hl7Segment) => ParentObservation | undefined {
  let known: ReadonlyMap<string, Hl7Segment> | undefined;
  return (request) => {
    const subId = read.get(request, 26, 2);
    if (subId === null) return undefined;
    const code = read.get(request, 26);
    known ??= indexBySubId(read, parts);
    const parent = known.get(toParentKey(code, subId));
    const name = read.get(parent, 3, 2) ?? code ?? 'Isolate';
    const value = read.get(request, 26, 3) ?? read.get(parent, 5, 2) ?? read.get(parent, 5);
    return { subId, note: value === null ? `${name} ${subId}` : `${name} ${subId}: ${value}` };
  };
}

const toParentKey = (code: string | null, subId: string): string => `${code ?? ''}\n${subId}`;

function indexBySubId(read: FieldReader, parts: readonly RequestSegments[]): ReadonlyMap<string, Hl7Segment> {
  const found = new Map<string, Hl7Segment>();
  for (const { observations } of parts) {
    for (const { segment } of observations) {
      const subId = read.get(segment, 4);
      if (subId !== null) found.set(toParentKey(read.get(segment, 3), subId), segment);
    }
  }
  return found;
}
