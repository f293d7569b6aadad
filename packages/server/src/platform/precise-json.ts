/*
 * JSON whose numbers keep what was written. `JSON.parse` reads `5.10` as 5.1, and an integer of 20 digits as another
 * one; Node 20 gives a reviver no access to the source. The grammar is that of `JSON.parse`. In addition, a key that is
 * twice in an object and a nesting beyond the limit are errors: `JSON.parse` takes the last value silently, and
 * recursive code behind it would exhaust the stack.
 */

/** A number whose literal says more than its value: `5.10`, `1e3`, `-0`, `12345678901234567890`. */
export class DecimalLiteral {
  /** By the grammar of JSON numbers. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** For `JSON.stringify`, which can write the nearest number only; `stringifyPreciseJson` writes the literal. */
  toJSON(): number {
    return Number(this.text);
  }

  toString(): string {
    return this.text;
  }
}

/** Says what is wrong, and where; contains nothing of the text. */
export class PreciseJsonError extends Error {}

const DEPTH_MAX = 100;

const BLANK = new Set([32, 9, 13, 10]);
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const KEYWORD = /true|false|null/y;
const KEYWORDS: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };

/** The position of the reader in its text. */
interface JsonCursor {
  readonly text: string;
  at: number;
}

/**
 * Parses JSON. A number that `String` would write as it is written is a number, every other one a `DecimalLiteral`.
 * Throws a PreciseJsonError.
 */
export function parsePreciseJson(text: string): unknown {
  const cursor: JsonCursor = { text, at: 0 };
  const value = readValue(cursor, 1);
  if (cursor.at < text.length) throw createSyntaxError(cursor);
  return value;
}

/** The number of a JSON literal, as `parsePreciseJson` returns it. */
export function toPreciseNumber(literal: string): number | DecimalLiteral {
  const value = Number(literal);
  return String(value) === literal ? value : new DecimalLiteral(literal);
}

const createSyntaxError = ({ at }: JsonCursor): PreciseJsonError =>
  new PreciseJsonError(`The body is not JSON: unexpected text or end at character ${at + 1}`);

/** Takes what the pattern matches here; undefined if it does not match. */
function take(cursor: JsonCursor, pattern: RegExp): string | undefined {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text)?.[0];
  if (found !== undefined) cursor.at += found.length;
  return found;
}

/** By characters, because nearly always there is nothing to skip. */
function skipBlank(cursor: JsonCursor): void {
  while (BLANK.has(cursor.text.charCodeAt(cursor.at))) cursor.at += 1;
}

/** Takes the character after white space; false if another one is there. */
function takeCharacter(cursor: JsonCursor, character: string): boolean {
  skipBlank(cursor);
  if (cursor.text[cursor.at] !== character) return false;
  cursor.at += 1;
  return true;
}

function readValue(cursor: JsonCursor, depth: number): unknown {
  skipBlank(cursor);
  const value = readValueHere(cursor, depth);
  skipBlank(cursor);
  return value;
}

function readValueHere(cursor: JsonCursor, depth: number): unknown {
  const first = cursor.text[cursor.at];
  if (first === '"') return readString(cursor);
  if (first === '{' || first === '[') {
    if (depth > DEPTH_MAX) throw new PreciseJsonError(`The JSON is nested deeper than ${DEPTH_MAX} levels`);
    cursor.at += 1;
    return first === '{' ? readObject(cursor, depth) : readArray(cursor, depth);
  }
  const number = take(cursor, NUMBER);
  if (number !== undefined) return toPreciseNumber(number);
  const keyword = take(cursor, KEYWORD);
  if (keyword === undefined) throw createSyntaxError(cursor);
  return KEYWORDS[keyword];
}

function readObject(cursor: JsonCursor, depth: number): object {
  const read: Record<string, unknown> = {};
  if (takeCharacter(cursor, '}')) return read;
  do {
    skipBlank(cursor);
    const start = cursor.at;
    if (cursor.text[start] !== '"') throw createSyntaxError(cursor);
    const key = readString(cursor);
    if (Object.hasOwn(read, key)) {
      throw new PreciseJsonError(`The JSON has a key twice in one object, at character ${start + 1}`);
    }
    if (!takeCharacter(cursor, ':')) throw createSyntaxError(cursor);
    setKey(read, key, readValue(cursor, depth + 1));
  } while (takeCharacter(cursor, ','));
  if (!takeCharacter(cursor, '}')) throw createSyntaxError(cursor);
  return read;
}

/** As `JSON.parse` does: `__proto__` is a key like others and sets no prototype. */
function setKey(read: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') read[key] = value;
  else Object.defineProperty(read, key, { value, writable: true, enumerable: true, configurable: true });
}

function readArray(cursor: JsonCursor, depth: number): unknown[] {
  const read: unknown[] = [];
  if (takeCharacter(cursor, ']')) return read;
  do read.push(readValue(cursor, depth + 1));
  while (takeCharacter(cursor, ','));
  if (!takeCharacter(cursor, ']')) throw createSyntaxError(cursor);
  return read;
}

/** What a string without escapes cannot have. */
// eslint-disable-next-line no-control-regex
const ESCAPE_OR_CONTROL = /[\\\u0000-\u001f]/;

/** Finds the closing quote; `JSON.parse` checks and decodes what is between if it is no plain text. */
function readString(cursor: JsonCursor): string {
  const { text, at: start } = cursor;
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  if (end === -1) throw createSyntaxError({ text, at: text.length });
  cursor.at = end + 1;
  const plain = text.slice(start + 1, end);
  if (!ESCAPE_OR_CONTROL.test(plain)) return plain;
  try {
    const read: unknown = JSON.parse(text.slice(start, end + 1));
    return String(read);
  } catch {
    throw createSyntaxError({ text, at: start });
  }
}

/** Whether an odd number of backslashes is before the position. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text[before] === '\\') before -= 1;
  return (at - 1 - before) % 2 === 1;
}

/** As `JSON.stringify`, with the literals of `DecimalLiteral`. */
export function stringifyPreciseJson(value: unknown): string {
  if (value instanceof DecimalLiteral) return value.text;
  if (Array.isArray(value)) return `[${value.map((each) => stringifyPreciseJson(each ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return JSON.stringify(value);
  const entries = Object.entries(value).flatMap(([key, each]) =>
    each === undefined ? [] : [`${JSON.stringify(key)}:${stringifyPreciseJson(each)}`],
  );
  return `{${entries.join(',')}}`;
}
