import { decisionOn, type Decision, type Mismatch } from './decisions.ts';
import { keyOf, operationsOf, type Declared } from './declared.ts';
import type { Finding } from './finding.ts';
import type { OpenApi } from './openapi.ts';
import { operationFindings, pairOf, type Pair } from './operation.ts';

export interface Comparison {
  readonly total: number;
  readonly served: number;
  readonly notServed: readonly string[];
  readonly mismatches: readonly Mismatch[];
  /** Where we differ on purpose. */
  readonly decided: readonly (Mismatch & { readonly decision: Decision })[];
  /** Breaks nobody: optional properties that we never answer, plain strings where the contract names a format. */
  readonly notes: readonly Mismatch[];
}

/** Compares what is served with every operation of the contract; what is served besides is nobody's business. */
export function compareContract(served: OpenApi, contract: readonly OpenApi[]): Comparison {
  const ours = new Map(operationsOf(served).map((operation) => [keyOf(operation), operation]));
  const notServed: string[] = [];
  const found: Found[] = [];
  let total = 0;
  for (const document of contract) {
    const pair = pairOf(served, document);
    for (const theirs of operationsOf(document)) {
      total += 1;
      const our = ours.get(keyOf(theirs));
      if (!our) notServed.push(theirs.name);
      else found.push(...mismatchesOf(pair, our, theirs));
    }
  }
  return comparisonOf({ total, notServed, found });
}

/** A mismatch, before anybody asked whether it is wanted; a note breaks nobody. */
export type Found = Mismatch & { readonly note: boolean };

export const comparisonOf = (all: {
  total: number;
  notServed: readonly string[];
  found: readonly Found[];
}): Comparison => ({
  total: all.total,
  served: all.total - all.notServed.length,
  notServed: all.notServed,
  ...sorted(all.found),
});

function mismatchesOf(pair: Pair, ours: Declared, theirs: Declared): Found[] {
  const seen = new Map<string, Finding>();
  for (const finding of operationFindings(pair, ours, theirs)) seen.set(JSON.stringify(finding), finding);
  return [...seen.values()].map((finding) => ({ operation: theirs.name, ...finding }));
}

function sorted(found: readonly Found[]) {
  const mismatches: Mismatch[] = [];
  const decided: (Mismatch & { decision: Decision })[] = [];
  const notes: Mismatch[] = [];
  for (const { note, ...mismatch } of found) {
    const decision = decisionOn(mismatch);
    if (decision) decided.push({ ...mismatch, decision });
    else (note ? notes : mismatches).push(mismatch);
  }
  return { mismatches, decided, notes };
}
