import { NotUnderstood, tokensOf, type Token, type Word } from './tokens.ts';

export type Literal = number | string | boolean;
export const OPERATORS = ['=', '!=', '<', '<=', '>', '>='] as const;
export type Operator = (typeof OPERATORS)[number];

export interface Named {
  readonly name: string;
  /** The place in the text. */
  readonly at: number;
}
export interface Said {
  readonly value: Literal;
  readonly at: number;
}

/** A condition on one row. */
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  | { readonly kind: 'compare'; readonly column: Named; readonly operator: Operator; readonly literal: Said }
  | { readonly kind: 'in'; readonly column: Named; readonly literals: readonly Said[] }
  | { readonly kind: 'null'; readonly column: Named };

const DEPTH_MAX = 30;
const CONDITIONS_MAX = 200;

/**
 * Columns compared with literals, joined by AND, OR and NOT, as SQL writes it: `=`, `!=`, `<>`, `<`, `<=`, `>`, `>=`,
 * `IN (...)`, `BETWEEN a AND b`, `IS NULL`, and parentheses. Throws NotUnderstood with the place.
 */
export function parseWhere(text: string): Condition {
  const reader = readerOf(tokensOf(text), text.length);
  const condition = either(reader, 0);
  const rest = reader.peek();
  if (rest) throw new NotUnderstood(rest.at, `expected AND, OR or the end, not ${shown(rest)}`);
  return condition;
}

interface Reader {
  peek(): Token | undefined;
  take(): Token | undefined;
  /** The place of what comes next. */
  at(): number;
  word(word: Word): boolean;
  sign(sign: string): boolean;
  count(): void;
}

function readerOf(tokens: readonly Token[], end: number): Reader {
  let place = 0;
  let conditions = 0;
  const peek = () => tokens[place];
  const skip = (token: Token | undefined, fits: boolean) => {
    if (token && fits) place += 1;
    return fits;
  };
  const at = () => peek()?.at ?? end;
  return {
    peek,
    at,
    take: () => tokens[place++],
    word: (word) => skip(peek(), peek()?.kind === 'word' && textOf(peek()) === word),
    sign: (sign) => skip(peek(), peek()?.kind === 'sign' && textOf(peek()) === sign),
    count: () => {
      conditions += 1;
      if (conditions > CONDITIONS_MAX)
        throw new NotUnderstood(at(), `more than ${CONDITIONS_MAX} conditions`);
    },
  };
}

const textOf = (token: Token | undefined) => (token && 'text' in token ? token.text : undefined);

function either(reader: Reader, depth: number): Condition {
  return joined(reader, 'or', () => both(reader, depth));
}

function both(reader: Reader, depth: number): Condition {
  return joined(reader, 'and', () => one(reader, depth));
}

function joined(reader: Reader, word: 'and' | 'or', next: () => Condition): Condition {
  const first = next();
  const parts = [first];
  while (reader.word(word)) parts.push(next());
  return parts.length === 1 ? first : { kind: word, parts };
}

function one(reader: Reader, depth: number): Condition {
  if (depth > DEPTH_MAX) throw new NotUnderstood(reader.at(), `more than ${DEPTH_MAX} levels`);
  if (reader.word('not')) return { kind: 'not', part: one(reader, depth + 1) };
  if (reader.sign('(')) {
    const inner = either(reader, depth + 1);
    expectSign(reader, ')');
    return inner;
  }
  return comparison(reader);
}

function comparison(reader: Reader): Condition {
  reader.count();
  const at = reader.at();
  const token = reader.take();
  if (token?.kind !== 'name') throw new NotUnderstood(at, `expected a column, not ${shown(token)}`);
  const column = { name: token.text, at };
  if (reader.word('is')) {
    const isNot = reader.word('not');
    if (!reader.word('null')) throw new NotUnderstood(reader.at(), 'expected NULL');
    return negated(isNot, { kind: 'null', column });
  }
  const isNot = reader.word('not');
  if (reader.word('in')) return negated(isNot, { kind: 'in', column, literals: literals(reader) });
  if (reader.word('between')) return negated(isNot, between(reader, column));
  if (isNot) throw new NotUnderstood(reader.at(), 'expected IN or BETWEEN after NOT');
  return { kind: 'compare', column, operator: operator(reader), literal: literal(reader) };
}

const negated = (isNot: boolean, part: Condition): Condition => (isNot ? { kind: 'not', part } : part);

function between(reader: Reader, column: Named): Condition {
  const low = literal(reader);
  if (!reader.word('and')) throw new NotUnderstood(reader.at(), 'expected AND and the upper end');
  const high = literal(reader);
  return {
    kind: 'and',
    parts: [
      { kind: 'compare', column, operator: '>=', literal: low },
      { kind: 'compare', column, operator: '<=', literal: high },
    ],
  };
}

function operator(reader: Reader): Operator {
  const at = reader.at();
  const token = reader.take();
  const sign = textOf(token);
  const known = OPERATORS.find((one) => one === (sign === '<>' ? '!=' : sign));
  if (known) return known;
  throw new NotUnderstood(
    at,
    `expected one of ${OPERATORS.join(' ')}, IN, BETWEEN or IS, not ${shown(token)}`,
  );
}

function literals(reader: Reader): Said[] {
  expectSign(reader, '(');
  const found = [literal(reader)];
  while (reader.sign(',')) {
    reader.count();
    found.push(literal(reader));
  }
  expectSign(reader, ')');
  return found;
}

function literal(reader: Reader): Said {
  const at = reader.at();
  const isNegative = reader.sign('-');
  const token = reader.take();
  if (token?.kind === 'number') return { value: isNegative ? -token.value : token.value, at };
  if (!isNegative && token?.kind === 'text') return { value: token.value, at };
  if (!isNegative && token?.kind === 'word' && (token.text === 'true' || token.text === 'false')) {
    return { value: token.text === 'true', at };
  }
  throw new NotUnderstood(
    at,
    `expected a number, a text in single quotes, TRUE or FALSE, not ${shown(token)}`,
  );
}

function expectSign(reader: Reader, sign: string): void {
  if (!reader.sign(sign)) {
    throw new NotUnderstood(reader.at(), `expected ${sign} and not ${shown(reader.peek())}`);
  }
}

const shown = (token: Token | undefined): string => {
  if (!token) return 'the end';
  return token.kind === 'number' || token.kind === 'text' ? JSON.stringify(token.value) : token.text;
};
