import { type DayOrder, formatIsoDate, type PrintedDate, readDate } from '../dates.ts';
import { findPrintedDayOrders } from '../printed-day-order.ts';
import { joinWords } from '../rows.ts';
import { type HeaderLine, type LabelMatch, splitHeaderLine, findLabelValues } from './labels.ts';
import type { HeaderDateKind } from '../lexicon/date-labels.ts';

/** A date with the text after it. */
export interface HeaderDate {
  /** YYYY-MM-DD, followed by T and the time of day if printed. */
  readonly iso: string;
  readonly rest: string;
  /** Its year is printed in two digits. */
  readonly isShort: boolean;
}

/** The order of day and month; undefined if it cannot be determined. */
export type HeaderDayOrder = DayOrder | undefined;

/** "12. 03. 1971" and "12 / 03 / 1971" */
const SPACED = /\b(\d{1,2})\s?([./-])\s?(\d{1,2})\s?\2\s?(\d{4}|\d{2})\b/g;

/** "02/20/24-0815", and "20/02/202408:15AM", where OCR lost the blank */
const GLUED_TIME =
  /\b(\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2}))[-@/](?=\d{1,2}:?\d{2}\b)|\b(\d{1,2}[./-](?:\d{1,2}|\p{L}{3})[./-](?:19|20)\d\d)(?=\d{1,2}:\d{2})|\b(\d{1,2}\.\d{1,2}\.\d{2})(?=\d{2}:\d{2}\b)/gu;

/** The first date in a text; null if there is none, or if it is ambiguous and the order is unknown. */
export function parseHeaderDate(text: string, order: HeaderDayOrder): HeaderDate | null {
  const printed = text.replaceAll(SPACED, '$1$2$3$2$4').replaceAll(GLUED_TIME, '$1$2$3 ');
  const found = readDate(printed, order ?? 'dmy');
  if (!found) return null;
  if (order === undefined) {
    const other = readDate(printed, 'mdy');
    if (!other || !isSame(found.date, other.date)) return null;
  }
  const bareTime = /^\s*(?:[/@-]\s*)?([01]\d|2[0-3])([0-5]\d)\b/.exec(found.rest);
  const time = found.time ?? (bareTime ? `${bareTime[1]}:${bareTime[2]}` : null);
  return {
    iso: time ? `${formatIsoDate(found.date)}T${time}` : formatIsoDate(found.date),
    rest: found.rest,
    isShort: !printed.includes(String(found.date.year)),
  };
}

const isSame = (one: PrintedDate, other: PrintedDate): boolean => formatIsoDate(one) === formatIsoDate(other);

/** The first date, in reading order, with a label of this kind; null if there is none. */
export function findHeaderDate(
  lines: readonly HeaderLine[],
  moment: HeaderDateKind,
  order: HeaderDayOrder,
): string | null {
  const spots = lines
    .flatMap((line) => line.spots)
    .filter(({ label }) => label.fields.includes(moment))
    .toSorted((a, b) => Number(a.label.isWeak) - Number(b.label.isWeak));
  for (const spot of spots) {
    const found = readLabelDate(lines, { spot, dateKind: moment, order });
    if (found) return found.iso;
  }
  return null;
}

/** The date of a letter: "Stuttgart, den 12.06.2024"; null if no line has one. */
export function findLetterDate(lines: readonly HeaderLine[], order: HeaderDayOrder): string | null {
  const isLetter = lines.some(({ words }) => ADDRESSES.test(joinWords(words)));
  for (const line of lines) {
    for (const { words } of splitHeaderLine(line)) {
      const [, text] =
        PLACE_AND_DATE.exec(joinWords(words)) ?? (isLetter ? LETTER_DATE.exec(joinWords(words)) : null) ?? [];
      const date = text === undefined ? null : parseHeaderDate(text, order);
      if (date && date.rest === '') return date.iso;
    }
  }
  return null;
}

/** "Date: 6 November 2025" is the date of a letter; in other headers its meaning is unknown. */
const LETTER_DATE =
  /^(?:(?:letter |brief)?(?:date|datum|fecha|data)(?: (?:of|de|du|de la|da|della) (?:letter|lettre|courrier|carta|lettera))?) ?: ?(\d.*)$/iu;
const ADDRESSES =
  /^(?:dear|sehr geehrte[rn]?|liebe[rn]?|estimad[oa]|apreciad[oa]|ch[eè]re?|gentile|egregi[oa]|caro|cara|prezad[oa]|exm[oa])\.? (?=\p{L})/iu;

