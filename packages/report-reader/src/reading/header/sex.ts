import { isFemaleTitle, isMaleTitle } from '../lexicon/persons.ts';
import { normalizeWords } from '../text-normalization.ts';
import type { Gender, Language } from '../report-model.ts';

type PrintedSex = Exclude<Gender, 'other'>;

const toWordSet = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const FEMALE = toWordSet(
  'female femenino femenina feminin feminine feminino weiblich weibl femmina femminile mujer mulher femme frau donna vrouw vrouwelijk kvinna kvinne kvinde kobieta zena kadın kadin girl woman feminin fem',
);
const MALE = toWordSet(
  'male masculino masculin mannlich mannl maschio maschile hombre homem homme mann varon uomo man mannelijk mezczyzna mężczyzna muz erkek boy masc masculina',
);

/** Letters for the sexes by language of the label or report. */
// prettier-ignore
const LETTERS: Readonly<Record<string, Readonly<Record<string, PrintedSex | 'doubtful'>>>> = {
  // "M" is masculino in some countries and mujer in others.
  es: { f: 'female', h: 'male', v: 'male', m: 'doubtful' },
  'es-CL': { f: 'female', m: 'male', h: 'male', v: 'male' },
  fr: { f: 'female', h: 'male', m: 'male' },
  de: { w: 'female', f: 'female', m: 'male' },
  nl: { v: 'female', m: 'male', f: 'female' },
  sv: { k: 'female', m: 'male' },
  pl: { k: 'female', m: 'male' },
  cs: { z: 'female', m: 'male' },
  tr: { k: 'female', e: 'male' },
};
const USUAL: Readonly<Record<string, PrintedSex | 'doubtful'>> = { f: 'female', m: 'male', w: 'female' };

/** The months of "46 Y 3 M 11 D"; in "58 M" the letter is the sex. */
const MONTHS = /(\d+\s?[yaj]\p{L}*\s)\d+\s?m\p{L}*/gu;

/** The sex in a text; null if it has none or both, or is ambiguous. */
export function parseSex(text: string, language: Language | string | null): PrintedSex | null {
  const found = new Set<PrintedSex>();
  const letters = LETTERS[language ?? ''] ?? USUAL;
  const all = normalizeWords(text.replaceAll(/(\d)(?=\p{L})/gu, '$1 '))
    .replace(MONTHS, '$1')
    .split(' ');
  for (const word of all) {
    if (FEMALE.has(word)) found.add('female');
    else if (MALE.has(word)) found.add('male');
    const letter = letters[word];
    if (letter === 'doubtful') return null;
    if (letter) found.add(letter);
  }
  return found.size === 1 ? ([...found][0] ?? null) : null;
}

/** The sex under a label: only the text before the first separator counts. */
export const parseLabelSex = (text: string, language: string | null): PrintedSex | null =>
  parseSex(text.split(/\s[·•|–—]\s|[;,]/u)[0] ?? '', language);

/** The sex right after a name or a date of birth: ", w" or "(Male)". */
export function parseTrailingSex(text: string, language: Language | string | null): PrintedSex | null {
  const bareOfAge = text.replace(
    /^[\s,;/(·|–-]*\d{1,3} ?(?:y(?:rs?|ears?)?|j(?:ahre)?|a(?:ños|nni|nos|ns)?)\b\.?(?: \d{1,2} ?(?:m(?:o(?:nth)?s?)?|d(?:ays?)?)\b\.?)*[)\]]?/iu,
    '',
  );
  const [, word = ''] = /^[\s,;/([·|–-]*(\p{L}+)\.?(?=$|[\s,;/)\]·|–-])/u.exec(bareOfAge) ?? [];
  if (word.length > 1 && (isFemaleTitle(word) || isMaleTitle(word))) return inferSexFromTitles([word]);
  return word === '' ? null : parseSex(word, language);
}

/** Whether a text is only a word for a sex. */
export const isSexWord = (text: string): boolean =>
  FEMALE.has(normalizeWords(text)) || MALE.has(normalizeWords(text));

/** The sex implied by titles before a name. */
export function inferSexFromTitles(titles: readonly string[]): PrintedSex | null {
  if (titles.some(isFemaleTitle)) return 'female';
  return titles.some(isMaleTitle) ? 'male' : null;
}
