import { textOf } from '../rows.ts';
import type { Box } from '../word.ts';
import { type HeadLine, type Spot, segmentsOf, valuesOf } from './labels.ts';
import { dateAt, dateIn, type HeadDate, type Order } from './moments.ts';

export interface Birth {
  /** YYYY-MM-DD */
  readonly dob: string;
  /** What is printed behind it. */
  readonly rest: string;
  readonly line: number;
  /** Its year is printed in two digits. */
  readonly isShort: boolean;
}

/** The date of birth under its labels; undefined where none is printed or two labels say two dates. */
export function birthIn(lines: readonly HeadLine[], order: Order): Birth | undefined {
  const own = labelledBirths(lines, order);
  const [first] = own;
  return first && own.every(({ dob }) => dob === first.dob) ? first : undefined;
}

/** The days that labels call the birth of a patient. */
export const birthsIn = (lines: readonly HeadLine[], order: Order): string[] =>
  labelledBirths(lines, order).map(({ dob }) => dob);

function labelledBirths(lines: readonly HeadLine[], order: Order): Birth[] {
  const found = lines.flatMap((line) =>
    line.spots
      .filter((spot) => spot.label.fields.includes('dob') && !isOfRelative(line, spot))
      .flatMap((spot) => {
        const date = dateAt(lines, { spot, moment: 'dob', order });
        return date ? [{ birth: birthOf(date, spot.line), language: spot.label.language }] : [];
      }),
  );
  const isOne = new Set(found.map(({ birth }) => birth.dob)).size < 2;
  const own = isOne ? found : found.filter(({ language }) => isSpoken(lines, language));
  return own.map(({ birth }) => birth);
}

/** "UR:" is a birth in Polish, and a number of patients elsewhere: whether other labels are of the language, too. */
const isSpoken = (lines: readonly HeadLine[], language: string | null): boolean =>
  language === null ||
  lines.flatMap(({ spots }) => spots).filter(({ label }) => label.language === language).length > 1;

/** Whose name stands in front of a date of birth that is not the patient's. */
const RELATIVES =
  /guarantor|subscriber|insured|policy|mother|father|parent|spouse|husband|guardian|next of kin|m[aá]dre|padre|tutor|titular|m[eè]re|p[eè]re|assur|versichert|mutter|vater|m[aã]e|pai\b/iu;

function isOfRelative({ spots, words }: HeadLine, spot: Spot): boolean {
  const before = spots[spots.indexOf(spot) - 1];
  return before !== undefined && RELATIVES.test(textOf(words.slice(before.begin, before.end)));
}

const birthOf = ({ iso, rest, isShort }: HeadDate, line: number): Birth => ({
  dob: iso.slice(0, 10),
  rest,
  line,
  isShort,
});

