import type { FieldReader, Segment } from './syntax.ts';
import type { Part } from './walk.ts';

/** The observation to which all of an OBR belong, as the drugs of an isolate do. */
export interface Parent {
  /** Its OBX-4: which of several it is. */
  readonly subId: string;
  /** What it is, for people: `Organism 1: Escherichia coli`. */
  readonly note: string;
}

/**
 * Reads what an OBR says of its parent (OBR-26): the code of that observation, its OBX-4, and its value where that does
 * not stand in the message. Without an OBX-4 no one of several is meant.
 */
export function parentReader(
  read: FieldReader,
  parts: readonly Part[],
): (request: Segment) => Parent | undefined {
  let known: ReadonlyMap<string, Segment> | undefined;
  return (request) => {
    const subId = read.get(request, 26, 2);
    if (subId === null) return undefined;
    const code = read.get(request, 26);
    known ??= bySubId(read, parts);
    const parent = known.get(keyOf(code, subId));
    const name = read.get(parent, 3, 2) ?? code ?? 'Isolate';
    const value = read.get(request, 26, 3) ?? read.get(parent, 5, 2) ?? read.get(parent, 5);
    return { subId, note: value === null ? `${name} ${subId}` : `${name} ${subId}: ${value}` };
  };
}

const keyOf = (code: string | null, subId: string): string => `${code ?? ''}\n${subId}`;

function bySubId(read: FieldReader, parts: readonly Part[]): ReadonlyMap<string, Segment> {
  const found = new Map<string, Segment>();
  for (const { observations } of parts) {
    for (const { segment } of observations) {
      const subId = read.get(segment, 4);
      if (subId !== null) found.set(keyOf(read.get(segment, 3), subId), segment);
    }
  }
  return found;
}
