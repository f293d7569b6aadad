import { expressionMutators } from './expression-faults.ts';
import type { SourceFault, Mutant } from './mutant.ts';
import { sqlMutator } from './sql-faults.ts';
import { nodeIn, parse, textIn, walk, type SyntaxNode, type NodeVisit } from './tree.ts';

const mutators = [...expressionMutators, sqlMutator];

/** Parts of `a?.b.c()` cannot be put into parentheses: the rest of the chain would lose its short circuit. */
function isWithinChain({ node, parents }: NodeVisit): boolean {
  for (const parent of parents) {
    if (parent.start !== node.start) return false;
    if (parent.type === 'ChainExpression') return parent.end !== node.end;
  }
  return false;
}

/** Two mutators may create the same fault; it is counted once. */
function withoutRepeats<F extends SourceFault>(faults: readonly F[]): F[] {
  const seen = new Set<string>();
  return faults.filter(({ start, end, replacement }) => {
    const name = `${start}:${end}:${replacement}`;
    return !seen.has(name) && seen.add(name);
  });
}

/** Within `precompileQuery(...)`, which builds the query once. */
const isPrecompiled = ({ parents }: NodeVisit): boolean =>
  parents.some(
    (parent) =>
      parent.type === 'CallExpression' && textIn(nodeIn(parent, 'callee'), 'name') === 'precompileQuery',
  );

const collapseWhitespace = (text: string): string => text.replace(/\s+/g, ' ').trim();

const lineOf = (source: string, offset: number): number => source.slice(0, offset).split('\n').length;

/** All mutants of a source file, numbered from `first`. */
export function mutantsOf(file: string, source: string, first: number): Mutant[] {
  const program: SyntaxNode = parse(source);
  const visits = [...walk(program)].filter((visit) => !isWithinChain(visit));
  const faults = withoutRepeats(
    visits.flatMap((visit) => {
      const precompiled = isPrecompiled(visit);
      return mutators.flatMap((make) => make(visit, source).map((fault) => ({ ...fault, precompiled })));
    }),
  );
  const times = new Map<string, number>();
  return faults.map((fault, index) => {
    const { at, original, replacement } = fault.part ?? {
      at: fault.start,
      original: source.slice(fault.start, fault.end),
      replacement: fault.replacement,
    };
    const name = `${file} ${fault.kind}: ${collapseWhitespace(original)} => ${collapseWhitespace(replacement)}`;
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    return {
      ...fault,
      id: first + index,
      file,
      line: lineOf(source, at),
      key: time === 1 ? name : `${name} #${time}`,
    };
  });
}

interface MutantGroup {
  readonly start: number;
  readonly end: number;
  readonly mutants: Mutant[];
}

function groupsOf(mutants: readonly Mutant[]): MutantGroup[] {
  const groups = new Map<string, MutantGroup>();
  for (const mutant of mutants) {
    const name = `${mutant.start}:${mutant.end}`;
    const group = groups.get(name) ?? { start: mutant.start, end: mutant.end, mutants: [] };
    group.mutants.push(mutant);
    groups.set(name, group);
  }
  return [...groups.values()].toSorted((a, b) => a.start - b.start || b.end - a.end);
}

function wrapMutants({ mutants }: MutantGroup, inner: string): string {
  const [first] = mutants;
  // In braces, so that an `else` after it does not belong to this `if`.
  if (first?.kind === 'statement') return `{ if (!__mutant(${first.id})) { ${inner} } }`;
  const branches = mutants.map(({ id, replacement }) => `__mutant(${id}) ? (${replacement}) : `);
  return `(${branches.join('')}(${inner}))`;
}

/** The source with all its mutants, each switched by its number through `globalThis.aliquotMutants`. */
export function withMutants(source: string, mutants: readonly Mutant[]): string {
  const groups = groupsOf(mutants);
  let next = 0;
  const render = (start: number, end: number): string => {
    let text = '';
    let at = start;
    for (let group = groups[next]; group && group.end <= end; group = groups[next]) {
      next += 1;
      text += source.slice(at, group.start) + wrapMutants(group, render(group.start, group.end));
      at = group.end;
    }
    return text + source.slice(at, end);
  };
  return `const { isOn: __mutant } = globalThis.aliquotMutants; ${render(0, source.length)}`;
}
