import type { LoincCode } from './code.ts';
import type { Hints } from './hints.ts';
import { type NameVariant } from './name-variants.ts';
import { agreementOf } from './score.ts';
import type { Term, TermIndex } from './terms.ts';

/** What names lead to: an analyte of ours with its codes in their order, or a code that LOINC names so. */
export interface Target {
  readonly key: string;
  readonly codes: readonly LoincCode[];
  readonly isAnalyte: boolean;
  /** English, for the answer. */
  readonly names: readonly string[];
}

export interface Candidate {
  readonly code: LoincCode;
  readonly target: Target;
  readonly score: number;
  /** 1 for a name that is known as a whole; likeness below. */
  readonly name: number;
  readonly unit: -1 | 0 | 1;
}

/** LOINC's own names are many for one word; the order of ours was chosen. */
const OWN_NAME = 0.93;
const STEP = 0.012;
/** Nothing that is merely like the name comes against this. */
const ENOUGH = 1.0;
/** A name known as a whole, or but for what goes without saying. */
export const WHOLE = 0.95;

export function candidatesOf(
  index: { terms: TermIndex; targets: readonly Target[] },
  variants: readonly NameVariant[],
  hints: Hints,
): readonly Candidate[] {
  const names = new Map<number, number>();
  for (const { words, weight } of variants) {
    for (const term of index.terms.whole(words)) note(names, term, weight + languagePoints(term, hints));
    for (const term of index.terms.inAnyOrder(words))
      note(names, term, weight - 0.01 + languagePoints(term, hints));
  }
  const exact = rank(index.targets, names, hints);
  const best = exact[0];
  if (best && (best.score >= ENOUGH || (best.name >= WHOLE && best.unit !== -1))) return exact;
  for (const { words, weight } of variants.slice(0, 4)) {
    const printed = printedName(words, index.terms);
    for (const { term, likeness } of index.terms.alike(words, 40)) {
      note(names, term, weight * likenessPoints(printed, term, likeness) + languagePoints(term, hints));
    }
  }
  return rank(index.targets, names, hints);
}

function note(names: Map<number, number>, term: Term, score: number): void {
  for (const target of term.targets) if (score > (names.get(target) ?? 0)) names.set(target, score);
}

/** Three letters mean many things; without knowing the language those of other languages are not believed. */
const SHORT_AND_FOREIGN = -0.2;

function languagePoints(term: Term, hints: Hints): number {
  if (term.languages.size === 0) return 0;
  if (hints.language === null)
    return term.languages.has('en') || term.words.join('').length > 3 ? 0 : SHORT_AND_FOREIGN;
  if (term.languages.has(hints.language)) return 0.02;
  return term.languages.has('en') ? -0.02 : -0.05;
}

/** Pieces of three letters see misread letters; words see what is missing. Short names have to be met as a whole. */
function likenessPoints(printed: PrintedName, { words }: Term, likeness: number): number {
  const shared = printed.words.filter((word) => words.includes(word)).length;
  const overlap = (2 * shared) / (printed.words.length + words.length);
  const length = Math.min(printed.length, words.join('').length);
  const trust = (length < 4 ? 0.6 : length < 6 ? 0.85 : 1) * (differsByMark(printed, words) ? 0.7 : 1);
  return trust * Math.min(0.95, 0.12 + 0.68 * likeness + 0.18 * overlap);
}

const isMark = (word: string): boolean => word.length < 3 || /\d/.test(word);
const isAbbreviation = (word: string): boolean => /^[^aeiouy\d]{3,4}$/.test(word);
/** As of CD4, B12 or C3. */
const isNumbered = (word: string): boolean => /^[a-z]{1,2}\d{1,2}$/.test(word);

const NEGATION = /^(?:no|non|not|nao|nicht|pas|sin|ohne|sans|senza|sem|without)$/;
/** What is not progressive is something else than what is. */
const denies = (words: readonly string[]): boolean => words.some((word) => NEGATION.test(word));

/** Beta 1 is neither beta nor alpha 1. */
const greekIn = (words: readonly string[]): string | undefined =>
  /\b(?:al(?:ph|f)a|beta|gamm?a|kappa|lambda|delta)(?: ?\d\b)?/
    .exec(words.join(' '))?.[0]
    .replace(/\s/, '')
    .replace('alfa', 'alpha')
    .replace('gama', 'gamma');

/** A name without a Greek letter may have it go without saying. */
function isOtherGreek(greek: string | undefined, others: readonly string[]): boolean {
  const other = greek === undefined ? undefined : greekIn(others);
  return other !== undefined && other !== greek;
}

interface PrintedName {
  readonly words: readonly string[];
  /** Its letters. */
  readonly length: number;
  readonly marks: readonly string[];
  /** Abbreviations and numbered words that other names have too: they are not misread. */
  readonly abbreviations: readonly string[];
  readonly numbered: readonly string[];
  readonly isDenied: boolean;
  readonly greek: string | undefined;
}

function printedName(words: readonly string[], terms: TermIndex): PrintedName {
  const known = words.filter((word) => terms.knows(word));
  return {
    words,
    length: words.join('').length,
    marks: words.filter(isMark),
    abbreviations: known.filter(isAbbreviation),
    numbered: known.filter(isNumbered),
    isDenied: denies(words),
    greek: greekIn(words),
  };
}

/** Vitamin E is not a misread vitamin D, HCV no HCG, and lymphocytes are no CD4 lymphocytes: such words part analytes. */
function differsByMark(
  { words, marks, abbreviations, numbered, isDenied, greek }: PrintedName,
  others: readonly string[],
): boolean {
  return (
    isDenied !== denies(others) ||
    isOtherGreek(greek, others) ||
    (marks.some((word) => !others.includes(word)) &&
      others.some((word) => isMark(word) && !words.includes(word))) ||
    (abbreviations.some((word) => !others.includes(word)) &&
      others.some((word) => isAbbreviation(word) && !words.includes(word))) ||
    numbered.some((word) => !others.includes(word))
  );
}

function rank(
  targets: readonly Target[],
  names: ReadonlyMap<number, number>,
  hints: Hints,
): readonly Candidate[] {
  const best = new Map<string, Candidate>();
  for (const [at, name] of names) {
    const target = targets[at];
    if (!target) continue;
    target.codes.forEach((code, place) => {
      const { points, unit } = agreementOf(
        code,
        hints,
        target.isAnalyte ? (target.codes[0]?.specimen ?? null) : null,
      );
      const usual = target.isAnalyte ? -STEP * Math.min(place, 6) : ownPoints(code);
      const score = name * (target.isAnalyte ? 1 : OWN_NAME) + points + usual;
      if (score > (best.get(code.code)?.score ?? 0)) best.set(code.code, { code, target, score, name, unit });
    });
  }
  return [...best.values()].sort((one, other) => other.score - one.score || one.code.rank - other.code.rank);
}

function ownPoints(code: LoincCode): number {
  const common = 0.03 * (1 - Math.log(code.rank) / Math.log(5_000));
  return common - (code.isChallenge ? 0.25 : 0) - (code.method === '' ? 0 : 0.03);
}
