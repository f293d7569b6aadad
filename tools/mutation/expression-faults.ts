import type { SourceFault } from './mutant.ts';
import { nodeIn, nodesIn, textIn, type SyntaxNode, type NodeVisit } from './tree.ts';

/** Creates the faults of one syntax node. */
export type Mutator = (visit: NodeVisit, source: string) => SourceFault[];

const textOf = (source: string, node: SyntaxNode): string => source.slice(node.start, node.end);

const fault = (node: SyntaxNode, kind: string, replacement: string): SourceFault => ({
  start: node.start,
  end: node.end,
  replacement,
  kind,
});

const COMPARISONS: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
};
const ARITHMETIC: Readonly<Record<string, string>> = {
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '|': '&',
  '&': '|',
  '^': '&',
  '<<': '>>',
  '>>': '<<',
  '>>>': '<<',
};

const isText = (node: SyntaxNode): boolean =>
  node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node['value'] === 'string');

const binary: Mutator = ({ node }, source) => {
  const [left, right, operator] = [nodeIn(node, 'left'), nodeIn(node, 'right'), textIn(node, 'operator')];
  if (node.type !== 'BinaryExpression' || !left || !right) return [];
  const put = (other: string) => `(${textOf(source, left)}) ${other} (${textOf(source, right)})`;
  const comparisons = (COMPARISONS[operator] ?? []).map((other) => fault(node, 'comparison', put(other)));
  const other = ARITHMETIC[operator];
  if (other === undefined || isText(left) || isText(right)) return comparisons;
  return [...comparisons, fault(node, 'arithmetic', put(other))];
};

const logical: Mutator = ({ node }, source) => {
  const [left, right, operator] = [nodeIn(node, 'left'), nodeIn(node, 'right'), textIn(node, 'operator')];
  if (node.type !== 'LogicalExpression' || !left || !right) return [];
  const [a, b] = [textOf(source, left), textOf(source, right)];
  if (operator === '??') return [fault(node, 'default', a), fault(node, 'default', b)];
  return [fault(node, 'logic', operator === '&&' ? `(${a}) || (${b})` : `(${a}) && (${b})`)];
};

const unary: Mutator = ({ node }, source) => {
  const argument = nodeIn(node, 'argument');
  if (!argument) return [];
  const operator = textIn(node, 'operator');
  if (node.type === 'UnaryExpression' && (operator === '!' || operator === '-'))
    return [fault(node, 'unary', textOf(source, argument))];
  if (node.type === 'UpdateExpression')
    return [
      fault(node, 'arithmetic', textOf(source, node).replace(operator, operator === '++' ? '--' : '++')),
    ];
  return [];
};

const assignment: Mutator = ({ node }, source) => {
  const [left, right, operator] = [nodeIn(node, 'left'), nodeIn(node, 'right'), textIn(node, 'operator')];
  const other = { '+=': '-=', '-=': '+=', '*=': '/=', '/=': '*=', '??=': '=' }[operator];
  if (node.type !== 'AssignmentExpression' || !left || !right || other === undefined || isText(right))
    return [];
  return [fault(node, 'arithmetic', `${textOf(source, left)} ${other} (${textOf(source, right)})`)];
};

/** Makes conditions always true and always false. Loop conditions only become false, because the loop would not end. */
const condition: Mutator = ({ node, parents: [parent], field }) => {
  if (field !== 'test' || !parent || node.type === 'Literal') return [];
  if (parent.type === 'WhileStatement' || parent.type === 'ForStatement')
    return [fault(node, 'condition', 'false')];
  if (parent.type !== 'IfStatement' && parent.type !== 'ConditionalExpression') return [];
  return ['true', 'false'].map((value) => fault(node, 'condition', value));
};

// Removing the call leaves the object that it was called on.
const CHAINED = new Set(
  `where whereRef having orderBy limit offset distinct distinctOn groupBy forUpdate forNoKeyUpdate forShare skipLocked
  onConflict filter sort toSorted reverse toReversed slice trim toLowerCase toUpperCase flat`.split(/\s+/),
);

const OPPOSITES = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
  ['startsWith', 'endsWith'],
]);

const methodCall: Mutator = ({ node }, source) => {
  const callee = nodeIn(node, 'callee');
  if (node.type !== 'CallExpression' || callee?.type !== 'MemberExpression') return [];
  if (callee['optional'] === true) return [];
  const [object, property] = [nodeIn(callee, 'object'), nodeIn(callee, 'property')];
  const name = textIn(property, 'name');
  if (!object) return [];
  if (CHAINED.has(name)) {
    const part = { at: object.end, original: source.slice(object.end, node.end), replacement: '' };
    return [{ ...fault(node, 'method', textOf(source, object)), part }];
  }
  const swapped = OPPOSITES.get(name);
  if (swapped === undefined || !property) return [];
  const [before, rest] = [source.slice(node.start, property.start), source.slice(property.end, node.end)];
  const part = { at: property.start, original: `${name}${rest}`, replacement: swapped };
  return [{ ...fault(node, 'method', `${before}${swapped}${rest}`), part }];
};

