import {
  branchesOf,
  describeBranches,
  matchesBranch,
  type SchemaBranch,
  type ListBranch,
} from './branches.ts';
import {
  mismatchFinding,
  prefixPlace,
  type FitDirection,
  type SchemaFinding,
  type FitContext,
} from './finding.ts';
import { fitObjects } from './objects.ts';
import { resolveReference, type AnySchema, type OpenApi, type JsonScalar } from './openapi.ts';

export function createFitContext(
  direction: FitDirection,
  { served, contract }: { served: OpenApi; contract: OpenApi },
): FitContext {
  const [narrow, wide] = direction === 'answer' ? [served, contract] : [contract, served];
  const at: FitContext = {
    direction,
    narrow,
    wide,
    memo: new Map(),
    fit: (from, into) => fit(at, from, into),
  };
  return at;
}

function fit(at: FitContext, narrow: AnySchema, wide: AnySchema): readonly SchemaFinding[] {
  const from = typeof narrow === 'object' ? resolveReference(at.narrow, narrow) : narrow;
  const into = typeof wide === 'object' ? resolveReference(at.wide, wide) : wide;
  const row = at.memo.get(from) ?? new Map<AnySchema, readonly SchemaFinding[]>();
  at.memo.set(from, row);
  const known = row.get(into);
  if (known) return known;
  row.set(into, []); // recursive schemas: assume that they fit while they are being compared
  const found = fitBranches(at, branchesOf(at.narrow, from), branchesOf(at.wide, into));
  row.set(into, found);
  return found;
}

function fitBranches(
  at: FitContext,
  narrow: readonly SchemaBranch[],
  wide: readonly SchemaBranch[],
): readonly SchemaFinding[] {
  // A query, path or header parameter cannot be null: `| null` in the contract only means "optional".
  const said = at.direction === 'parameter' ? narrow.filter((branch) => branch.kind !== 'null') : narrow;
  return said.flatMap((branch) => fitBranch(at, branch, wide));
}

function fitBranch(
  at: FitContext,
  narrow: SchemaBranch,
  wide: readonly SchemaBranch[],
): readonly SchemaFinding[] {
  if (wide.some((branch) => branch.kind === 'any')) return [];
  if (at.direction === 'parameter' && isText(narrow) && wide.some(isPlainString)) return [];
  if (narrow.kind === 'literal') return narrow.values.flatMap((value) => fitValue(at, value, wide));
  if (narrow.kind === 'boolean' && !wide.some((branch) => branch.kind === 'boolean')) {
    const refused = [true, false].flatMap((value) => fitValue(at, value, wide));
    return refused.length === 0
      ? []
      : [mismatchFinding(at, describeBranches([narrow]), describeBranches(wide))];
  }
  const candidates = wide.filter((branch) => sameKind(narrow, branch));
  if (candidates.length === 0)
    return [mismatchFinding(at, describeBranches([narrow]), describeBranches(wide))];
  return pickBest(candidates.map((branch) => fitOne(at, narrow, branch)));
}

const isText = (branch: SchemaBranch) => branch.kind !== 'array' && branch.kind !== 'object';
const isPlainString = (branch: SchemaBranch) => branch.kind === 'string' && branch.format === undefined;
const sameKind = (narrow: SchemaBranch, wide: SchemaBranch) =>
  (narrow.kind === wide.kind && narrow.kind !== 'lost') ||
  (narrow.kind === 'integer' && wide.kind === 'number');

function fitValue(
  at: FitContext,
  value: JsonScalar,
  wide: readonly SchemaBranch[],
): readonly SchemaFinding[] {
  const accepted = wide.some(
    (branch) =>
      matchesBranch(value, branch) ||
      (at.direction === 'parameter' &&
        branch.kind === 'literal' &&
        branch.values.map(String).includes(String(value))),
  );
  return accepted ? [] : [mismatchFinding(at, JSON.stringify(value), describeBranches(wide))];
}

/** Of several possible matches, takes the one with the fewest mismatches. */
function pickBest(ways: readonly (readonly SchemaFinding[])[]): readonly SchemaFinding[] {
  const breaks = (way: readonly SchemaFinding[]) => way.filter(({ note }) => !note).length;
  return ways.reduce((left, right) => (breaks(right) < breaks(left) ? right : left));
}

function fitOne(at: FitContext, narrow: SchemaBranch, wide: SchemaBranch): readonly SchemaFinding[] {
  if (narrow.kind === 'string' && wide.kind === 'string') return fitStrings(at, narrow.format, wide.format);
  if (narrow.kind === 'array' && wide.kind === 'array') return fitLists(at, narrow, wide);
  if (narrow.kind === 'object' && wide.kind === 'object') return fitObjects(at, narrow, wide);
  return [];
}

function fitStrings(
  at: FitContext,
  narrow: string | undefined,
  wide: string | undefined,
): readonly SchemaFinding[] {
  if (wide === undefined || narrow === wide) return [];
  const text = (format: string | undefined) => describeBranches([{ kind: 'string', format }]);
  // Returning a plain string where the contract names a format is only imprecise.
  const note = at.direction === 'answer' && narrow === undefined;
  return [{ ...mismatchFinding(at, text(narrow), text(wide)), note }];
}

function fitLists(at: FitContext, narrow: ListBranch, wide: ListBranch): readonly SchemaFinding[] {
  const count = Math.max(narrow.first.length, wide.first.length);
  const firsts = Array.from({ length: count }, (_, i) =>
    prefixPlace(`[${i}]`, fit(at, narrow.first[i] ?? narrow.items, wide.first[i] ?? wide.items)),
  ).flat();
  // A tuple makes no statement about further items.
  if (narrow.first.length > 0) return firsts;
  return [...firsts, ...prefixPlace('[]', fit(at, narrow.items, wide.items))];
}
