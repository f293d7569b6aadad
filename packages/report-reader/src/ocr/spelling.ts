import { detectLanguage } from '../reading/language.ts';
import { normalizeText } from '../reading/text-normalization.ts';
import { isUnit } from '../reading/units.ts';
import type { Language, ReportPage, ReportWord } from '../reading/report-model.ts';
import { correctByContext } from './row-context.ts';
import { correctUnits } from './unit-columns.ts';
import { MIN_LETTERS, type LabVocabulary, commonPrefixLength, loadVocabulary } from './vocabulary.ts';

/** Words with this confidence are never corrected. */
const CERTAIN = 0.985;
/** Minimum confidence of a word or unit that is in the vocabulary: it was not read so by chance. */
const KNOWN = 0.95;
const CORRECTED = 0.9;
/** Below these confidences, a word or a unit is not corrected by similarity. */
const HARDLY = 0.5;
const HARDLY_A_UNIT = 0.2;

/** A row with more words is a sentence. */
const MOST_OF_ROW = 10;

/**
 * Corrects words of test names that have one wrong letter, if the vocabulary leaves exactly one choice. Raises the
 * confidence of words and units that are in the vocabulary. Never changes numbers.
 */
export function correctSpelling(page: ReportPage): ReportPage {
  const words = loadVocabulary();
  const language = detectLanguage(page.words.map(({ text }) => text));
  const own = loadVocabulary(language ?? undefined);
  const isName = (word: ReportWord): boolean => {
    const row = page.words.filter(({ box }) => Math.abs(box.y1 - word.box.y1) < word.fontSize / 2);
    return (
      row.length <= MOST_OF_ROW && !row.some(({ text, box }) => NUMBER.test(text) && box.x0 < word.box.x0)
    );
  };
  const accented = (language && ACCENTED[language]) ?? {};
  return {
    ...page,
    words: correctUnits(correctByContext(page.words)).map((word) => {
      const [, core = '', end = ''] = /^(.*?)([:.,;)]*)$/.exec(word.text) ?? [];
      const text = accented[core];
      if (text !== undefined) return { ...word, text: text + end };
      const whole = restoreThinLetter(restoreDoubledLetter(word, own, isName), { own, all: words, isName });
      return whole === word ? correctWord(word, words, isName) : whole;
    }),
  };
}

/** Words of results and ranges that the recognizer reads without accents, and that exist so in another language. */
// prettier-ignore
const ACCENTED: Readonly<Partial<Record<Language, Readonly<Record<string, string>>>>> = {
  // In other languages `mil` means thousand.
  en: { 'mil/mm3': 'mill/mm3', 'mil/mm³': 'mill/mm³' },
  es: { Limpido: 'Límpido', limpido: 'límpido', Ambar: 'Ámbar', ambar: 'ámbar', patologicos: 'patológicos', patologico: 'patológico', Optimo: 'Óptimo', optimo: 'óptimo', lutea: 'lútea', anos: 'años', ano: 'año', grisaceo: 'grisáceo', Metodo: 'Método' },
  fr: { a: 'à', inferieur: 'inférieur', superieur: 'supérieur', Inferieur: 'Inférieur', Superieur: 'Supérieur', Negatif: 'Négatif', negatif: 'négatif' },
  pt: { Limpido: 'Límpido', limpido: 'límpido', Desejavel: 'Desejável', desejavel: 'desejável', Indetectavel: 'Indetectável', Vestigios: 'Vestígios', Otimo: 'Ótimo', Nao: 'Não', nao: 'não', ovulatoria: 'ovulatória', lutea: 'lútea' },
};

/** With a doubled letter, a shorter word may be another word. */
const LEAST_UNDOUBLED = 7;

/**
 * Restores doubled letters, such as Bilirrubina from Bilirubina. A CTC recognizer takes a double letter for one wide
 * letter, with full confidence. Corrects only if the language of the page has the word with the double letter alone.
 */
function restoreDoubledLetter(
  word: ReportWord,
  own: LabVocabulary,
  isName: (word: ReportWord) => boolean,
): ReportWord {
  const [core = ''] = /\p{L}+/u.exec(word.text) ?? [];
  if (
    core.length < LEAST_UNDOUBLED ||
    normalizeText(core).length !== core.length ||
    own.has(normalizeText(core))
  )
    return word;
  const right = own.findWithDoubledLetter(normalizeText(core));
  if (right === undefined || !isName(word)) return word;
  return { ...word, text: word.text.replace(core, restoreCase(core, right)) };
}

/** A shorter word without a thin letter may be another word. */
const LONG = /\p{L}{8,}/u;

interface SpellingContext {
  readonly own: LabVocabulary;
  readonly all: LabVocabulary;
  readonly isName: (word: ReportWord) => boolean;
}

/** Restores a lost thin letter, such as Ferritina from Ferrtina, if no language has the word as read. */
function restoreThinLetter(word: ReportWord, { own, all, isName }: SpellingContext): ReportWord {
  const [core = ''] = LONG.exec(word.text) ?? [];
  if (core === '' || normalizeText(core).length !== core.length || all.has(normalizeText(core))) return word;
  const right = own.findWithThinLetter(normalizeText(core));
  if (right === undefined || !isName(word)) return word;
  return { ...word, text: word.text.replace(core, restoreCase(core, right)) };
}

/** At least two letters or a slash; a single letter may be a flag. */
const UNIT_BY_SIGHT = /\p{L}{2}|\//u;

const NUMBER = /^[<>]?\d+(?:[.,]\d+)?$/;

function correctWord(
  word: ReportWord,
  words: LabVocabulary,
  isName: (word: ReportWord) => boolean,
): ReportWord {
  if (word.confidence >= CERTAIN || word.confidence < HARDLY_A_UNIT) return word;
  const [, before = '', core = '', after = ''] = /^([^\p{L}\d]*)(.*?)([^\p{L}\d]*)$/u.exec(word.text) ?? [];
  const surely = (least: number): number => Math.max(word.confidence, least);
  if (/^[x×]$/.test(word.text) || (UNIT_BY_SIGHT.test(word.text) && isUnit(word.text)))
    return { ...word, confidence: surely(KNOWN) };
  if (word.confidence < HARDLY) return word;
  if (core.length < MIN_LETTERS || !/^[\p{L}\d]+$/u.test(core) || normalizeText(core).length !== core.length)
    return word;
  if (words.has(normalizeText(core))) return { ...word, confidence: surely(KNOWN) };
  const right = isName(word) ? words.findSimilar(normalizeText(core)) : undefined;
  if (right === undefined) return word;
  return { ...word, text: before + restoreCase(core, right) + after, confidence: surely(CORRECTED) };
}

/** The corrected word, with the accents and capitals of the original where the letters agree. */
function restoreCase(read: string, right: string): string {
  const isUpper = read === read.toUpperCase();
  const start = commonPrefixLength(normalizeText(read), right);
  const end = right.length - start - 1;
  const tail = end > 0 && normalizeText(read).endsWith(right.slice(-end)) ? read.slice(-end) : '';
  const middle = right.slice(start, right.length - tail.length);
  const whole = read.slice(0, start) + (isUpper ? middle.toUpperCase() : middle) + tail;
  return /^\p{Lu}/u.test(read) || /^\d/.test(read) ? whole.charAt(0).toUpperCase() + whole.slice(1) : whole;
}
