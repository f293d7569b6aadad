import { type DayOrder, isoDate, type PrintedDate, readDate } from '../dates.ts';
import { textOf } from '../rows.ts';
import { type HeadLine, type Spot, segmentsOf, valuesOf } from './labels.ts';
import type { Moment } from '../lexicon/head-dates.ts';

/** A date with what is printed behind it. */
export interface HeadDate {
  /** YYYY-MM-DD, with the time of day behind a T where it is printed. */
  readonly iso: string;
  readonly rest: string;
  /** Its year is printed in two digits. */
  readonly isShort: boolean;
}

/** What the dates of a head are read with: undefined where days and months cannot be told apart. */
export type Order = DayOrder | undefined;

/** "12. 03. 1971" and "12 / 03 / 1971" */
const SPACED = /\b(\d{1,2})\s?([./-])\s?(\d{1,2})\s?\2\s?(\d{4}|\d{2})\b/g;

/** "02/20/24-0815", and "20/02/202408:15AM", of which a reading has lost the blank */
const GLUED_TIME =
  /\b(\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2}))[-@/](?=\d{1,2}:?\d{2}\b)|\b(\d{1,2}[./-](?:\d{1,2}|\p{L}{3})[./-](?:19|20)\d\d)(?=\d{1,2}:\d{2})|\b(\d{1,2}\.\d{1,2}\.\d{2})(?=\d{2}:\d{2}\b)/gu;

/** The first date in a text; null where it holds none, or one that can be read two ways and nothing tells. */
export function dateIn(text: string, order: Order): HeadDate | null {
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
    iso: time ? `${isoDate(found.date)}T${time}` : isoDate(found.date),
    rest: found.rest,
    isShort: !printed.includes(String(found.date.year)),
  };
}

const isSame = (one: PrintedDate, other: PrintedDate): boolean => isoDate(one) === isoDate(other);

/** The date that labels of a moment say, the first in the order of reading; null where none does. */
export function momentIn(lines: readonly HeadLine[], moment: Moment, order: Order): string | null {
  const spots = lines
    .flatMap((line) => line.spots)
    .filter(({ label }) => label.fields.includes(moment))
    .toSorted((a, b) => Number(a.label.isWeak) - Number(b.label.isWeak));
  for (const spot of spots) {
    const found = dateAt(lines, { spot, moment, order });
    if (found) return found.iso;
  }
  return null;
}

/** The day on which a letter was written: "Stuttgart, den 12.06.2024"; null where no line is one. */
export function letterDateIn(lines: readonly HeadLine[], order: Order): string | null {
  const isLetter = lines.some(({ words }) => ADDRESSES.test(textOf(words)));
  for (const line of lines) {
    for (const { words } of segmentsOf(line)) {
      const [, text] = WRITTEN.exec(textOf(words)) ?? (isLetter ? DATED.exec(textOf(words)) : null) ?? [];
      const date = text === undefined ? null : dateIn(text, order);
      if (date && date.rest === '') return date.iso;
    }
  }
  return null;
}

/** "Date: 6 November 2025" is the day of a letter; in other heads nobody knows of what it is the date. */
const DATED =
  /^(?:(?:letter |brief)?(?:date|datum|fecha|data)(?: (?:of|de|du|de la|da|della) (?:letter|lettre|courrier|carta|lettera))?) ?: ?(\d.*)$/iu;
const ADDRESSES =
  /^(?:dear|sehr geehrte[rn]?|liebe[rn]?|estimad[oa]|apreciad[oa]|ch[eè]re?|gentile|egregi[oa]|caro|cara|prezad[oa]|exm[oa])\.? (?=\p{L})/iu;

/** What a letter says of when it had blood taken: "Bloods taken in clinic on 3 November 2025 show". */
const TAKEN =
  /\b(?:bloods?|samples?|blut\p{L}*|probe\p{L}*|sang|sangre|sangue|anal[ií]\p{L}+|prelievo|esami|muestra|amostra)\b[^.;:]{0,40}?\b(?:taken|drawn|collected|entnommen|abgenommen|extra[ií]d\p{L}*|tomad\p{L}*|prélevée?s?|prelevat\p{L}*|colhid\p{L}*|coletad\p{L}*)\b[^.;:\d]{0,30}?\b(?:on|am|vom|el|del|le|du|il|em)\s(\d{1,2}\b.{4,20})/giu;

/** The day that the text of a letter says blood was taken on; null where it says none, or several. */
export function takenDateIn(lines: readonly HeadLine[], order: Order): string | null {
  if (!lines.some(({ words }) => ADDRESSES.test(textOf(words)))) return null;
  const text = lines.map(({ words }) => textOf(words)).join(' ');
  const dates = [...text.matchAll(TAKEN)].map(([, date = '']) => dateIn(date, order)?.iso);
  return new Set(dates).size === 1 ? (dates[0] ?? null) : null;
}

const WRITTEN =
  /^(?:\p{Lu}[\p{L}'’.-]+(?:[ -]\p{L}[\p{L}'’.-]*){0,3}, ?(?:(?:den|le|l[iì]|am|a|el) )?|A )(\d{1,2}(?:[./-]\d|\.? (?:de )?\p{L}{3}).*)$/u;

export interface DateWanted {
  readonly spot: Spot;
  readonly moment: Moment;
  readonly order: Order;
}

const MOMENTS: readonly string[] = ['dob', 'collected', 'reported', 'printed', 'received'];

/** The date of a label; of several that one label speaks of, the one in the same place: "Collected / Received". */
export function dateAt(lines: readonly HeadLine[], { spot, moment, order }: DateWanted): HeadDate | null {
  const place = spot.label.fields.filter((field) => MOMENTS.includes(field)).indexOf(moment);
  for (const text of textsOf(lines, spot, order)) {
    let found = dateIn(text, order);
    for (let skipped = 0; found && skipped < place; skipped += 1) found = dateIn(found.rest, order);
    if (found) return found;
  }
  return null;
}

/**
 * The values of a label; one whose day ends the line goes on in the next: "il 14 | marzo 1939". One that ends a line of
 * running labels has its date at the begin of the next.
 */
function textsOf(lines: readonly HeadLine[], spot: Spot, order: Order): string[] {
  const texts = valuesOf(lines, spot).map(({ text }) => text);
  const broken = texts.length === 0 ? dateBelow(lines, spot, order) : undefined;
  if (broken !== undefined) return [broken];
  const [first = ''] = texts;
  const next = lines[spot.line + 1];
  if (!/(?:^|\s)\d{1,2}\.?$/.test(first) || !next || dateIn(first, order)) return texts;
  return [`${first} ${textOf(next.words.slice(0, 4))}`];
}

/** What begins the line below a label that ends a full line, where it is nothing but a date. */
function dateBelow(lines: readonly HeadLine[], spot: Spot, order: Order): string | undefined {
  const [line, next] = [lines[spot.line], lines[spot.line + 1]];
  const [first] = next ? segmentsOf(next) : [];
  if (!line || !next || !first || spot.isBare || spot.end < line.words.length) return undefined;
  const isFull = line.spots.length > 1 && lines.every(({ row }) => row.box.x1 < spot.box.x1 + 60);
  const isNext =
    next.row.box.y0 - line.row.box.y1 < line.row.fontSize &&
    Math.abs(first.box.x0 - line.row.box.x0) < 3 &&
    !next.spots.some(({ begin }) => begin === first.from);
  const text = textOf(first.words);
  return isFull && isNext && dateIn(text, order)?.rest === '' ? text : undefined;
}
