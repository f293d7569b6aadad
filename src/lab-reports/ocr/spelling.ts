import { readFileSync, readdirSync } from 'node:fs';
import { packageRoot } from '../../platform/config.ts';
import { languageOf } from '../reading/language.ts';
import { plain } from '../reading/plain.ts';
import { isUnit } from '../reading/units.ts';
import type { Language, Page, Word } from '../reading/word.ts';

/** Shorter words are too like each other. */
const LEAST_LETTERS = 5;
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
  const isName = (word: Word): boolean => {
    const row = page.words.filter(({ box }) => Math.abs(box.y1 - word.box.y1) < word.fontSize / 2);
    return (
      row.length <= MOST_OF_ROW && !row.some(({ text, box }) => NUMBER.test(text) && box.x0 < word.box.x0)
    );
  };
  const accented = ACCENTED[languageOf(page.words.map(({ text }) => text)) ?? 'en'] ?? {};
  return {
    ...page,
    words: page.words.map((word) => {
      const [, core = '', end = ''] = /^(.*?)([:.,;)]*)$/.exec(word.text) ?? [];
      const text = accented[core];
      return text === undefined ? wordRead(word, words, isName) : { ...word, text: text + end };
    }),
  };
}

/** Words of results and ranges that the recogniser reads without their accents, where another language has them so. */
// prettier-ignore
const ACCENTED: Readonly<Partial<Record<Language, Readonly<Record<string, string>>>>> = {
  es: { Limpido: 'Límpido', limpido: 'límpido', Ambar: 'Ámbar', ambar: 'ámbar', patologicos: 'patológicos', patologico: 'patológico', Optimo: 'Óptimo', optimo: 'óptimo', lutea: 'lútea', anos: 'años', ano: 'año', grisaceo: 'grisáceo', Metodo: 'Método' },
  fr: { a: 'à', inferieur: 'inférieur', superieur: 'supérieur', Inferieur: 'Inférieur', Superieur: 'Supérieur', Negatif: 'Négatif', negatif: 'négatif' },
  pt: { Limpido: 'Límpido', limpido: 'límpido', Desejavel: 'Desejável', desejavel: 'desejável', Indetectavel: 'Indetectável', Vestigios: 'Vestígios', Otimo: 'Ótimo', Nao: 'Não', nao: 'não' },
};

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

function sharedStart(left: string, right: string): number {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  return at;
}

interface Vocabulary {
  has(word: string): boolean;
  /** The only word that print of this look may be; undefined for none or several. */
  near(word: string): string | undefined;
}

/** Letters that are taken for each other, and those that are so thin that they are overlooked. */
const ALIKE = ['il1tjf', 'oce06', 'gq9', 'cg', 'uvy', 'nhr', 'bh', 's5z', 'mn'];
const THIN = 'iltrfj1';

/** Words in small letters without accents. */
function vocabularyOf(list: Iterable<string>): Vocabulary {
  const words = new Set([...list].filter((word) => word.length >= LEAST_LETTERS));
  const holed = new Map<string, Set<string>>();
  for (const word of words)
    for (const hole of holesOf(word)) holed.set(hole, (holed.get(hole) ?? new Set()).add(word));
  return {
    has: (word) => words.has(word),
    near: (word) => {
      const found = new Set(
        [...(holed.get(word) ?? [])].filter((other) => THIN.includes(extraIn(other, word))),
      );
      for (const hole of holesOf(word))
        for (const other of holed.get(hole) ?? []) if (isLike(word, other)) found.add(other);
      return found.size === 1 ? [...found][0] : undefined;
    },
  };
}

/** The word without each of its letters in turn, but for the last, which is of its grammar. */
const holesOf = (word: string): string[] =>
  Array.from(word.slice(0, -1), (_, at) => word.slice(0, at) + word.slice(at + 1));

const extraIn = (long: string, short: string): string => long.charAt(sharedStart(long, short));

/** Whether two words of one length differ in one letter only, and that one looks like the other. */
function isLike(left: string, right: string): boolean {
  const at = sharedStart(left, right);
  const [one = '', other = ''] = [left[at], right[at]];
  return (
    left.length === right.length &&
    left.slice(at + 1) === right.slice(at + 1) &&
    ALIKE.some((letters) => letters.includes(one) && letters.includes(other))
  );
}

let loaded: Vocabulary | undefined;

/** What laboratories print, of the names in six languages that come with the codes. */
function shipped(): Vocabulary {
  if (loaded) return loaded;
  const folder = new URL('data/loinc/names/', packageRoot(import.meta.url));
  const texts = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'));
  return (loaded = vocabularyOf(texts.flatMap((text) => plain(text).match(/[\p{L}\d]+/gu) ?? [])));
}
