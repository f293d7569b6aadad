import type { Mutator } from './expression-faults.ts';
import { nodeIn, nodesIn, textIn, type SyntaxNode } from './tree.ts';

/** A replaced part of an SQL text. Offsets are relative to the text. */
interface SqlReplacement {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

const BEGINS_SQL = /\b(?:select|insert into|update|delete from|where|order by|for update|and|or|case when)\b/;
/** Keywords that end a condition at the same depth of parentheses. */
const ENDS =
  /^(?:and|or|order by|group by|having|limit|returning|on conflict|union|for|offset|window|then|else|end|when|where|join|left join|cross join|from|set)\b/;

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/(?<![<>!=])<=/g, '<'],
  [/(?<![<>!=@-])>=/g, '>'],
  [/(?<![<>!=@-])<(?![=>@])/g, '<='],
  [/(?<![<>!=@-])>(?![=>@])/g, '>='],
  [/<>/g, '='],
  [/\bis not null\b/g, 'is null'],
  [/\bis null\b/g, 'is not null'],
  [/\bnot exists\b/g, 'exists'],
  [/(?<!not )\bexists(?= \()/g, 'not exists'],
  [/\bor\b/g, 'and'],
  [/\bdesc\b/g, 'asc'],
  [/\bgreatest\b/g, 'least'],
  [/\bleast\b/g, 'greatest'],
  [/\bmax\(/g, 'min('],
  [/\bmin\(/g, 'max('],
  [/\bleft join\b/g, 'join'],
  [/ ?\bfor (?:no key )?update(?: of \w+)?(?: skip locked)?\b/g, ''],
  [/ ?\bskip locked\b/g, ''],
  [/ ?\bon conflict(?: \([\w, ]*\))? do nothing\b/g, ''],
  [/\bdistinct\b(?! (?:on|from))/g, ''],
];

function wordFaults(text: string): SqlReplacement[] {
  return WORDS.flatMap(([pattern, replacement]) =>
    [...text.matchAll(pattern)].map(({ index, 0: found }) => ({
      start: index,
      end: index + found.length,
      replacement,
    })),
  );
}

/** The end of a condition: a keyword at its depth of parentheses, its closing parenthesis, or the last quote. */
function endOfCondition(text: string, from: number): number {
  let depth = 0;
  let between = /^\s*\S+ between\b/.test(text.slice(from));
  const last = text.length - 1;
  for (let at = from; at < last; at += 1) {
    const letter = text[at];
    if (letter === '(') depth += 1;
    else if (letter === ')' && (depth -= 1) < 0) return at;
    else if (depth === 0 && (letter === ',' || letter === ';' || letter === '`')) return at;
    else if (depth === 0 && /\s/.test(text[at - 1] ?? '') && ENDS.test(text.slice(at))) {
      if (!between || !text.startsWith('and', at)) return at;
      between = false;
    }
  }
  return last;
}

/** Drops each condition of a `where` or an `and` once. */
const conditionFaults = (text: string): SqlReplacement[] =>
  [...text.matchAll(/\b(and|where)\s+/g)].flatMap(({ index, 0: found, 1: word }) => {
    const from = index + found.length;
    const end = endOfCondition(text, from);
    if (/\bbetween \S+ $/.test(text.slice(0, index))) return [];
    if (text.slice(from, end).trim() === '') return [];
    return [{ start: index, end, replacement: `${word} true ` }];
  });

/** Whether a node is SQL: a template with expressions, or a plain string. */
function isSql(node: SyntaxNode, parent: SyntaxNode | undefined, text: string): boolean {
  const tag = parent?.type === 'TaggedTemplateExpression' ? nodeIn(parent, 'tag') : undefined;
  const name = textIn(tag, 'name') || textIn(tag && nodeIn(tag, 'expression'), 'name');
  if (name === 'sql') return true;
  const isString =
    node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node['value'] === 'string');
  return tag === undefined && isString && /\s/.test(text) && BEGINS_SQL.test(text) && /[=<>(]/.test(text);
}

/** Hides the expressions of a template from the patterns; they are parameter values. */
function maskExpressions(node: SyntaxNode, source: string): string {
  let text = source.slice(node.start, node.end);
  for (const { start, end } of nodesIn(node, 'expressions'))
    text = `${text.slice(0, start - node.start)}${'v'.repeat(end - start)}${text.slice(end - node.start)}`;
  return text;
}

export const sqlMutator: Mutator = ({ node, parents: [parent], field }, source) => {
  if (node.type !== 'TemplateLiteral' && node.type !== 'Literal') return [];
  if (field === 'key' || field === 'source' || !isSql(node, parent, maskExpressions(node, source))) return [];
  const text = maskExpressions(node, source);
  const whole = parent?.type === 'TaggedTemplateExpression' ? parent : node;
  const original = source.slice(whole.start, whole.end);
  const shift = node.start - whole.start;
  return [...wordFaults(text), ...conditionFaults(text)].map(({ start, end, replacement }) => ({
    start: whole.start,
    end: whole.end,
    replacement: `${original.slice(0, shift + start)}${replacement}${original.slice(shift + end)}`,
    kind: 'sql',
    part: { at: node.start + start, original: original.slice(shift + start, shift + end), replacement },
  }));
};
