import { findDecision, type ContractDecision, type ContractMismatch } from './decisions.ts';
import { operationKey, listOperations, type DeclaredOperation } from './declared.ts';
import type { SchemaFinding } from './finding.ts';
import type { OpenApi } from './openapi.ts';
import { operationFindings, createPair, type ContractPair } from './operation.ts';

export interface ContractComparison {
  readonly total: number;
  readonly served: number;
  readonly notServed: readonly string[];
  readonly mismatches: readonly ContractMismatch[];
  /** Intended differences. */
  readonly decided: readonly (ContractMismatch & { readonly decision: ContractDecision })[];
  /** Harmless: optional properties that we never return, plain strings where the contract names a format. */
  readonly notes: readonly ContractMismatch[];
}

/** Compares the served document with every operation of the contract. Additional operations are ignored. */
export function compareContract(served: OpenApi, contract: readonly OpenApi[]): ContractComparison {
  const ours = new Map(listOperations(served).map((operation) => [operationKey(operation), operation]));
  const notServed: string[] = [];
  const found: UncheckedMismatch[] = [];
  let total = 0;
  for (const document of contract) {
    const pair = createPair(served, document);
    for (const theirs of listOperations(document)) {
      total += 1;
      const our = ours.get(operationKey(theirs));
      if (!our) notServed.push(theirs.name);
      else found.push(...compareOperation(pair, our, theirs));
    }
  }
  return toComparison({ total, notServed, found });
}

/** A mismatch that was not yet checked against the decisions; a note is harmless. */
export type UncheckedMismatch = ContractMismatch & { readonly note: boolean };

export const toComparison = (all: {
  total: number;
  notServed: readonly string[];
  found: readonly UncheckedMismatch[];
}): ContractComparison => ({
  total: all.total,
  served: all.total - all.notServed.length,
  notServed: all.notServed,
  ...sortByDecision(all.found),
});

function compareOperation(
  pair: ContractPair,
  ours: DeclaredOperation,
  theirs: DeclaredOperation,
): UncheckedMismatch[] {
  const seen = new Map<string, SchemaFinding>();
  for (const finding of operationFindings(pair, ours, theirs)) seen.set(JSON.stringify(finding), finding);
  return [...seen.values()].map((finding) => ({ operation: theirs.name, ...finding }));
}

function sortByDecision(found: readonly UncheckedMismatch[]) {
  const mismatches: ContractMismatch[] = [];
  const decided: (ContractMismatch & { decision: ContractDecision })[] = [];
  const notes: ContractMismatch[] = [];
  for (const { note, ...mismatch } of found) {
    const decision = findDecision(mismatch);
    if (decision) decided.push({ ...mismatch, decision });
    else (note ? notes : mismatches).push(mismatch);
  }
  return { mismatches, decided, notes };
}
