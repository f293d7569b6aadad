/** What a where-clause is made of. `at` is the place in its text, counted from 0. */
export type Token =
  | { readonly kind: 'name'; readonly text: string; readonly at: number }
  | { readonly kind: 'word'; readonly text: Word; readonly at: number }
  | { readonly kind: 'sign'; readonly text: string; readonly at: number }
  | { readonly kind: 'number'; readonly value: number; readonly at: number }
  | { readonly kind: 'text'; readonly value: string; readonly at: number };

const WORDS = ['and', 'or', 'not', 'in', 'is', 'null', 'true', 'false', 'between'] as const;
export type Word = (typeof WORDS)[number];

/** Where the text cannot be understood, and why. */
export class NotUnderstood extends Error {
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.name = 'NotUnderstood';
    this.at = at;
  }
}

/** One alternative each: space, name, number, text in single quotes (doubled within), sign. */
const PATTERN =
  /(\s+)|([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)|((?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|'((?:[^']|'')*)'|(<>|<=|>=|!=|=|<|>|\(|\)|,|-)/y;

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const pattern = new RegExp(PATTERN);
  for (let at = 0; at < text.length; at = pattern.lastIndex) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) throw new NotUnderstood(at, whatIs(text, at));
    const token = tokenOf(match, at);
    if (token) tokens.push(token);
  }
  return tokens;
}

function tokenOf([, space, name, digits, quoted, sign]: RegExpExecArray, at: number): Token | undefined {
  if (space !== undefined) return undefined;
  if (name !== undefined) {
    const word = WORDS.find((one) => one === name.toLowerCase());
    return word ? { kind: 'word', text: word, at } : { kind: 'name', text: name, at };
  }
  if (digits !== undefined) return { kind: 'number', value: Number(digits), at };
  if (quoted !== undefined) return { kind: 'text', value: quoted.replaceAll("''", "'"), at };
  return { kind: 'sign', text: sign ?? '', at };
}

const whatIs = (text: string, at: number): string =>
  text[at] === "'" ? 'a text that does not end' : `unexpected ${JSON.stringify(text.slice(at, at + 1))}`;
