import { matchHeaderLabel } from '../lexicon/header-labels.ts';
import { hasAnalyteWord } from '../lexicon/analytes.ts';
import {
  isCredential,
  isAcademicTitle,
  isAmbiguousTitle,
  isNonNameWord,
  isParticle,
  isRelation,
  isSpanishTitle,
  isTitle,
} from '../lexicon/persons.ts';

/** A printed person name. */
export interface HeaderPerson {
  readonly first: string | null;
  readonly last: string | null;
  /** The text after the name: "12.03.1971, m". */
  readonly rest: string;
  /** Titles before the name, as printed. */
  readonly titles: readonly string[];
  /** Number of words of the name. */
  readonly words: number;
}

/** How a name is to be parsed. */
interface NameFormat {
  /** Whether the label says that the family name comes first. */
  readonly isFamilyFirst: boolean;
  /** Whether a label marks this as the patient, so that unusual names are accepted. */
  readonly isLabelled: boolean;
}

const WORD = /^\p{Lu}[\p{L}\p{M}'’`´.-]*$/u;
const MOST_WORDS = 7;

/** The person that a text begins with; undefined if it begins with anything else. */
export function parsePersonName(text: string, manner: NameFormat): HeaderPerson | undefined {
  const [, child, parent] = NEWBORN.exec(text) ?? [];
  if (child !== undefined && parent !== undefined)
    return toNewborn(child.trim(), parsePersonName(parent, manner));
  const { titles, words } = withoutTitles(splitNameWords(text));
  const parts: string[][] = [[]];
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (isEndOfName(words, at)) break;
    if (isCredential(word) && at > 1) return undefined;
    if (word === ',') parts.push([]);
    else if (isNamePart(word, at)) parts.at(-1)?.push(word);
    else return undefined;
  }
  const rest = words
    .slice(at)
    .join(' ')
    .replace(/^[\s,]+/, '');
  const filled = parts.filter((part) => part.length > 0);
  const all = filled.flat();
  if (
    !areNames(all, manner) ||
    filled.length > 2 ||
    (isCredential(rest.split(/[\s,]/)[0] ?? '') && all.length > 0)
  )
    return undefined;
  return { ...splitName(filled, manner), rest, titles, words: all.length };
}

/** A newborn has only the mother's name; her titles say nothing about the child. */
const NEWBORN =
  /^((?:b\/o|baby(?: ?(?:boy|girl))?(?: of)?|(?:infant|newborn|son|daughter) of|rn de|bebé de|hijo de|hija de|fils de|fille de|kind von)[.:]?\s)(.+)$/iu;

const toNewborn = (child: string, parent: HeaderPerson | undefined): HeaderPerson | undefined =>
  parent && { ...parent, first: parent.first === null ? child : `${child} ${parent.first}`, titles: [] };

