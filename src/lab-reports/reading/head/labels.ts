import { dateLength, readDate } from '../dates.ts';
import { type HeadField, type HeadLabel, headLabelAt } from '../lexicon/head-fields.ts';
import { isTitle } from '../lexicon/persons.ts';
import { personIn } from './person.ts';
import { type Row, textOf } from '../rows.ts';
import type { Box, Word } from '../word.ts';
import { unite } from '../word.ts';

/** A line of the head, and the labels in it. */
export interface HeadLine {
  /** Words that hold a label and its value are cut in two. */
  readonly words: readonly Word[];
  readonly spots: readonly Spot[];
  readonly row: Row;
  readonly index: number;
}

/** A label where it stands: words from `begin` to before `end` of its line. */
export interface Spot {
  readonly label: HeadLabel;
  readonly begin: number;
  readonly end: number;
  readonly line: number;
  readonly box: Box;
  /** Nothing but its place says that these words are a label: no colon follows. */
  readonly isBare: boolean;
}

/** Wider gaps than this, in font sizes, part what belongs to different labels. */
const GAP = 0.7;

/** Reports in two languages print labels twice; what is in letters that are not read here says nothing. */
const FOREIGN =
  /^[^\p{Script=Latin}\p{N}]*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Han}\p{Script=Hangul}\p{Script=Thai}\p{Script=Cyrillic}\p{Script=Devanagari}\p{Script=Tamil}\p{Script=Hiragana}\p{Script=Katakana}][^\p{Script=Latin}\p{N}]*$/u;

export function headLinesOf(rows: readonly Row[]): HeadLine[] {
  return rows.map((row, index) => {
    const words = row.words.filter(({ text }) => !FOREIGN.test(text)).flatMap(cutWord);
    return { words, row, index, spots: spotsOf(words, row, index) };
  });
}

