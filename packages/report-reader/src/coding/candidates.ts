import { fitsClass } from './class-fit.ts';
import type { LoincCode } from './code.ts';
import type { LineHints } from './hints.ts';
import { type NameVariant } from './name-variants.ts';
import { scoreAgreement } from './score.ts';
import type { LoincTerm, LoincTermIndex } from './terms.ts';

/** What a name refers to: an analyte of our list with its codes, most usual first, or codes that have it in LOINC. */
export interface CodingTarget {
  readonly key: string;
  readonly codes: readonly LoincCode[];
  readonly isAnalyte: boolean;
  /** English names, for the response. */
  readonly names: readonly string[];
}

export interface CodeCandidate {
  readonly code: LoincCode;
  readonly target: CodingTarget;
  readonly score: number;
  /** 1 for an exact name; below 1 the similarity. */
  readonly name: number;
  readonly unit: -1 | 0 | 1;
}

/** LOINC has many codes for one word, so its names count less than our curated ones. */
const LOINC_NAME_FACTOR = 0.93;
const RANK_STEP = 0.012;
/** From this score on, similar names are not searched. */
const CERTAIN_SCORE = 1.0;
/** Score of an exact name, or of one that lacks only implied words. */
export const WHOLE_NAME = 0.95;

export function scoreCandidates(
  index: { terms: LoincTermIndex; targets: readonly CodingTarget[] },
  variants: readonly NameVariant[],
  hints: LineHints,
): readonly CodeCandidate[] {
  const names = new Map<number, number>();
  for (const { words, weight } of variants) {
    for (const term of index.terms.findExact(words))
      keepBest(names, term, weight + languagePoints(term, hints));
    for (const term of index.terms.findInAnyOrder(words))
      keepBest(names, term, weight - 0.01 + languagePoints(term, hints));
  }
  const exact = rank(index.targets, names, hints);
  const best = exact[0];
  if (best && (best.score >= CERTAIN_SCORE || (best.name >= WHOLE_NAME && best.unit !== -1))) return exact;
  for (const { words, weight } of variants.slice(0, 4)) {
    const printed = printedName(words, index.terms);
    for (const { term, likeness } of index.terms.findSimilar(words, 40)) {
      keepBest(names, term, weight * likenessPoints(printed, term, likeness) + languagePoints(term, hints));
    }
  }
  return rank(index.targets, names, hints);
}

function keepBest(names: Map<number, number>, term: LoincTerm, score: number): void {
  for (const target of term.targets) if (score > (names.get(target) ?? 0)) names.set(target, score);
}

/** Abbreviations are ambiguous: if the language is unknown, short names of other languages get a penalty. */
const SHORT_AND_FOREIGN = -0.2;

function languagePoints(term: LoincTerm, hints: LineHints): number {
  if (term.languages.size === 0) return 0;
  if (hints.language === null)
    return term.languages.has('en') || term.words.join('').length > 3 ? 0 : SHORT_AND_FOREIGN;
  if (term.languages.has(hints.language)) return 0.02;
  return term.languages.has('en') ? -0.02 : -0.05;
}

/** Combines trigram similarity (misread letters) with word overlap (missing words). Short names count less. */
function likenessPoints(printed: PrintedName, { words }: LoincTerm, likeness: number): number {
  const shared = printed.words.filter((word) => words.includes(word)).length;
  const overlap = (2 * shared) / (printed.words.length + words.length);
  const length = Math.min(printed.length, words.join('').length);
  const trust = (length < 4 ? 0.6 : length < 6 ? 0.85 : 1) * (hasOtherMark(printed, words) ? 0.7 : 1);
  return trust * Math.min(0.95, 0.12 + 0.68 * likeness + 0.18 * overlap);
}

const isMark = (word: string): boolean => word.length < 3 || /\d/.test(word);
const isAbbreviation = (word: string): boolean => /^[^aeiouy\d]{3,4}$/.test(word);
/** Such as CD4, B12 or C3. */
const isNumbered = (word: string): boolean => /^[a-z]{1,2}\d{1,2}$/.test(word);

const NEGATION = /^(?:no|non|not|nao|nicht|pas|sin|ohne|sans|senza|sem|without)$/;
/** A negated name means another analyte. */
const hasNegation = (words: readonly string[]): boolean => words.some((word) => NEGATION.test(word));

/** The Greek letter of a name with its number: beta 1 is neither beta nor alpha 1. */
const findGreek = (words: readonly string[]): string | undefined =>
  /\b(?:al(?:ph|f)a|beta|gamm?a|kappa|lambda|delta)(?: ?\d\b)?/
    .exec(words.join(' '))?.[0]
    .replace(/\s/, '')
    .replace('alfa', 'alpha')
    .replace('gama', 'gamma');

/** Whether two names have different Greek letters. A name without one may imply it. */
function hasOtherGreek(greek: string | undefined, others: readonly string[]): boolean {
  const other = greek === undefined ? undefined : findGreek(others);
  return other !== undefined && other !== greek;
}

interface PrintedName {
  readonly words: readonly string[];
  /** Number of letters. */
  readonly length: number;
  readonly marks: readonly string[];
  /** Abbreviations and numbered words that the index knows, so they are not misread. */
  readonly abbreviations: readonly string[];
  readonly numbered: readonly string[];
  readonly isDenied: boolean;
  readonly greek: string | undefined;
}

function printedName(words: readonly string[], terms: LoincTermIndex): PrintedName {
  const known = words.filter((word) => terms.hasWord(word));
  return {
    words,
    length: words.join('').length,
    marks: words.filter(isMark),
    abbreviations: known.filter(isAbbreviation),
    numbered: known.filter(isNumbered),
    isDenied: hasNegation(words),
    greek: findGreek(words),
  };
}

/** Whether a distinguishing word differs: vitamin E is not a misread vitamin D, and HCV is not HCG. */
function hasOtherMark(
  { words, marks, abbreviations, numbered, isDenied, greek }: PrintedName,
  others: readonly string[],
): boolean {
  return (
    isDenied !== hasNegation(others) ||
    hasOtherGreek(greek, others) ||
    (marks.some((word) => !others.includes(word)) &&
      others.some((word) => isMark(word) && !words.includes(word))) ||
    (abbreviations.some((word) => !others.includes(word)) &&
      others.some((word) => isAbbreviation(word) && !words.includes(word))) ||
    numbered.some((word) => !others.includes(word))
  );
}

function rank(
  targets: readonly CodingTarget[],
  names: ReadonlyMap<number, number>,
  hints: LineHints,
): readonly CodeCandidate[] {
  const best = new Map<string, CodeCandidate>();
  for (const [at, name] of names) {
    const target = targets[at];
    if (!target) continue;
    target.codes.forEach((code, place) => {
      if (!fitsClass(code, hints, name)) return;
      const { points, unit } = scoreAgreement(
        code,
        hints,
        target.isAnalyte ? (target.codes[0]?.specimen ?? null) : null,
      );
      const usual = target.isAnalyte ? -RANK_STEP * Math.min(place, 6) : loincNamePoints(code);
      const score = name * (target.isAnalyte ? 1 : LOINC_NAME_FACTOR) + points + usual;
      if (score > (best.get(code.code)?.score ?? 0)) best.set(code.code, { code, target, score, name, unit });
    });
  }
  return [...best.values()].sort((one, other) => other.score - one.score || one.code.rank - other.code.rank);
}

function loincNamePoints(code: LoincCode): number {
  const common = 0.03 * (1 - Math.log(code.rank) / Math.log(5_000));
  return common - (code.isChallenge ? 0.25 : 0) - (code.method === '' ? 0 : 0.03);
}