/** Splits a name into words, with commas as separate words and lost blanks restored. */
function splitNameWords(text: string): string[] {
  return text
    .replace(/^[\s:#.,-]+/, '')
    .replaceAll('^', ', ')
    .replace(/^(\p{Lu}{4,})\.(?=\s?\p{Lu}{2})/u, (before, word: string) =>
      isTitle(word) ? before : `${word},`,
    )
    .replaceAll(/\b([sdwc])\/o\b/giu, '$1∕o')
    .replaceAll(/([\p{Ll}])(?=\p{Lu}\p{Ll}{2})/gu, (before, _letter: string, at: number) =>
      /(?:^|[\s,])(?:Mac|Mc|De|Di|Du|La|Le|Van|Von|Da|Del|Lo|Fitz|St|Ab|Al|El|Ben)$/.test(
        text.slice(0, at + 1),
      )
        ? before
        : `${before} `,
    )
    .replaceAll(/^((?:mr|mrs|ms|dr|herr|frau|sra?|sig|smt|mme|mlle|prof)\.)(?=\p{L})(?!ra\b)/giu, '$1 ')
    .replaceAll(/\s*,\s*/g, ' , ')
    .replaceAll(/([(*]|(?<!\d)\/|\/(?!\d))/g, ' $1 ')
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** Separates titles, at the start and after a comma: "Muster, Frau Anna". */
function withoutTitles(words: readonly string[]): { titles: string[]; words: string[] } {
  const titles: string[] = [];
  const kept: string[] = [];
  words.forEach((word, index) => {
    const isFront = kept.length === 0 || kept.at(-1) === ',';
    const following = words.slice(index + 1).filter((one) => WORD.test(one)).length;
    const needed = isSpanishTitle(word) ? 3 : isAmbiguousTitle(word) ? (kept.length === 0 ? 2 : 1) : 1;
    const isCalled = isTitle(word) || isSpanishTitle(word);
    // After a family name "M." is the initial of María, not monsieur.
    const isInitial = kept.length > 0 && word === 'M.';
    if (isInitial) kept.push(word);
    else if (isFront && isCalled && following >= needed) titles.push(word);
    else if (!(isFront && kept.length > 0 && isTitle(word))) kept.push(word);
    else titles.push(word);
  });
  const behind = kept.at(-1) ?? '';
  if (kept.length > 2 && isTitle(behind) && !isAmbiguousTitle(behind) && !isAcademicTitle(behind))
    titles.push(kept.pop() ?? '');
  return { titles, words: kept };
}

/** A date, a bracket, a relation or the next label ends a name; so does the sex after a comma. */
function isEndOfName(words: readonly string[], at: number): boolean {
  const word = words[at] ?? '';
  if (/^[\d(*/|·•<>[\]{}_=–—-]/.test(word)) return true;
  if (isRelation(word) || (/^(?:\p{L}\.){2,}$/u.test(word) && /^\d/.test(words[at + 1] ?? ''))) return at > 0;
  if (at === 0) return false;
  const label = matchHeaderLabel(words, at);
  if (label?.fields.some((field) => field === 'dob' || field === 'sex' || field === 'age')) return true;
  const isNumbered = /^#?\d/.test(words[at + (label?.count ?? 1)] ?? '');
  if (label && isNumbered && label.fields.some((field) => field === 'other' || field === 'specimen'))
    return true;
  const isLetterOfSex = /^[mf]$/iu.test(word) && /^(?:\/|\d|\()/.test(words[at + 1] ?? '');
  return isLetterOfSex || (words[at - 1] === ',' && SEX.test(word) && !isInitialAt(words, at));
}

/** "PAZ, M. INMACULADA": an initial after the first comma begins the given names if one follows. */
function isInitialAt(words: readonly string[], at: number): boolean {
  const next = words[at + 1] ?? '';
  return (
    /^\p{L}\.$/u.test(words[at] ?? '') &&
    words.indexOf(',') === at - 1 &&
    WORD.test(next) &&
    next.length > 2 &&
    !isNonNameWord(next) &&
    matchHeaderLabel(words, at + 1) === undefined
  );
}

const SEX =
  /^(?:m|f|w|h|male|female|m[äa]nnlich|weiblich|homme|femme|mujer|hombre|masculino|femenino|feminino|maschio|femmina)\.?$/iu;

const isNamePart = (word: string, at: number): boolean =>
  WORD.test(word) ||
  (isParticle(word) && /^\p{L}+$/u.test(word)) ||
  (at > 0 && /^(?:d'|de'|dell'|l'|o'|'t$)/iu.test(word));

/** Whether the words are a name: few or none of them are typical header words. */
function areNames(words: readonly string[], { isLabelled }: NameFormat): boolean {
  const solid = words.filter((word) => !isParticle(word) && word.replaceAll(/[^\p{L}]/gu, '').length > 1);
  const strange = solid.filter(isNonNameWord).length;
  const letters = words.join('').replaceAll(/[^\p{L}]/gu, '').length;
  if (isParticle(words.at(-1) ?? '') && !/^\p{Lu}/u.test(words.at(-1) ?? '')) return false;
  if (solid.length === 0 || words.length > MOST_WORDS || letters < 3) return false;
  if (isLabelled ? strange * 3 > solid.length : strange > 0) return false;
  // "PT" above "INR": what looks like a patient label is a test of a table.
  return !solid.every(hasAnalyteWord) && (isLabelled || solid.length > 1);
}

function splitName(
  parts: readonly (readonly string[])[],
  { isFamilyFirst }: NameFormat,
): { first: string | null; last: string | null } {
  const [before = [], after] = parts;
  if (after) return { last: before.join(' '), first: after.join(' ') };
  if (before.length === 1) return { first: null, last: before[0] ?? null };
  const loud = splitByCapitals(before);
  if (loud) return loud;
  const from = isFamilyFirst ? countFamilyWords(before) : findFamilyStart(before);
  return isFamilyFirst
    ? { last: before.slice(0, from).join(' '), first: before.slice(from).join(' ') }
    : { first: before.slice(0, from).join(' '), last: before.slice(from).join(' ') };
}

/** "MUSTER Hans Peter": the word in capitals is the family name. */
function splitByCapitals(words: readonly string[]): { first: string; last: string } | undefined {
  const isLoud = (word: string) => /\p{Lu}.*\p{Lu}/u.test(word) && word === word.toUpperCase();
  const loud = words.filter((word) => isLoud(word));
  if (loud.length === 0 || loud.length === words.length) return undefined;
  const begin = words.findIndex(isLoud);
  const end = words.findLastIndex(isLoud) + 1;
  const from = isParticle(words[begin - 1] ?? '') ? begin - 1 : begin;
  const first = [...words.slice(0, from), ...words.slice(end)];
  return first.length > 0 ? { last: words.slice(from, end).join(' '), first: first.join(' ') } : undefined;
}

/** Where a trailing family name begins: "Ludwig | van Beethoven", "Martin | Luther Jr.". */
function findFamilyStart(words: readonly string[]): number {
  let from = words.length - 1;
  if (/^(?:jr|sr|ii|iii|iv|junior|neto|filho)\.?$/iu.test(words[from] ?? '') && from > 1) from -= 1;
  while (from > 1 && isParticle(words[from - 1] ?? '')) from -= 1;
  return from;
}

/** How many leading words are the family name: "van der Berg | Jan". */
function countFamilyWords(words: readonly string[]): number {
  let count = 1;
  while (count < words.length - 1 && isParticle(words[count - 1] ?? '')) count += 1;
  return count;
}

/** Whether the titles are those of a physician. */
export const isPhysician = ({ titles }: HeaderPerson): boolean => titles.some(isAcademicTitle);
