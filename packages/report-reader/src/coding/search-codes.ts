import { setImmediate } from 'node:timers/promises';
import { plainText, wordsOf } from './plain-name.ts';

/** A code with everything that people know it by. */
export interface SearchableCode {
  readonly code: string;
  /** The LOINC long common name. */
  readonly longName: string;
  readonly shortName: string;
  readonly component: string;
  readonly displayName: string;
  readonly units: readonly string[];
  /** Other names, in several languages. */
  readonly names: readonly string[];
  /** Rank by frequency; 1 is the most common. */
  readonly rank: number;
}

interface SearchTable {
  readonly codes: readonly SearchableCode[];
  /** The words of all names, sorted, each with the positions of its codes. */
  readonly words: readonly string[];
  readonly postings: readonly Uint32Array[];
  /** Positions by a whole name. */
  readonly byName: ReadonlyMap<string, readonly number[]>;
  /** Positions in the order of the codes' text. */
  readonly byCode: readonly number[];
}

/** So many codes are indexed before other work of the process gets its turn. */
const CODES_AT_ONCE = 200;

/** Indexes the codes: a moment for the bundled ones, seconds for the full table, in which the process does other work too. */
export async function indexCodes(unsorted: readonly SearchableCode[]): Promise<SearchTable> {
  const codes = unsorted.toSorted((one, other) => one.rank - other.rank || compareText(one.code, other.code));
  const places = new Map<string, number[]>();
  const byName = new Map<string, number[]>();
  const wordsIn = memoizeWords();
  for (const [place, code] of codes.entries()) {
    if (place % CODES_AT_ONCE === 0) await setImmediate();
    for (const name of [code.component, code.displayName, code.shortName, code.longName, ...code.names]) {
      const words = wordsIn(name);
      if (words.length === 0) continue;
      addTo(byName, words.join(' '), place);
      for (const word of words) addTo(places, word, place);
    }
  }
  const words = [...places.keys()].toSorted(compareText);
  return {
    codes,
    words,
    postings: words.map((word) => Uint32Array.from(places.get(word) ?? [])),
    byName,
    byCode: codes
      .map((_, place) => place)
      .toSorted((a, b) => compareText(codeAt(codes, a), codeAt(codes, b))),
  };
}

/** Many codes share a component or a synonym. */
function memoizeWords(): (name: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (name) => {
    const words = known.get(name) ?? wordsOf(plainText(name));
    known.set(name, words);
    return words;
  };
}

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
const codeAt = (codes: readonly SearchableCode[], place: number): string => codes[place]?.code ?? '';

function addTo(map: Map<string, number[]>, key: string, place: number): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [place]);
  else if (known.at(-1) !== place) known.push(place);
}

const CODE = /^\d[\d-]*$/;

/**
 * The codes that fit a text, the best first: by the beginning of the code, else those that have every word of the text
 * at the beginning of one of theirs, in any order. A whole name comes first; within each, the most common codes do.
 */
export function searchCodes(table: SearchTable, text: string, limit: number): SearchableCode[] {
  const trimmed = text.trim();
  const found = CODE.test(trimmed) ? codesFrom(table, trimmed) : [];
  const wanted = [...new Set(wordsOf(plainText(trimmed)))];
  const named =
    wanted.length === 0 ? [] : [...(table.byName.get(wordsOf(plainText(trimmed)).join(' ')) ?? [])];
  const places = new Set([...found, ...named]);
  if (places.size < limit) for (const place of placesOf(table, wanted)) places.add(place);
  return [...places].slice(0, limit).flatMap((place) => table.codes[place] ?? []);
}

/** Codes that begin with a text, the exact one first, then the most common. */
function codesFrom({ codes, byCode }: SearchTable, text: string): number[] {
  const places: number[] = [];
  let at = lowerBound(byCode.length, (index) => codeAt(codes, byCode[index] ?? 0) >= text);
  for (; at < byCode.length; at += 1) {
    const place = byCode[at] ?? 0;
    if (!codeAt(codes, place).startsWith(text)) break;
    places.push(place);
  }
  const isExact = (place: number) => Number(codeAt(codes, place) === text);
  return places.toSorted((one, other) => isExact(other) - isExact(one) || one - other);
}

/** The places that have a word with each of these beginnings; places are in the order of rank. */
function placesOf({ codes, words, postings }: SearchTable, wanted: readonly string[]): number[] {
  if (wanted.length === 0) return [];
  const seen = new Uint8Array(codes.length);
  wanted.forEach((word, round) => {
    let at = lowerBound(words.length, (index) => (words[index] ?? '') >= word);
    for (; at < words.length && words[at]?.startsWith(word); at += 1)
      for (const place of postings[at] ?? []) if (seen[place] === round) seen[place] = round + 1;
  });
  const places: number[] = [];
  for (let place = 0; place < seen.length; place += 1) if (seen[place] === wanted.length) places.push(place);
  return places;
}

/** The first index for which a condition holds that holds for all after it. */
function lowerBound(length: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