/** The collection date in the text of a letter: "Bloods taken in clinic on 3 November 2025 show". */
const COLLECTED_ON =
  /\b(?:bloods?|samples?|blut\p{L}*|probe\p{L}*|sang|sangre|sangue|anal[ií]\p{L}+|prelievo|esami|muestra|amostra)\b[^.;:]{0,40}?\b(?:taken|drawn|collected|entnommen|abgenommen|extra[ií]d\p{L}*|tomad\p{L}*|prélevée?s?|prelevat\p{L}*|colhid\p{L}*|coletad\p{L}*)\b[^.;:\d]{0,30}?\b(?:on|am|vom|el|del|le|du|il|em)\s(\d{1,2}\b.{4,20})/giu;

/** The collection date in the text of a letter; null if there is none, or several. */
export function findCollectionDate(lines: readonly HeaderLine[], order: HeaderDayOrder): string | null {
  if (!lines.some(({ words }) => ADDRESSES.test(joinWords(words)))) return null;
  const text = lines.map(({ words }) => joinWords(words)).join(' ');
  const dates = [...text.matchAll(COLLECTED_ON)].map(([, date = '']) => parseHeaderDate(date, order)?.iso);
  return new Set(dates).size === 1 ? (dates[0] ?? null) : null;
}

const PLACE_AND_DATE =
  /^(?:\p{Lu}[\p{L}'’.-]+(?:[ -]\p{L}[\p{L}'’.-]*){0,3}, ?(?:(?:den|le|l[iì]|am|a|el) )?|A )(\d{1,2}(?:[./-]\d|\.? (?:de )?\p{L}{3}).*)$/u;

interface LabelDateQuery {
  readonly spot: LabelMatch;
  readonly dateKind: HeaderDateKind;
  readonly order: HeaderDayOrder;
}

const DATE_KINDS: readonly string[] = ['dob', 'collected', 'reported', 'printed', 'received'];

/** The date of a label; if a label has several, the one in the same position: "Collected / Received". */
export function readLabelDate(
  lines: readonly HeaderLine[],
  { spot, dateKind, order: usual }: LabelDateQuery,
): HeaderDate | null {
  const order = readFieldOrder(lines, spot) ?? usual;
  const place = spot.label.fields.filter((field) => DATE_KINDS.includes(field)).indexOf(dateKind);
  for (const text of findDateTexts(lines, spot, order)) {
    let found = parseHeaderDate(text, order);
    for (let skipped = 0; found && skipped < place; skipped += 1) found = parseHeaderDate(found.rest, order);
    if (found) return found;
  }
  return null;
}

/** The order printed with a field decides its date: "Collected (DD/MM/YYYY): 04/11/2025". */
function readFieldOrder(lines: readonly HeaderLine[], spot: LabelMatch): HeaderDayOrder {
  const { words = [], spots = [] } = lines[spot.line] ?? {};
  const until = spots.find(({ begin }) => begin >= spot.end)?.begin ?? words.length;
  const printed = findPrintedDayOrders(joinWords(words.slice(spot.begin, until)));
  return printed.length === 1 ? printed[0] : undefined;
}

/**
 * The values of a label. If the line ends with the day, the date continues in the next: "il 14 | marzo 1939". If a
 * label ends a line of running labels, its date begins the next one.
 */
function findDateTexts(lines: readonly HeaderLine[], spot: LabelMatch, order: HeaderDayOrder): string[] {
  const texts = findLabelValues(lines, spot).map(({ text }) => text);
  const broken = texts.length === 0 ? findDateBelow(lines, spot, order) : undefined;
  if (broken !== undefined) return [broken];
  const [first = ''] = texts;
  const next = lines[spot.line + 1];
  if (!/(?:^|\s)\d{1,2}\.?$/.test(first) || !next || parseHeaderDate(first, order)) return texts;
  return [`${first} ${joinWords(next.words.slice(0, 4))}`];
}

/** The date at the start of the next line, after a label that ends a full line; undefined if anything else is there. */
function findDateBelow(
  lines: readonly HeaderLine[],
  spot: LabelMatch,
  order: HeaderDayOrder,
): string | undefined {
  const [line, next] = [lines[spot.line], lines[spot.line + 1]];
  const [first] = next ? splitHeaderLine(next) : [];
  if (!line || !next || !first || spot.isBare || spot.end < line.words.length) return undefined;
  const isFull = line.spots.length > 1 && lines.every(({ row }) => row.box.x1 < spot.box.x1 + 60);
  const isNext =
    next.row.box.y0 - line.row.box.y1 < line.row.fontSize &&
    Math.abs(first.box.x0 - line.row.box.x0) < 3 &&
    !next.spots.some(({ begin }) => begin === first.from);
  const text = joinWords(first.words);
  return isFull && isNext && parseHeaderDate(text, order)?.rest === '' ? text : undefined;
}
