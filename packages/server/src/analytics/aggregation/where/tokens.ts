/** A token of a where clause. `at` is its position in the text, from 0. */
export type WhereToken =
  | { readonly kind: 'name'; readonly text: string; readonly at: number }
  | { readonly kind: 'word'; readonly text: WhereKeyword; readonly at: number }
  | { readonly kind: 'sign'; readonly text: string; readonly at: number }
  | { readonly kind: 'number'; readonly value: number; readonly at: number }
  | { readonly kind: 'text'; readonly value: string; readonly at: number };

const KEYWORDS = ['and', 'or', 'not', 'in', 'is', 'null', 'true', 'false', 'between'] as const;
export type WhereKeyword = (typeof KEYWORDS)[number];

/** A syntax error in a where clause, with its position in the text. */
export class WhereSyntaxError extends Error {
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.name = 'WhereSyntaxError';
    this.at = at;
  }
}

/** One alternative each: whitespace, name, number, string in single quotes (quotes doubled inside), sign. */
const PATTERN =
  /(\s+)|([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)|((?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|'((?:[^']|'')*)'|(<>|<=|>=|!=|=|<|>|\(|\)|,|-)/y;

export function tokenize(text: string): WhereToken[] {
  const tokens: WhereToken[] = [];
  const pattern = new RegExp(PATTERN);
  for (let at = 0; at < text.length; at = pattern.lastIndex) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) throw new WhereSyntaxError(at, describeUnexpected(text, at));
    const token = toToken(match, at);
    if (token) tokens.push(token);
  }
  return tokens;
}

function toToken([, space, name, digits, quoted, sign]: RegExpExecArray, at: number): WhereToken | undefined {
  if (space !== undefined) return undefined;
  if (name !== undefined) {
    const word = KEYWORDS.find((one) => one === name.toLowerCase());
    return word ? { kind: 'word', text: word, at } : { kind: 'name', text: name, at };
  }
  if (digits !== undefined) return { kind: 'number', value: Number(digits), at };
  if (quoted !== undefined) return { kind: 'text', value: quoted.replaceAll("''", "'"), at };
  return { kind: 'sign', text: sign ?? '', at };
}

const describeUnexpected = (text: string, at: number): string =>
  text[at] === "'"
    ? 'unterminated string: it does not end'
    : `unexpected ${JSON.stringify(text.slice(at, at + 1))}`;
