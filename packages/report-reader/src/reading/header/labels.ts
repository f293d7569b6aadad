import { dateLength, readDate } from '../dates.ts';
import { type HeaderField, type HeaderLabel, matchHeaderLabel } from '../lexicon/header-labels.ts';
import { isTitle } from '../lexicon/persons.ts';
import { parsePersonName } from './person.ts';
import { type TextRow, joinWords } from '../rows.ts';
import type { BoundingBox, ReportWord } from '../report-model.ts';
import { uniteBoxes } from '../report-model.ts';

/** A line of the report header with its labels. */
export interface HeaderLine {
  /** Words that hold a label and its value are split. */
  readonly words: readonly ReportWord[];
  readonly spots: readonly LabelMatch[];
  readonly row: TextRow;
  readonly index: number;
}

/** A label at its position: the words from `begin` up to, not including, `end` of its line. */
export interface LabelMatch {
  readonly label: HeaderLabel;
  readonly begin: number;
  readonly end: number;
  readonly line: number;
  readonly box: BoundingBox;
  /** Only the position shows that these words are a label: no colon follows. */
  readonly isBare: boolean;
}

/** In font sizes: wider gaps separate the fields of different labels. */
const GAP = 0.7;

/** Bilingual reports print labels twice; words in an unsupported alphabet are ignored. */
const FOREIGN =
  /^[^\p{Script=Latin}\p{N}]*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Han}\p{Script=Hangul}\p{Script=Thai}\p{Script=Cyrillic}\p{Script=Devanagari}\p{Script=Tamil}\p{Script=Hiragana}\p{Script=Katakana}][^\p{Script=Latin}\p{N}]*$/u;

export function readHeaderLines(rows: readonly TextRow[]): HeaderLine[] {
  return rows.map((row, index) => {
    const words = row.words.filter(({ text }) => !FOREIGN.test(text)).flatMap(splitLabelFromValue);
    return { words, row, index, spots: matchLabels(words, row, index) };
  });
}

/** "DOB:07/15/2001" and "*12.03.1971" are a label with its value. */
function splitLabelFromValue(word: ReportWord): ReportWord[] {
  const star = /^\*(?=\d{1,2}[./]\d)/.exec(word.text);
  const at = star ? 0 : word.text.search(/:(?=[^\d\s:])|(?<=[\p{L})]):(?=\d)/u);
  if ((at < 1 && !star) || at === word.text.length - 1 || /:\/\//.test(word.text)) return [word];
  const perLetter = (word.box.x1 - word.box.x0) / word.text.length;
  const middle = word.box.x0 + (at + 1) * perLetter;
  return [
    { ...word, text: word.text.slice(0, at + 1), box: { ...word.box, x1: middle } },
    { ...word, text: word.text.slice(at + 1), box: { ...word.box, x0: middle } },
  ];
}

const BIRTH_STAR: HeaderLabel = {
  fields: ['dob'],
  count: 1,
  language: null,
  isFamilyFirst: false,
  isWeak: false,
};

/** Separators within a line; the second set never occurs within a label. */
const SEPARATOR = /^[·•|¦—–/-]$/u;
const NO_LABEL = /^[·•|¦]$/u;

