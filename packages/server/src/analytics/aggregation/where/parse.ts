import { WhereSyntaxError, tokenize, type WhereToken, type WhereKeyword } from './tokens.ts';

export type LiteralValue = number | string | boolean;
const COMPARISON_OPERATORS = ['=', '!=', '<', '<=', '>', '>='] as const;
export type ComparisonOperator = (typeof COMPARISON_OPERATORS)[number];

export interface ColumnReference {
  readonly name: string;
  /** Position in the text, from 0. */
  readonly at: number;
}
export interface WhereLiteral {
  readonly value: LiteralValue;
  readonly at: number;
}

/** The syntax tree of a where clause. */
export type WhereCondition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly WhereCondition[] }
  | { readonly kind: 'not'; readonly part: WhereCondition }
  | {
      readonly kind: 'compare';
      readonly column: ColumnReference;
      readonly operator: ComparisonOperator;
      readonly literal: WhereLiteral;
    }
  | { readonly kind: 'in'; readonly column: ColumnReference; readonly literals: readonly WhereLiteral[] }
  | { readonly kind: 'null'; readonly column: ColumnReference };

const DEPTH_MAX = 30;
const CONDITIONS_MAX = 200;

/**
 * A recursive descent parser for comparisons of columns with literals, combined with AND, OR and NOT as in SQL: `=`,
 * `!=`, `<>`, `<`, `<=`, `>`, `>=`, `IN (...)`, `BETWEEN a AND b`, `IS NULL`, and parentheses. Depth and number of
 * conditions are limited. Throws WhereSyntaxError with the position.
 */
export function parseWhere(text: string): WhereCondition {
  const reader = createTokenReader(tokenize(text), text.length);
  const condition = parseOr(reader, 0);
  const rest = reader.peek();
  if (rest) throw new WhereSyntaxError(rest.at, `expected AND, OR or the end, found ${describeToken(rest)}`);
  return condition;
}

interface TokenReader {
  peek(): WhereToken | undefined;
  take(): WhereToken | undefined;
  /** Position of the next token. */
  at(): number;
  word(word: WhereKeyword): boolean;
  sign(sign: string): boolean;
  count(): void;
}

function createTokenReader(tokens: readonly WhereToken[], end: number): TokenReader {
  let place = 0;
  let conditions = 0;
  const peek = () => tokens[place];
  const skip = (token: WhereToken | undefined, fits: boolean) => {
    if (token && fits) place += 1;
    return fits;
  };
  const at = () => peek()?.at ?? end;
  return {
    peek,
    at,
    take: () => tokens[place++],
    word: (word) => skip(peek(), peek()?.kind === 'word' && getTokenText(peek()) === word),
    sign: (sign) => skip(peek(), peek()?.kind === 'sign' && getTokenText(peek()) === sign),
    count: () => {
      conditions += 1;
      if (conditions > CONDITIONS_MAX)
        throw new WhereSyntaxError(at(), `expected at most ${CONDITIONS_MAX} conditions`);
    },
  };
}

const getTokenText = (token: WhereToken | undefined) => (token && 'text' in token ? token.text : undefined);

function parseOr(reader: TokenReader, depth: number): WhereCondition {
  return parseJunction(reader, 'or', () => parseAnd(reader, depth));
}

function parseAnd(reader: TokenReader, depth: number): WhereCondition {
  return parseJunction(reader, 'and', () => parseTerm(reader, depth));
}

function parseJunction(reader: TokenReader, word: 'and' | 'or', next: () => WhereCondition): WhereCondition {
  const first = next();
  const parts = [first];
  while (reader.word(word)) parts.push(next());
  return parts.length === 1 ? first : { kind: word, parts };
}

function parseTerm(reader: TokenReader, depth: number): WhereCondition {
  if (depth > DEPTH_MAX)
    throw new WhereSyntaxError(reader.at(), `expected at most ${DEPTH_MAX} levels of nesting`);
  if (reader.word('not')) return { kind: 'not', part: parseTerm(reader, depth + 1) };
  if (reader.sign('(')) {
    const inner = parseOr(reader, depth + 1);
    expectSign(reader, ')');
    return inner;
  }
  return parseComparison(reader);
}

function parseComparison(reader: TokenReader): WhereCondition {
  reader.count();
  const at = reader.at();
  const token = reader.take();
  if (token?.kind !== 'name')
    throw new WhereSyntaxError(at, `expected a column, found ${describeToken(token)}`);
  const column = { name: token.text, at };
  if (reader.word('is')) {
    const isNot = reader.word('not');
    if (!reader.word('null')) throw new WhereSyntaxError(reader.at(), 'expected NULL');
    return negateIf(isNot, { kind: 'null', column });
  }
  const isNot = reader.word('not');
  if (reader.word('in')) return negateIf(isNot, { kind: 'in', column, literals: parseLiterals(reader) });
  if (reader.word('between')) return negateIf(isNot, parseBetween(reader, column));
  if (isNot) throw new WhereSyntaxError(reader.at(), 'expected IN or BETWEEN after NOT');
  return { kind: 'compare', column, operator: parseOperator(reader), literal: parseLiteral(reader) };
}

const negateIf = (isNot: boolean, part: WhereCondition): WhereCondition =>
  isNot ? { kind: 'not', part } : part;

function parseBetween(reader: TokenReader, column: ColumnReference): WhereCondition {
  const low = parseLiteral(reader);
  if (!reader.word('and')) throw new WhereSyntaxError(reader.at(), 'expected AND and the upper bound');
  const high = parseLiteral(reader);
  return {
    kind: 'and',
    parts: [
      { kind: 'compare', column, operator: '>=', literal: low },
      { kind: 'compare', column, operator: '<=', literal: high },
    ],
  };
}

function parseOperator(reader: TokenReader): ComparisonOperator {
  const at = reader.at();
  const token = reader.take();
  const sign = getTokenText(token);
  const known = COMPARISON_OPERATORS.find((one) => one === (sign === '<>' ? '!=' : sign));
  if (known) return known;
  throw new WhereSyntaxError(
    at,
    `expected one of ${COMPARISON_OPERATORS.join(' ')}, IN, BETWEEN or IS, found ${describeToken(token)}`,
  );
}

function parseLiterals(reader: TokenReader): WhereLiteral[] {
  expectSign(reader, '(');
  const found = [parseLiteral(reader)];
  while (reader.sign(',')) {
    reader.count();
    found.push(parseLiteral(reader));
  }
  expectSign(reader, ')');
  return found;
}

function parseLiteral(reader: TokenReader): WhereLiteral {
  const at = reader.at();
  const isNegative = reader.sign('-');
  const token = reader.take();
  if (token?.kind === 'number') return { value: isNegative ? -token.value : token.value, at };
  if (!isNegative && token?.kind === 'text') return { value: token.value, at };
  if (!isNegative && token?.kind === 'word' && (token.text === 'true' || token.text === 'false')) {
    return { value: token.text === 'true', at };
  }
  throw new WhereSyntaxError(
    at,
    `expected a number, a string in single quotes, TRUE or FALSE, found ${describeToken(token)}`,
  );
}

function expectSign(reader: TokenReader, sign: string): void {
  if (!reader.sign(sign)) {
    throw new WhereSyntaxError(reader.at(), `expected ${sign}, found ${describeToken(reader.peek())}`);
  }
}

const describeToken = (token: WhereToken | undefined): string => {
  if (!token) return 'the end';
  return token.kind === 'number' || token.kind === 'text' ? JSON.stringify(token.value) : token.text;
};
