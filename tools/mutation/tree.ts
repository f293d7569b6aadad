import { parseAst } from 'vitest/node';

/** A node of the syntax tree (ESTree with the TypeScript nodes of oxc), with offsets into the source. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** A node with its ancestors, the nearest first. */
export interface NodeVisit {
  readonly node: SyntaxNode;
  readonly parents: readonly SyntaxNode[];
  /** The parent's field that holds the node. */
  readonly field: string;
}

const isNode = (value: unknown): value is SyntaxNode =>
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

// Types have no runtime code, and imports are not expressions.
const SKIPPED = /^(?:TS(?!AsExpression|SatisfiesExpression|NonNullExpression)|Import|ExportAll)/;

/** All nodes with runtime code, parents before children. */
export function* walk(
  node: SyntaxNode,
  parents: readonly SyntaxNode[] = [],
  field = '',
): Generator<NodeVisit> {
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
  if (!isNode(program)) throw new Error('The parser returned no syntax tree');
  return program;
};
