import { languageOf } from '../reading/language.ts';
import { plain } from '../reading/plain.ts';
import { isUnit } from '../reading/units.ts';
import type { Language, Page, Word } from '../reading/word.ts';
import { knownByPlace } from './in-rows.ts';
import { withUnits } from './unit-columns.ts';
import { LEAST_LETTERS, type Vocabulary, sharedStart, shipped } from './vocabulary.ts';

/** A word that is read as surely as this is no slip. */
const NO_SLIP = 0.985;
/** As sure as a word or unit is that laboratories print: it was not read so by chance. */
const KNOWN = 0.95;
const CORRECTED = 0.9;
/** What was hardly read is not known by being like something; the signs of a unit leave less to chance. */
const HARDLY = 0.5;
const HARDLY_A_UNIT = 0.2;

/** A row of more words is a sentence. */
const MOST_OF_ROW = 10;

/**
 * Words of names that were read with one letter wrong put right, where what laboratories print leaves one choice; and
 * words and units that are printed so taken for sure. Numbers are left as they are.
 */
export function spelled(page: Page): Page {
  const words = shipped();
  const language = languageOf(page.words.map(({ text }) => text));
  const own = shipped(language ?? undefined);
  const isName = (word: Word): boolean => {
    const row = page.words.filter(({ box }) => Math.abs(box.y1 - word.box.y1) < word.fontSize / 2);
    return (
      row.length <= MOST_OF_ROW && !row.some(({ text, box }) => NUMBER.test(text) && box.x0 < word.box.x0)
    );
  };
  const accented = (language && ACCENTED[language]) ?? {};
  return {
    ...page,
    words: withUnits(knownByPlace(page.words)).map((word) => {
      const [, core = '', end = ''] = /^(.*?)([:.,;)]*)$/.exec(word.text) ?? [];
      const text = accented[core];
      if (text !== undefined) return { ...word, text: text + end };
      const whole = withThin(undoubled(word, own, isName), { own, all: words, isName });
      return whole === word ? wordRead(word, words, isName) : whole;
    }),
  };
}

/** Words of results and ranges that the recogniser reads without their accents, where another language has them so. */
// prettier-ignore
const ACCENTED: Readonly<Partial<Record<Language, Readonly<Record<string, string>>>>> = {
  // Elsewhere that is a thousand.
  en: { 'mil/mm3': 'mill/mm3', 'mil/mm³': 'mill/mm³' },
  es: { Limpido: 'Límpido', limpido: 'límpido', Ambar: 'Ámbar', ambar: 'ámbar', patologicos: 'patológicos', patologico: 'patológico', Optimo: 'Óptimo', optimo: 'óptimo', lutea: 'lútea', anos: 'años', ano: 'año', grisaceo: 'grisáceo', Metodo: 'Método' },
  fr: { a: 'à', inferieur: 'inférieur', superieur: 'supérieur', Inferieur: 'Inférieur', Superieur: 'Supérieur', Negatif: 'Négatif', negatif: 'négatif' },
  pt: { Limpido: 'Límpido', limpido: 'límpido', Desejavel: 'Desejável', desejavel: 'desejável', Indetectavel: 'Indetectável', Vestigios: 'Vestígios', Otimo: 'Ótimo', Nao: 'Não', nao: 'não', ovulatoria: 'ovulatória', lutea: 'lútea' },
};

/** A shorter word with a letter twice may be another one. */
const LEAST_UNDOUBLED = 7;

/**
 * Bilirrubina, where Bilirubina was read: a recogniser that goes over a line step by step takes a letter that comes
 * twice for one that is wide, as surely as any. Only what is a word with the letter twice alone in the language of the
 * page is put right.
 */
function undoubled(word: Word, own: Vocabulary, isName: (word: Word) => boolean): Word {
  const [core = ''] = /\p{L}+/u.exec(word.text) ?? [];
  if (core.length < LEAST_UNDOUBLED || plain(core).length !== core.length || own.has(plain(core)))
    return word;
  const right = own.doubled(plain(core));
  if (right === undefined || !isName(word)) return word;
  return { ...word, text: word.text.replace(core, likeBefore(core, right)) };
}

/** A shorter word that lacks a thin letter may be another one. */
const LONG = /\p{L}{8,}/u;

interface Known {
  readonly own: Vocabulary;
  readonly all: Vocabulary;
  readonly isName: (word: Word) => boolean;
}

/** Ferritina, where Ferrtina was read, as surely as any: no language has that, and of that of the page one word alone is thinner by a letter. */
function withThin(word: Word, { own, all, isName }: Known): Word {
  const [core = ''] = LONG.exec(word.text) ?? [];
  if (core === '' || plain(core).length !== core.length || all.has(plain(core))) return word;
  const right = own.thinned(plain(core));
  if (right === undefined || !isName(word)) return word;
  return { ...word, text: word.text.replace(core, likeBefore(core, right)) };
}

/** No single letter, which may be a flag. */
const UNIT_BY_SIGHT = /\p{L}{2}|\//u;

const NUMBER = /^[<>]?\d+(?:[.,]\d+)?$/;

function wordRead(word: Word, words: Vocabulary, isName: (word: Word) => boolean): Word {
  if (word.confidence >= NO_SLIP || word.confidence < HARDLY_A_UNIT) return word;
  const [, before = '', core = '', after = ''] = /^([^\p{L}\d]*)(.*?)([^\p{L}\d]*)$/u.exec(word.text) ?? [];
  const surely = (least: number): number => Math.max(word.confidence, least);
  if (/^[x×]$/.test(word.text) || (UNIT_BY_SIGHT.test(word.text) && isUnit(word.text)))
    return { ...word, confidence: surely(KNOWN) };
  if (word.confidence < HARDLY) return word;
  if (core.length < LEAST_LETTERS || !/^[\p{L}\d]+$/u.test(core) || plain(core).length !== core.length)
    return word;
  if (words.has(plain(core))) return { ...word, confidence: surely(KNOWN) };
  const right = isName(word) ? words.near(plain(core)) : undefined;
  if (right === undefined) return word;
  return { ...word, text: before + likeBefore(core, right) + after, confidence: surely(CORRECTED) };
}

/** The right word with the accents and capitals of what was read, where both have the same letters. */
function likeBefore(read: string, right: string): string {
  const isUpper = read === read.toUpperCase();
  const start = sharedStart(plain(read), right);
  const end = right.length - start - 1;
  const tail = end > 0 && plain(read).endsWith(right.slice(-end)) ? read.slice(-end) : '';
  const middle = right.slice(start, right.length - tail.length);
  const whole = read.slice(0, start) + (isUpper ? middle.toUpperCase() : middle) + tail;
  return /^\p{Lu}/u.test(read) || /^\d/.test(read) ? whole.charAt(0).toUpperCase() + whole.slice(1) : whole;
}