function matchLabels(words: readonly ReportWord[], row: TextRow, line: number): LabelMatch[] {
  const texts = words.map((word) => word.text);
  const apart = measureLabelGap(words, row);
  const spots: LabelMatch[] = [];
  for (let at = 0; at < words.length;) {
    const label =
      texts[at] === '*'
        ? BIRTH_STAR
        : matchHeaderLabel(texts.slice(0, findGapAfter(words, at, 0.9 * row.fontSize)), at);
    const end = at + (label?.count ?? 1) + (label && hasAbbreviation(label, texts[at + label.count]) ? 1 : 0);
    const how =
      label && classifyLabel({ texts, words, apart, isFirst: spots.length === 0 }, { begin: at, end, label });
    if (label && how) {
      const colon = /^[:#.]+$/.test(texts[end] ?? '') ? 1 : 0;
      const box = uniteBoxes(words.slice(at, end).map((word) => word.box));
      spots.push({ label, begin: at, end: end + colon, line, box, isBare: how === 'bare' });
      at = end + colon;
    } else at += 1;
  }
  return spots;
}

/** "Sample collected on (SCO) : 3 May 2024": the abbreviation of a date label is not its value. */
const hasAbbreviation = ({ fields }: HeaderLabel, behind: string | undefined): boolean =>
  /^\(\p{Lu}{2,5}\):?$/u.test(behind ?? '') && fields.some((field) => DATES.has(field));

/** The index of the first word after a gap: a label does not continue past it. */
function findGapAfter(words: readonly ReportWord[], from: number, apart: number): number {
  for (let at = from + 1; at < words.length; at += 1) {
    if (measureGapBefore(words, at) > apart || NO_LABEL.test(words[at]?.text ?? '')) return at;
  }
  return words.length;
}

const measureGapBefore = (words: readonly ReportWord[], at: number): number =>
  (words[at]?.box.x0 ?? 0) - (words[at - 1]?.box.x1 ?? 0);

/** The gap that separates labels: in narrow print it is smaller than usual, but far wider than the blanks. */
function measureLabelGap(words: readonly ReportWord[], { fontSize }: TextRow): number {
  const gaps = words
    .map((_, at) => measureGapBefore(words, at))
    .slice(1)
    .toSorted((a, b) => a - b);
  const blank = gaps[Math.floor(gaps.length / 2)] ?? 0;
  return blank > 0 && gaps.length >= LEAST_BLANKS
    ? Math.min(GAP, Math.max(0.5, (2.5 * blank) / fontSize)) * fontSize
    : GAP * fontSize;
}

/** With fewer blanks the usual one cannot be determined. */
const LEAST_BLANKS = 6;

interface LabelContext {
  readonly texts: readonly string[];
  readonly words: readonly ReportWord[];
  /** The width of the gap that separates labels. */
  readonly apart: number;
  /** Whether no label precedes it in the line. */
  readonly isFirst: boolean;
}

/** A label ends with a colon, stands alone between gaps, or is followed by a value of the expected form. */
function classifyLabel(
  { texts, words, apart, isFirst }: LabelContext,
  { begin, end, label }: Pick<LabelMatch, 'begin' | 'end' | 'label'>,
): 'colon' | 'bare' | undefined {
  const last = words[end - 1];
  const next = words[end];
  const before = words[begin - 1];
  if (!last) return undefined;
  const startsSegment =
    !before ||
    SEPARATOR.test(before.text) ||
    measureGapBefore(words, begin) > measureGapAt(words, begin, apart);
  const isOfName = label.fields.some((field) => NAMES.has(field) && field !== 'sex' && field !== 'age');
  if (isOfName && isFirst && !startsSegment) return undefined;
  if (/[:#]$/.test(last.text) || /^[:#]/.test(next?.text ?? '')) return 'colon';
  const isNumbered = label.fields.some((field) => DATES.has(field)) && isDateNext(texts, end);
  if (label.fields.includes('dob') && (isNumbered || isBornSomewhere(texts, end))) return 'bare';
  const endsSegment =
    !next || SEPARATOR.test(next.text) || measureGapBefore(words, end) > measureGapAt(words, end, apart);
  if (startsSegment && endsSegment) return 'bare';
  // "Referto 14/10/2025" is the report date; other result words next to a date may mean any date.
  if (label.isWeak)
    return isNumbered && startsSegment && DOCUMENT.test(texts[begin] ?? '') ? 'bare' : undefined;
  if (isNumbered && (startsSegment || label.count > 1)) return 'bare';
  if (!startsSegment || !next) return undefined;
  if (label.fields.includes('specimen') && /^\(?\d/.test(next.text) && end - begin < 5) return 'bare';
  return label.fields.some((field) => NAMES.has(field)) && isNameNext(words, { at: end, apart, label })
    ? 'bare'
    : undefined;
}

/** Between two words far larger than the rest of their line, as in a letterhead, blanks are larger too. */
function measureGapAt(words: readonly ReportWord[], at: number, apart: number): number {
  const size = Math.min(words[at - 1]?.fontSize ?? 0, words[at]?.fontSize ?? 0);
  return size > LARGER * (apart / GAP) ? Math.max(apart, GAP * size) : apart;
}

/** Blanks in narrow print are as small as half the usual ones. */
const LARGER = 1.6;

const DOCUMENT =
  /^(?:referto|befund|endbefund|laborbefund|informe|laudo|report|bericht|laborbericht|protocole|rapport)\.?$/iu;

const DATES: ReadonlySet<HeaderField> = new Set(['dob', 'collected', 'reported', 'printed', 'received']);
const NAMES: ReadonlySet<HeaderField> = new Set(['fullName', 'name', 'firstName', 'lastName', 'sex', 'age']);

const isDateNext = (texts: readonly string[], from: number): boolean => {
  const at = WEEKDAY.test(texts[from] ?? '') ? from + 1 : from;
  const text = texts[at] ?? '';
  return (
    dateLength(texts, at) > 0 ||
    /^\(?\d{1,2}[./-]\d{1,2}[./-]\d{2}/.test(text) ||
    (/^\(?\d/.test(text) && readDate(text, 'dmy') !== undefined)
  );
};

const WEEKDAY =
  /^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?$|^(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|mo|di|mi|do|fr|sa|so)[.,]*$|^(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bado|domingo|luned[ìi]|marted[ìi]|mercoled[ìi]|gioved[ìi]|venerd[ìi]|sabato|domenica|(?:segunda|ter[çc]a|quarta|quinta|sexta)(?:-feira)?),?$/iu;

/** "nata a ROMA il 12/03/1971" */
const isBornSomewhere = (texts: readonly string[], at: number): boolean =>
  [texts[at - 1], texts[at]].some((text) => /^(?:a|à|en|in|em)$/iu.test(text ?? '')) &&
  ([1, 2, 3, 4].some((more) => isDateNext(texts, at + more)) || isDateWrapped(texts));

/** The line ends with the day; month and year are in the next line. */
const isDateWrapped = (texts: readonly string[]): boolean => /^\d{1,2}$/.test(texts.at(-1) ?? '');

/** "Patient Jane Marsh": without a colon, a title, an age, a letter for a sex, or a name must follow. */
function isNameNext(
  words: readonly ReportWord[],
  { at, apart, label }: { at: number; apart: number; label: HeaderLabel },
): boolean {
  const texts = words.slice(at, findGapAfter(words, at, apart)).map(({ text }) => text);
  const [first = ''] = texts;
  if (isTitle(first) || /^(?:m|f|w|\d{1,3})$/i.test(first)) return true;
  if (!label.fields.includes('fullName') && !label.fields.includes('name')) return false;
  const person = parsePersonName(texts.join(' '), { isFamilyFirst: false, isLabelled: false });
  return person?.rest === '';
}

/** The words after a label, up to a gap or the next label. */
function findWordsAfterLabel({ words, spots }: HeaderLine, spot: LabelMatch): ReportWord[] {
  const until = spots.find(({ begin }) => begin >= spot.end)?.begin ?? words.length;
  const kept: ReportWord[] = [];
  for (const word of words.slice(spot.end, until)) {
    const before = kept.at(-1);
    if (before && word.box.x0 - before.box.x1 > 1.6 * word.fontSize) break;
    kept.push(word);
  }
  return kept;
}

/** In font sizes: how far below its label a value may be. */
const FARTHEST = 2.4;

/** The words right below a label, left-aligned or centered, that are not a label themselves. */
function findWordsBelowLabel(lines: readonly HeaderLine[], spot: LabelMatch): ReportWord[] {
  const size = lines[spot.line]?.row.fontSize ?? 10;
  for (const line of lines.slice(spot.line + 1, spot.line + 8)) {
    if (line.row.box.y0 - spot.box.y1 > FARTHEST * Math.max(size, line.row.fontSize)) return [];
    const near = splitHeaderLine(line).find(({ box }) => box.x0 < spot.box.x1 && box.x1 > spot.box.x0);
    if (!near) continue;
    if (getVerticalCenter(near.box) < getVerticalCenter(spot.box) + 0.6 * size) continue;
    const isAligned =
      Math.abs(near.box.x0 - spot.box.x0) < 1.4 * size ||
      Math.abs(near.box.x0 + near.box.x1 - spot.box.x0 - spot.box.x1) < 2 * size;
    const isLabel = line.spots.some(({ begin }) => near.from <= begin && begin < near.to);
    return isAligned && !isLabel && near.words[0]?.text.endsWith(':') !== true ? [...near.words] : [];
  }
  return [];
}

const getVerticalCenter = ({ y0, y1 }: BoundingBox): number => (y0 + y1) / 2;

/** Words of a line that are close together. */
export interface HeaderSegment {
  readonly words: readonly ReportWord[];
  readonly from: number;
  readonly to: number;
  readonly box: BoundingBox;
}

export function splitHeaderLine({ words, row }: HeaderLine): HeaderSegment[] {
  const groups: { words: ReportWord[]; from: number }[] = [];
  words.forEach((word, index) => {
    const before = words[index - 1];
    // A name in large print has wider blanks than the rest of its line.
    const size = Math.max(row.fontSize, Math.min(before?.fontSize ?? 0, word.fontSize));
    const isNear = before && word.box.x0 - before.box.x1 < Math.max(1, GAP) * size;
    if (isNear) groups.at(-1)?.words.push(word);
    else groups.push({ words: [word], from: index });
  });
  return groups.map((group) => ({
    words: group.words,
    from: group.from,
    to: group.from + group.words.length,
    box: uniteBoxes(group.words.map((word) => word.box)),
  }));
}

/** The printed value of a label, and its position. */
export interface HeaderValue {
  readonly text: string;
  readonly box: BoundingBox;
}

/** The candidates for the value of a label, nearest first: next to it, or below. */
export function findLabelValues(lines: readonly HeaderLine[], spot: LabelMatch): HeaderValue[] {
  const line = lines[spot.line];
  if (!line) return [];
  const beside = buildValue(findWordsAfterLabel(line, spot));
  const below = spot.isBare || beside.length === 0 ? buildValue(findWordsBelowLabel(lines, spot)) : [];
  return isLabelRow(line) ? [...below, ...beside] : [...beside, ...below];
}

/** A line with labels only, whose values are below: "Name | DOB | Sex". */
const isLabelRow = ({ spots, words }: HeaderLine): boolean =>
  spots.filter(({ isBare }) => isBare).length > 1 && !words.some(({ text }) => /\d/.test(text));

function buildValue(words: readonly ReportWord[]): HeaderValue[] {
  const text = joinWords(words)
    .replace(/^[:\s#.…-]+/, '')
    .trim();
  return text === '' ? [] : [{ text, box: uniteBoxes(words.map((word) => word.box)) }];
}