/** Removes each element and each property once. */
const entries: Mutator = ({ node, parents }, source) => {
  const field = { ArrayExpression: 'elements', ObjectExpression: 'properties' }[node.type];
  if (field === undefined || isText(node) || parents.some(isProse)) return [];
  const all = nodesIn(node, field);
  const [open, close] = field === 'elements' ? ['[', ']'] : ['{ ', ' }'];
  return all.map((left, at) => {
    const others = all.filter((_, index) => index !== at).map((each) => textOf(source, each));
    const part = { at: left.start, original: textOf(source, left), replacement: '' };
    return { ...fault(node, 'entry', `${open}${others.join(', ')}${close}`), part };
  });
};

/** Texts for people, whose exact wording is not tested. */
function isProse(node: SyntaxNode): boolean {
  if (node.type === 'NewExpression') return textIn(nodeIn(node, 'callee'), 'name').endsWith('Error');
  if (node.type !== 'CallExpression') return false;
  const callee = nodeIn(node, 'callee');
  const name = textIn(callee && nodeIn(callee, 'property'), 'name');
  return ['meta', 'describe', 'info', 'warn', 'error', 'debug'].includes(name);
}

const PLAIN_FIELDS = new Set(['key', 'property', 'source', 'directive', 'id']);

const literal: Mutator = ({ node, parents, field }) => {
  if (node.type !== 'Literal' || PLAIN_FIELDS.has(field) || parents.some(isProse)) return [];
  const value = node['value'];
  if (typeof value === 'boolean') return [fault(node, 'literal', String(!value))];
  if (typeof value === 'number')
    return [fault(node, 'literal', isTuning(parents) && value !== 0 ? '0' : String(value + 1))];
  if (typeof value !== 'string' || parents[0]?.type === 'ExpressionStatement') return [];
  // Strings with spaces are SQL, which sql-faults.ts mutates, or prose. A wrong operator or column breaks every query.
  if (value.includes(' ') || !/[a-z\d]/i.test(value) || isColumn(node, parents)) return [];
  return [fault(node, 'literal', "'mutated'")];
};

const OF_COLUMNS = new Set(
  `where whereRef select selectFrom innerJoin leftJoin on onRef orderBy groupBy column columns returning insertInto
  updateTable deleteFrom ref eb`.split(/\s+/),
);

/** The name of a column or a table in a chain of Kysely; the third argument of `where` is a value. */
function isColumn(node: SyntaxNode, [parent, grandparent]: readonly SyntaxNode[]): boolean {
  const call = parent?.type === 'ArrayExpression' ? grandparent : parent;
  if (call?.type !== 'CallExpression' || node === nodesIn(call, 'arguments')[2]) return false;
  const callee = nodeIn(call, 'callee');
  return OF_COLUMNS.has(textIn(callee, 'name') || textIn(callee && nodeIn(callee, 'property'), 'name'));
}

/** A number in a top-level constant: its size is a choice, but zero must make a difference. */
const isTuning = (parents: readonly SyntaxNode[]): boolean =>
  !parents.some(({ type }) => /Function/.test(type)) &&
  parents.some((each) => /^[A-Z\d_]+$/.test(textIn(nodeIn(each, 'id'), 'name')));

const returned: Mutator = ({ node, parents: [parent], field }) => {
  const isBody =
    parent?.type === 'ArrowFunctionExpression' && field === 'body' && node.type !== 'BlockStatement';
  const isReturned = parent?.type === 'ReturnStatement' && field === 'argument';
  if (!(isBody || isReturned) || /^(?:Literal|Identifier|AssignmentExpression)$/.test(node.type)) return [];
  return [fault(node, 'return', 'undefined')];
};

const statement: Mutator = ({ node }) => {
  if (node.type !== 'ExpressionStatement' || typeof node['directive'] === 'string') return [];
  const expression = nodeIn(node, 'expression');
  if (expression && nodeIn(expression, 'callee')?.type === 'Super') return [];
  return [fault(node, 'statement', '')];
};

export const expressionMutators: readonly Mutator[] = [
  binary,
  logical,
  unary,
  assignment,
  condition,
  methodCall,
  entries,
  literal,
  returned,
  statement,
];
