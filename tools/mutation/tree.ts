import { parseAst } from 'vitest/node';

/** A node of the syntax tree (ESTree with the TypeScript nodes of oxc), with offsets into the source. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** A node with those around it, the nearest first. */
export interface Visit {
  readonly node: SyntaxNode;
  readonly parents: readonly SyntaxNode[];
  /** The field of the nearest parent in which the node is. */
  readonly field: string;
}

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

export const nodeIn = (node: SyntaxNode, field: string): SyntaxNode | undefined => {
  const value = node[field];
  return isNode(value) ? value : undefined;
};

export const nodesIn = (node: SyntaxNode, field: string): readonly SyntaxNode[] => {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
};

export const textIn = (node: SyntaxNode | undefined, field: string): string => {
  const value = node?.[field];
  return typeof value === 'string' ? value : '';
};

// Types do not run, and imports are no expressions.
const SKIPPED = /^(?:TS(?!AsExpression|SatisfiesExpression|NonNullExpression)|Import|ExportAll)/;

/** All nodes that run, parents before children. */
export function* walk(node: SyntaxNode, parents: readonly SyntaxNode[] = [], field = ''): Generator<Visit> {
  if (SKIPPED.test(node.type)) return;
  yield { node, parents, field };
  const around = [node, ...parents];
  for (const [name, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child)) yield* walk(child, around, name);
  }
}

export const parse = (source: string): SyntaxNode => {
  const program: unknown = parseAst(source, { lang: 'ts', preserveParens: false });
  if (!isNode(program)) throw new Error('The parser gave no tree');
  return program;
};
