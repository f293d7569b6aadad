import { isFemaleTitle, isMaleTitle } from '../lexicon/persons.ts';
import { bare } from '../plain.ts';
import type { Gender, Language } from '../word.ts';

type Sex = Exclude<Gender, 'other'>;

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const FEMALE = words(
  'female femenino femenina feminin feminine feminino weiblich weibl femmina femminile mujer mulher femme frau donna vrouw vrouwelijk kvinna kvinne kvinde kobieta zena kadın kadin girl woman feminin fem',
);
const MALE = words(
  'male masculino masculin mannlich mannl maschio maschile hombre homem homme mann varon uomo man mannelijk mezczyzna mężczyzna muz erkek boy masc masculina',
);

/** Letters for the sexes, where a label or the report says in which language. */
// prettier-ignore
const LETTERS: Readonly<Record<string, Readonly<Record<string, Sex | 'doubtful'>>>> = {
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
const USUAL: Readonly<Record<string, Sex | 'doubtful'>> = { f: 'female', m: 'male', w: 'female' };

/** The months of "46 Y 3 M 11 D"; "58 M" says the sex. */
const MONTHS = /(\d+\s?[yaj]\p{L}*\s)\d+\s?m\p{L}*/gu;

/** The sex that a text says; null where it says none or both, or could mean either. */
export function sexIn(text: string, language: Language | string | null): Sex | null {
  const found = new Set<Sex>();
  const letters = LETTERS[language ?? ''] ?? USUAL;
  const all = bare(text.replaceAll(/(\d)(?=\p{L})/gu, '$1 '))
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

/** The sex under a label, of which nothing else is asked: what stands behind a sign of parting is none of it. */
export const sexInFirstPart = (text: string, language: string | null): Sex | null =>
  sexIn(text.split(/\s[·•|–—]\s|[;,]/u)[0] ?? '', language);

/** The sex that stands right behind a name or a date of birth: ", w" or "(Male)". */
export function sexBehind(text: string, language: Language | string | null): Sex | null {
  const bareOfAge = text.replace(
    /^[\s,;/(·|–-]*\d{1,3} ?(?:y(?:rs?|ears?)?|j(?:ahre)?|a(?:ños|nni|nos|ns)?)\b\.?(?: \d{1,2} ?(?:m(?:o(?:nth)?s?)?|d(?:ays?)?)\b\.?)*[)\]]?/iu,
    '',
  );
  const [, word = ''] = /^[\s,;/([·|–-]*(\p{L}+)\.?(?=$|[\s,;/)\]·|–-])/u.exec(bareOfAge) ?? [];
  if (word.length > 1 && (isFemaleTitle(word) || isMaleTitle(word))) return sexOfTitles([word]);
  return word === '' ? null : sexIn(word, language);
}

/** Whether a text is nothing but a sex written out. */
export const isSexWord = (text: string): boolean => FEMALE.has(bare(text)) || MALE.has(bare(text));

/** The sex that titles before a name say. */
export function sexOfTitles(titles: readonly string[]): Sex | null {
  if (titles.some(isFemaleTitle)) return 'female';
  return titles.some(isMaleTitle) ? 'male' : null;
}