/** "DOB:07/15/2001" and "*12.03.1971" are a label and its value. */
function cutWord(word: Word): Word[] {
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

const STAR: HeadLabel = {
  fields: ['dob'],
  count: 1,
  language: null,
  isFamilyFirst: false,
  isWeak: false,
};

/** Signs that part what stands in one line; none of these stands within a label. */
const PARTS = /^[·•|¦—–/-]$/u;
const NO_LABEL = /^[·•|¦]$/u;

function spotsOf(words: readonly Word[], row: Row, line: number): Spot[] {
  const texts = words.map((word) => word.text);
  const apart = leastApart(words, row);
  const spots: Spot[] = [];
  for (let at = 0; at < words.length;) {
    const label =
      texts[at] === '*' ? STAR : headLabelAt(texts.slice(0, gapAfter(words, at, 0.9 * row.fontSize)), at);
    const end = at + (label?.count ?? 1) + (label && hasShort(label, texts[at + label.count]) ? 1 : 0);
    const how =
      label && howLabels({ texts, words, apart, isFirst: spots.length === 0 }, { begin: at, end, label });
    if (label && how) {
      const colon = /^[:#.]+$/.test(texts[end] ?? '') ? 1 : 0;
      const box = unite(words.slice(at, end).map((word) => word.box));
      spots.push({ label, begin: at, end: end + colon, line, box, isBare: how === 'bare' });
      at = end + colon;
    } else at += 1;
  }
  return spots;
}

/** "Sample collected on (SCO) : 3 May 2024": what a label of a date is called for short is no value. */
const hasShort = ({ fields }: HeadLabel, behind: string | undefined): boolean =>
  /^\(\p{Lu}{2,5}\):?$/u.test(behind ?? '') && fields.some((field) => DATES.has(field));

/** Up to which word those from this one on stand together: no label goes on behind a gap. */
function gapAfter(words: readonly Word[], from: number, apart: number): number {
  for (let at = from + 1; at < words.length; at += 1) {
    if (gapBefore(words, at) > apart || NO_LABEL.test(words[at]?.text ?? '')) return at;
  }
  return words.length;
}

const gapBefore = (words: readonly Word[], at: number): number =>
  (words[at]?.box.x0 ?? 0) - (words[at - 1]?.box.x1 ?? 0);

/** The gap that parts labels: a line in narrow print has some that are far wider than its blanks, and narrower than usual. */
function leastApart(words: readonly Word[], { fontSize }: Row): number {
  const gaps = words
    .map((_, at) => gapBefore(words, at))
    .slice(1)
    .toSorted((a, b) => a - b);
  const blank = gaps[Math.floor(gaps.length / 2)] ?? 0;
  return blank > 0 && gaps.length >= LEAST_BLANKS
    ? Math.min(GAP, Math.max(0.5, (2.5 * blank) / fontSize)) * fontSize
    : GAP * fontSize;
}

/** Of fewer blanks nobody knows which is the usual one. */
const LEAST_BLANKS = 6;

interface Line {
  readonly texts: readonly string[];
  readonly words: readonly Word[];
  /** How wide a gap parts labels. */
  readonly apart: number;
  /** Whether no label stands before. */
  readonly isFirst: boolean;
}

/** A label ends with a colon, stands alone between gaps, or is followed by what it must be followed by. */
function howLabels(
  { texts, words, apart, isFirst }: Line,
  { begin, end, label }: Pick<Spot, 'begin' | 'end' | 'label'>,
): 'colon' | 'bare' | undefined {
  const last = words[end - 1];
  const next = words[end];
  const before = words[begin - 1];
  if (!last) return undefined;
  const startsSegment =
    !before || PARTS.test(before.text) || gapBefore(words, begin) > apartAt(words, begin, apart);
  const isOfName = label.fields.some((field) => NAMES.has(field) && field !== 'sex' && field !== 'age');
  if (isOfName && isFirst && !startsSegment) return undefined;
  if (/[:#]$/.test(last.text) || /^[:#]/.test(next?.text ?? '')) return 'colon';
  const isNumbered = label.fields.some((field) => DATES.has(field)) && dateFollows(texts, end);
  if (label.fields.includes('dob') && (isNumbered || isBornSomewhere(texts, end))) return 'bare';
  const endsSegment = !next || PARTS.test(next.text) || gapBefore(words, end) > apartAt(words, end, apart);
  if (startsSegment && endsSegment) return 'bare';
  // "Referto 14/10/2025" is the day of the report; what a result is called beside a date may be of any.
  if (label.isWeak)
    return isNumbered && startsSegment && DOCUMENT.test(texts[begin] ?? '') ? 'bare' : undefined;
  if (isNumbered && (startsSegment || label.count > 1)) return 'bare';
  if (!startsSegment || !next) return undefined;
  if (label.fields.includes('specimen') && /^\(?\d/.test(next.text) && end - begin < 5) return 'bare';
  return label.fields.some((field) => NAMES.has(field)) && namesFollow(words, { at: end, apart, label })
    ? 'bare'
    : undefined;
}

/** Between two words in print far larger than the rest of their line, as a letterhead is, blanks are as much larger. */
function apartAt(words: readonly Word[], at: number, apart: number): number {
  const size = Math.min(words[at - 1]?.fontSize ?? 0, words[at]?.fontSize ?? 0);
  return size > LARGER * (apart / GAP) ? Math.max(apart, GAP * size) : apart;
}

/** Narrow print has blanks as small as half of the usual ones. */
const LARGER = 1.6;

const DOCUMENT =
  /^(?:referto|befund|endbefund|laborbefund|informe|laudo|report|bericht|laborbericht|protocole|rapport)\.?$/iu;

const DATES: ReadonlySet<HeadField> = new Set(['dob', 'collected', 'reported', 'printed', 'received']);
const NAMES: ReadonlySet<HeadField> = new Set(['fullName', 'name', 'firstName', 'lastName', 'sex', 'age']);

const dateFollows = (texts: readonly string[], from: number): boolean => {
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
  ([1, 2, 3, 4].some((more) => dateFollows(texts, at + more)) || goesOn(texts));

/** The day is printed last, month and year in the next line. */
const goesOn = (texts: readonly string[]): boolean => /^\d{1,2}$/.test(texts.at(-1) ?? '');

/** "Patient Jane Marsh": the label has no colon; what follows is a title, an age, a letter for a sex, or a name. */
function namesFollow(
  words: readonly Word[],
  { at, apart, label }: { at: number; apart: number; label: HeadLabel },
): boolean {
  const texts = words.slice(at, gapAfter(words, at, apart)).map(({ text }) => text);
  const [first = ''] = texts;
  if (isTitle(first) || /^(?:m|f|w|\d{1,3})$/i.test(first)) return true;
  if (!label.fields.includes('fullName') && !label.fields.includes('name')) return false;
  const person = personIn(texts.join(' '), { isFamilyFirst: false, isLabelled: false });
  return person?.rest === '';
}

/** The words behind a label as far as they hang together, up to the next label. */
export function besideOf({ words, spots }: HeadLine, spot: Spot): Word[] {
  const until = spots.find(({ begin }) => begin >= spot.end)?.begin ?? words.length;
  const kept: Word[] = [];
  for (const word of words.slice(spot.end, until)) {
    const before = kept.at(-1);
    if (before && word.box.x0 - before.box.x1 > 1.6 * word.fontSize) break;
    kept.push(word);
  }
  return kept;
}

/** How far below its label a value may stand, in font sizes. */
const FARTHEST = 2.4;

/** What stands right below a label, from the same edge or centred, and is no label itself. */
export function belowOf(lines: readonly HeadLine[], spot: Spot): Word[] {
  const size = lines[spot.line]?.row.fontSize ?? 10;
  for (const line of lines.slice(spot.line + 1, spot.line + 8)) {
    if (line.row.box.y0 - spot.box.y1 > FARTHEST * Math.max(size, line.row.fontSize)) return [];
    const near = segmentsOf(line).find(({ box }) => box.x0 < spot.box.x1 && box.x1 > spot.box.x0);
    if (!near) continue;
    if (middleOf(near.box) < middleOf(spot.box) + 0.6 * size) continue;
    const isAligned =
      Math.abs(near.box.x0 - spot.box.x0) < 1.4 * size ||
      Math.abs(near.box.x0 + near.box.x1 - spot.box.x0 - spot.box.x1) < 2 * size;
    const isLabel = line.spots.some(({ begin }) => near.from <= begin && begin < near.to);
    return isAligned && !isLabel && near.words[0]?.text.endsWith(':') !== true ? [...near.words] : [];
  }
  return [];
}

const middleOf = ({ y0, y1 }: Box): number => (y0 + y1) / 2;

/** Words of a line that stand together. */
export interface HeadSegment {
  readonly words: readonly Word[];
  readonly from: number;
  readonly to: number;
  readonly box: Box;
}

export function segmentsOf({ words, row }: HeadLine): HeadSegment[] {
  const groups: { words: Word[]; from: number }[] = [];
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
    box: unite(group.words.map((word) => word.box)),
  }));
}

/** What is printed for a label, and where. */
export interface HeadValue {
  readonly text: string;
  readonly box: Box;
}

/** What is printed for a label, nearest first: beside it, or below. */
export function valuesOf(lines: readonly HeadLine[], spot: Spot): HeadValue[] {
  const line = lines[spot.line];
  if (!line) return [];
  const beside = valueOf(besideOf(line, spot));
  const below = spot.isBare || beside.length === 0 ? valueOf(belowOf(lines, spot)) : [];
  return isHeading(line) ? [...below, ...beside] : [...beside, ...below];
}

/** A line of labels only, whose values stand below: "Name | DOB | Sex". */
const isHeading = ({ spots, words }: HeadLine): boolean =>
  spots.filter(({ isBare }) => isBare).length > 1 && !words.some(({ text }) => /\d/.test(text));

function valueOf(words: readonly Word[]): HeadValue[] {
  const text = textOf(words)
    .replace(/^[:\s#.…-]+/, '')
    .trim();
  return text === '' ? [] : [{ text, box: unite(words.map((word) => word.box)) }];
}
