import { scimError } from './scim-error.ts';

export type ScimOperator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';
export type ScimLiteral = string | number | boolean | null;

/** An attribute as it was written, without the URN of its schema; names are compared in lower case. */
export interface AttributePath {
  /** The URN of the schema, if the path names it. */
  readonly schema: string | undefined;
  readonly attribute: string;
  readonly sub: string | undefined;
}

/** A parsed filter of RFC 7644, 3.4.2.2. */
export type ScimFilter =
  | {
      readonly kind: 'compare';
      readonly path: AttributePath;
      readonly operator: ScimOperator;
      readonly value: ScimLiteral;
    }
  | { readonly kind: 'present'; readonly path: AttributePath }
  | { readonly kind: 'and' | 'or'; readonly filters: readonly ScimFilter[] }
  | { readonly kind: 'not'; readonly filter: ScimFilter }
  /** One value of a multi-valued attribute matches the whole inner filter. */
  | { readonly kind: 'values'; readonly path: AttributePath; readonly filter: ScimFilter };

/** The target of a PATCH operation. */
interface PatchPath {
  readonly path: AttributePath;
  /** Selects values of a multi-valued attribute. */
  readonly filter: ScimFilter | undefined;
}

const LENGTH_MAX = 2000;
const DEPTH_MAX = 16;
/** Each is a condition of an SQL statement. */
const COMPARISONS_MAX = 50;
const OPERATORS: ReadonlySet<string> = new Set(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le']);

const isOperator = (word: string): word is ScimOperator => OPERATORS.has(word);

interface FilterToken {
  readonly kind: '(' | ')' | '[' | ']' | 'text' | 'word';
  readonly text: string;
}

const BLANK = /\s/;
const PUNCTUATION = new Set(['(', ')', '[', ']']);

type Refusal = (reason: string) => Error;

/** Reads every character once, so the time is linear in the length. */
function tokenize(input: string, refuse: Refusal): FilterToken[] {
  if (input.length > LENGTH_MAX) throw refuse(`it is longer than ${LENGTH_MAX} characters`);
  const tokens: FilterToken[] = [];
  let at = 0;
  while (at < input.length) {
    const character = input.charAt(at);
    if (BLANK.test(character)) at += 1;
    else if (PUNCTUATION.has(character)) {
      tokens.push({ kind: character as '(', text: character });
      at += 1;
    } else if (character === '"') {
      const end = endOfString(input, at, refuse);
      tokens.push({ kind: 'text', text: parseString(input.slice(at, end), refuse) });
      at = end;
    } else {
      const end = endOfWord(input, at);
      tokens.push({ kind: 'word', text: input.slice(at, end) });
      at = end;
    }
  }
  return tokens;
}

function endOfString(input: string, start: number, refuse: Refusal): number {
  for (let at = start + 1; at < input.length; at += 1) {
    if (input.charAt(at) === '\\') at += 1;
    else if (input.charAt(at) === '"') return at + 1;
  }
  throw refuse('a string has no closing quote');
}

function endOfWord(input: string, start: number): number {
  let at = start;
  while (at < input.length) {
    const character = input.charAt(at);
    if (BLANK.test(character) || PUNCTUATION.has(character) || character === '"') return at;
    at += 1;
  }
  return at;
}

const LONE_SURROGATE = /\p{Cs}/u;

function parseString(quoted: string, refuse: Refusal): string {
  try {
    const text: unknown = JSON.parse(quoted);
    // No column can store it, so nothing can match.
    if (typeof text === 'string' && !text.includes('\0') && !LONE_SURROGATE.test(text)) return text;
  } catch {
    // Not a JSON string: refused below.
  }
  throw refuse(`${quoted.slice(0, 40)} is not a JSON string`);
}

const NAME = /^[A-Za-z$][\w$-]{0,63}$/;

/** `name.familyName`, or with the URN of its schema. Undefined for anything else. */
export function parseAttributePath(word: string): AttributePath | undefined {
  const isUrn = /^urn:/i.test(word);
  // The version in a URN has a dot too, so the names begin after its last colon.
  const colon = isUrn ? word.lastIndexOf(':') : -1;
  const names = word.slice(colon + 1).split('.');
  const [attribute = '', sub] = names;
  if (names.length > 2 || !NAME.test(attribute) || (sub !== undefined && !NAME.test(sub))) return undefined;
  return { schema: isUrn ? word.slice(0, colon) : undefined, attribute, sub };
}

class FilterParser {
  readonly #tokens: readonly FilterToken[];
  readonly #refuse: Refusal;
  #at = 0;
  #comparisons = 0;

  constructor(input: string, refuse: Refusal) {
    this.#refuse = refuse;
    this.#tokens = tokenize(input, refuse);
  }

  filter(): ScimFilter {
    const filter = this.#or(0);
    this.#end();
    return filter;
  }

  patchPath(): PatchPath {
    const path = this.#path();
    if (this.#peek()?.kind !== '[') {
      this.#end();
      return { path, filter: undefined };
    }
    const filter = this.#brackets(path, 0);
    const rest = this.#peek();
    if (!rest) return { path, filter };
    this.#at += 1;
    const sub = rest.kind === 'word' && rest.text.startsWith('.') ? rest.text.slice(1) : '';
    if (!NAME.test(sub)) throw this.#unexpected(rest);
    this.#end();
    return { path: { ...path, sub }, filter };
  }

  #or(depth: number): ScimFilter {
    return this.#joined('or', () => this.#joined('and', () => this.#term(depth)));
  }

  #joined(kind: 'and' | 'or', next: () => ScimFilter): ScimFilter {
    const first = next();
    const filters = [first];
    while (this.#takeWord(kind)) filters.push(next());
    return filters.length === 1 ? first : { kind, filters };
  }

  #term(depth: number): ScimFilter {
    if (depth > DEPTH_MAX) throw this.#refuse(`it is nested deeper than ${DEPTH_MAX} levels`);
    if (this.#peek()?.kind === '(') return this.#group(depth);
    if (this.#peek(1)?.kind === '(' && this.#takeWord('not'))
      return { kind: 'not', filter: this.#group(depth) };
    const path = this.#path();
    if (this.#peek()?.kind === '[') return { kind: 'values', path, filter: this.#brackets(path, depth) };
    return this.#comparison(path);
  }

  #group(depth: number): ScimFilter {
    this.#take('(');
    const filter = this.#or(depth + 1);
    this.#take(')');
    return filter;
  }

  #brackets(path: AttributePath, depth: number): ScimFilter {
    if (path.sub !== undefined)
      throw this.#refuse(`${path.attribute}.${path.sub} has no values to select from`);
    this.#take('[');
    const filter = this.#or(depth + 1);
    this.#take(']');
    return filter;
  }

  #comparison(path: AttributePath): ScimFilter {
    this.#comparisons += 1;
    if (this.#comparisons > COMPARISONS_MAX)
      throw this.#refuse(`it has more than ${COMPARISONS_MAX} comparisons`);
    const operator = this.#take('word').text.toLowerCase();
    if (operator === 'pr') return { kind: 'present', path };
    if (!isOperator(operator)) throw this.#refuse(`${operator.slice(0, 40)} is no operator`);
    const given = this.#peek();
    if (given?.kind !== 'text' && given?.kind !== 'word') throw this.#unexpected(given);
    this.#at += 1;
    return {
      kind: 'compare',
      path,
      operator,
      value: given.kind === 'text' ? given.text : this.#literal(given),
    };
  }

  #literal(token: FilterToken): ScimLiteral {
    const word = token.text.toLowerCase();
    if (word === 'true') return true;
    if (word === 'false') return false;
    if (word === 'null') return null;
    if (/^-?\d{1,15}(\.\d{1,15})?$/.test(word)) return Number(word);
    throw this.#unexpected(token);
  }

  #path(): AttributePath {
    const token = this.#take('word');
    const path = parseAttributePath(token.text);
    if (!path) throw this.#refuse(`${token.text.slice(0, 40)} is no attribute`);
    return path;
  }

  #peek(ahead = 0): FilterToken | undefined {
    return this.#tokens[this.#at + ahead];
  }

  #take(kind: FilterToken['kind']): FilterToken {
    const token = this.#peek();
    if (token?.kind !== kind) throw this.#unexpected(token);
    this.#at += 1;
    return token;
  }

  #takeWord(word: string): boolean {
    const token = this.#peek();
    if (token?.kind !== 'word' || token.text.toLowerCase() !== word) return false;
    this.#at += 1;
    return true;
  }

  #end(): void {
    if (this.#peek()) throw this.#unexpected(this.#peek());
  }

  #unexpected(token: FilterToken | undefined): Error {
    return this.#refuse(token ? `${token.text.slice(0, 40)} is not expected there` : 'it is not complete');
  }
}

/** Parses a filter. 400 `invalidFilter` for anything else, and for one beyond the limits of length and depth. */
export const parseFilter = (input: string): ScimFilter =>
  new FilterParser(input, (reason) =>
    scimError('invalidFilter', `The filter cannot be read: ${reason}`),
  ).filter();

/** Parses the path of a PATCH operation: `attribute.sub` or `attribute[filter].sub`. 400 `invalidPath` otherwise. */
export const parsePatchPath = (input: string): PatchPath =>
  new FilterParser(input, (reason) =>
    scimError('invalidPath', `The path cannot be read: ${reason}`),
  ).patchPath();