/** A date right behind the patient's name: "Muster Anna, 12.03.1971, w". */
export function birthBehindName(rest: string, line: number, order: Order): Birth | undefined {
  if (
    !/^[\s,;*(–-]*(?:(?:geb|dob|born|né|née|n\.?|nato|nata)\.?:?\s*)?(?:(?:il|le|am|el)\s)?[\s*(]*\d/iu.test(
      rest,
    )
  )
    return undefined;
  const cleanest = rest.replace(/^[^\d]*/, '');
  const date =
    /^\d{1,4}[./-]\d/.test(cleanest) || /^\d{1,2}\.?\s?\p{L}{3}/u.test(cleanest)
      ? dateIn(cleanest, order)
      : null;
  const isFirst = date && !/^\d{1,3}\s*(?:y|j|a)/i.test(cleanest);
  return isFirst ? birthOf(date, line) : undefined;
}

/** A date by itself right of the name, of a year before all other dates of the head. */
export function birthRightOfName(
  lines: readonly HeadLine[],
  { line: at, box }: { line: number; box: Box },
  order: Order,
): Birth | undefined {
  const line = lines[at];
  const right = line && segmentsOf(line).find((segment) => segment.box.x0 > box.x1);
  const isLabel = line?.spots.some(({ begin }) => begin === right?.from);
  const date = right && !isLabel ? dateIn(textOf(right.words), order) : null;
  const own = date?.iso.slice(0, 4) ?? '';
  const years = lines
    .slice(0, HEAD_LINES)
    .flatMap(({ words }) => words.flatMap(({ text }) => /\b(?:19|20)\d\d\b/.exec(text)?.[0] ?? []));
  const isFirst = years.some((year) => year > own) && years.every((year) => year >= own);
  return date && date.rest === '' && isFirst ? birthOf(date, at) : undefined;
}

/** A date that begins the line below the name, from the same edge. */
export function birthBelowName(lines: readonly HeadLine[], box: Box, order: Order): Birth | undefined {
  for (const line of lines.filter(({ row }) => row.box.y0 > box.y1 - 2 && row.box.y0 - box.y1 < 12)) {
    const below = segmentsOf(line).find((segment) => Math.abs(segment.box.x0 - box.x0) < 4);
    const isLabel = line.spots.some(({ begin }) => begin === below?.from);
    const birth = below && !isLabel ? birthBehindName(textOf(below.words), line.index, order) : undefined;
    if (birth) return birth;
  }
  return undefined;
}

/** A date with the age behind it in brackets: "12/12/2001 (23 años)". */
export function birthBesideAge(lines: readonly HeadLine[], order: Order): Birth | undefined {
  for (const { row, words } of lines.slice(0, HEAD_LINES)) {
    const [, before = '', text] = WITH_AGE.exec(textOf(words)) ?? [];
    const date = text === undefined ? null : dateIn(text, order);
    if (date)
      return birthOf(
        { ...date, rest: before },
        lines.findIndex((line) => line.row === row),
      );
  }
  return undefined;
}

/** "Née MARTIN le : 12/03/1971": between the label and its date stands the name that somebody was born with. */
export function birthBehindBirthName(lines: readonly HeadLine[], order: Order): Birth | undefined {
  for (const line of lines.slice(0, HEAD_LINES)) {
    for (const { words } of segmentsOf(line)) {
      const [, text] = BORN_AS.exec(textOf(words)) ?? [];
      const date = text === undefined ? null : dateIn(text, order);
      if (date) return birthOf(date, line.index);
    }
  }
  return undefined;
}

const BORN_AS =
  /^(?:n[ée](?:\(e\)|e)?|nat[oa]|nacid[oa]|nascid[oa]|geb\.?|geborene?|born)\s(?:\p{Lu}[\p{L}'’-]*\s){1,4}(?:le|il|em|el|am|on)\s?:?\s?(\d{1,2}\b.{4,})$/iu;

const HEAD_LINES = 20;
const WITH_AGE =
  /(?:^|(\p{L}*)[^\p{L}\d./-]+)(\d{1,2}[./-]\d{1,2}[./-]\d{4}|\d{4}-\d\d-\d\d) ?\((?:\p{L}+ )?\d{1,3} ?(?:y|yrs?|years?|años|anos|ans|anni|jahre|j\.?|jaar)\b/iu;

/** An age in whole years, 0 for children who are counted in months or days; null for none. */
export function ageIn(text: string): number | null {
  const [, number, unit = ''] =
    /(?<!\d|\d[./-])(\d{1,3})(?![\d./-]*\d)\s*(?:\.\d+)?\s*[([]?(\p{L}*)/u.exec(text) ?? [];
  if (!number || Number(number) > 125) return null;
  return /^(?:mo|me|mes|mois|mon|d|t|j(?:ours)?$|w|day|giorni)/i.test(unit) && !/^(?:y|a)/i.test(unit)
    ? 0
    : Number(number);
}

/** The age that the labels say. */
export function ageAtLabels(lines: readonly HeadLine[]): number | null {
  for (const line of lines.slice(0, HEAD_LINES)) {
    for (const spot of line.spots) {
      if (!spot.label.fields.includes('age')) continue;
      for (const { text } of valuesOf(lines, spot)) {
        const age = ageIn(text);
        if (age !== null) return age;
      }
    }
  }
  return null;
}

/** How old somebody is on a day; null where that cannot be. */
export function ageAt(dob: string | null, when: string | null): number | null {
  if (!dob || !when) return null;
  const years = Number(when.slice(0, 4)) - Number(dob.slice(0, 4));
  const age = when.slice(5, 10) < dob.slice(5, 10) ? years - 1 : years;
  return age >= 0 && age < 126 ? age : null;
}
