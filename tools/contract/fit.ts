import { branchesOf, brief, isOf, type Branch, type ListBranch } from './branches.ts';
import { gap, inside, type Direction, type Finding, type Sides } from './finding.ts';
import { fitObjects } from './objects.ts';
import { resolve, type AnySchema, type OpenApi, type Value } from './openapi.ts';

export function sides(
  direction: Direction,
  { served, contract }: { served: OpenApi; contract: OpenApi },
): Sides {
  const [narrow, wide] = direction === 'answer' ? [served, contract] : [contract, served];
  const at: Sides = { direction, narrow, wide, memo: new Map(), fit: (from, into) => fit(at, from, into) };
  return at;
}

function fit(at: Sides, narrow: AnySchema, wide: AnySchema): readonly Finding[] {
  const from = typeof narrow === 'object' ? resolve(at.narrow, narrow) : narrow;
  const into = typeof wide === 'object' ? resolve(at.wide, wide) : wide;
  const row = at.memo.get(from) ?? new Map<AnySchema, readonly Finding[]>();
  at.memo.set(from, row);
  const known = row.get(into);
  if (known) return known;
  row.set(into, []); // schemas that hold themselves: what is being asked is assumed to hold
  const found = fitBranches(at, branchesOf(at.narrow, from), branchesOf(at.wide, into));
  row.set(into, found);
  return found;
}

function fitBranches(at: Sides, narrow: readonly Branch[], wide: readonly Branch[]): readonly Finding[] {
  // A query, path or header parameter cannot be null: the contract's `| null` there only says "optional".
  const said = at.direction === 'parameter' ? narrow.filter((branch) => branch.kind !== 'null') : narrow;
  return said.flatMap((branch) => fitBranch(at, branch, wide));
}

function fitBranch(at: Sides, narrow: Branch, wide: readonly Branch[]): readonly Finding[] {
  if (wide.some((branch) => branch.kind === 'any')) return [];
  if (at.direction === 'parameter' && isText(narrow) && wide.some(isPlainString)) return [];
  if (narrow.kind === 'literal') return narrow.values.flatMap((value) => fitValue(at, value, wide));
  if (narrow.kind === 'boolean' && !wide.some((branch) => branch.kind === 'boolean')) {
    const refused = [true, false].flatMap((value) => fitValue(at, value, wide));
    return refused.length === 0 ? [] : [gap(at, brief([narrow]), brief(wide))];
  }
  const candidates = wide.filter((branch) => sameKind(narrow, branch));
  if (candidates.length === 0) return [gap(at, brief([narrow]), brief(wide))];
  return best(candidates.map((branch) => fitOne(at, narrow, branch)));
}

const isText = (branch: Branch) => branch.kind !== 'array' && branch.kind !== 'object';
const isPlainString = (branch: Branch) => branch.kind === 'string' && branch.format === undefined;
const sameKind = (narrow: Branch, wide: Branch) =>
  (narrow.kind === wide.kind && narrow.kind !== 'lost') ||
  (narrow.kind === 'integer' && wide.kind === 'number');

function fitValue(at: Sides, value: Value, wide: readonly Branch[]): readonly Finding[] {
  const accepted = wide.some(
    (branch) =>
      isOf(value, branch) ||
      (at.direction === 'parameter' &&
        branch.kind === 'literal' &&
        branch.values.map(String).includes(String(value))),
  );
  return accepted ? [] : [gap(at, JSON.stringify(value), brief(wide))];
}

/** Of several ways to read a value, the one that breaks least is the one that was meant. */
function best(ways: readonly (readonly Finding[])[]): readonly Finding[] {
  const breaks = (way: readonly Finding[]) => way.filter(({ note }) => !note).length;
  return ways.reduce((left, right) => (breaks(right) < breaks(left) ? right : left));
}

function fitOne(at: Sides, narrow: Branch, wide: Branch): readonly Finding[] {
  if (narrow.kind === 'string' && wide.kind === 'string') return fitStrings(at, narrow.format, wide.format);
  if (narrow.kind === 'array' && wide.kind === 'array') return fitLists(at, narrow, wide);
  if (narrow.kind === 'object' && wide.kind === 'object') return fitObjects(at, narrow, wide);
  return [];
}

function fitStrings(at: Sides, narrow: string | undefined, wide: string | undefined): readonly Finding[] {
  if (wide === undefined || narrow === wide) return [];
  const text = (format: string | undefined) => brief([{ kind: 'string', format }]);
  // Answering a plain string where the contract names a format is only imprecise.
  const note = at.direction === 'answer' && narrow === undefined;
  return [{ ...gap(at, text(narrow), text(wide)), note }];
}

function fitLists(at: Sides, narrow: ListBranch, wide: ListBranch): readonly Finding[] {
  const count = Math.max(narrow.first.length, wide.first.length);
  const firsts = Array.from({ length: count }, (_, i) =>
    inside(`[${i}]`, fit(at, narrow.first[i] ?? narrow.items, wide.first[i] ?? wide.items)),
  ).flat();
  // A tuple says nothing about more items than it names.
  if (narrow.first.length > 0) return firsts;
  return [...firsts, ...inside('[]', fit(at, narrow.items, wide.items))];
}
