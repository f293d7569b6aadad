import { joinWords } from '../rows.ts';
import type { BoundingBox } from '../report-model.ts';
import { type HeaderLine, type LabelMatch, splitHeaderLine, findLabelValues } from './labels.ts';
import { readLabelDate, parseHeaderDate, type HeaderDate, type HeaderDayOrder } from './header-dates.ts';

export interface BirthMatch {
  /** YYYY-MM-DD */
  readonly dob: string;
  /** The text after it. */
  readonly rest: string;
  readonly line: number;
  /** Its year is printed in two digits. */
  readonly isShort: boolean;
}

/** The labeled date of birth; undefined if there is none, or if two labels have different dates. */
export function findBirth(lines: readonly HeaderLine[], order: HeaderDayOrder): BirthMatch | undefined {
  const own = findLabeledBirths(lines, order);
  const [first] = own;
  return first && own.every(({ dob }) => dob === first.dob) ? first : undefined;
}

/** All dates with a birth label of the patient. */
export const findBirths = (lines: readonly HeaderLine[], order: HeaderDayOrder): string[] =>
  findLabeledBirths(lines, order).map(({ dob }) => dob);

function findLabeledBirths(lines: readonly HeaderLine[], order: HeaderDayOrder): BirthMatch[] {
  const found = lines.flatMap((line) =>
    line.spots
      .filter((spot) => spot.label.fields.includes('dob') && !hasRelativeLabel(line, spot))
      .flatMap((spot) => {
        const date = readLabelDate(lines, { spot, dateKind: 'dob', order });
        return date ? [{ birth: toBirthMatch(date, spot.line), language: spot.label.language }] : [];
      }),
  );
  const isOne = new Set(found.map(({ birth }) => birth.dob)).size < 2;
  const own = isOne ? found : found.filter(({ language }) => isReportLanguage(lines, language));
  return own.map(({ birth }) => birth);
}

/** "UR:" is a birth label in Polish and a patient number elsewhere: whether other labels are in that language, too. */
const isReportLanguage = (lines: readonly HeaderLine[], language: string | null): boolean =>
  language === null ||
  lines.flatMap(({ spots }) => spots).filter(({ label }) => label.language === language).length > 1;

/** Words before a date of birth that is not the patient's. */
const RELATIVES =
  /guarantor|subscriber|insured|policy|mother|father|parent|spouse|husband|guardian|next of kin|m[aá]dre|padre|tutor|titular|m[eè]re|p[eè]re|assur|versichert|mutter|vater|m[aã]e|pai\b/iu;

function hasRelativeLabel({ spots, words }: HeaderLine, spot: LabelMatch): boolean {
  const before = spots[spots.indexOf(spot) - 1];
  return before !== undefined && RELATIVES.test(joinWords(words.slice(before.begin, before.end)));
}

const toBirthMatch = ({ iso, rest, isShort }: HeaderDate, line: number): BirthMatch => ({
  dob: iso.slice(0, 10),
  rest,
  line,
  isShort,
});

/** A date right after the patient's name: "Muster Anna, 12.03.1971, w". */
export function findBirthAfterName(
  rest: string,
  line: number,
  order: HeaderDayOrder,
): BirthMatch | undefined {
  if (
    !/^[\s,;*(–-]*(?:(?:geb|dob|born|né|née|n\.?|nato|nata)\.?:?\s*)?(?:(?:il|le|am|el)\s)?[\s*(]*\d/iu.test(
      rest,
    )
  )
    return undefined;
  const cleanest = rest.replace(/^[^\d]*/, '');
  const date =
    /^\d{1,4}[./-]\d/.test(cleanest) || /^\d{1,2}\.?\s?\p{L}{3}/u.test(cleanest)
      ? parseHeaderDate(cleanest, order)
      : null;
  const isFirst = date && !/^\d{1,3}\s*(?:y|j|a)/i.test(cleanest);
  return isFirst ? toBirthMatch(date, line) : undefined;
}

/** A lone date to the right of the name, in a year before all other dates of the header. */
export function findBirthRightOfName(
  lines: readonly HeaderLine[],
  { line: at, box }: { line: number; box: BoundingBox },
  order: HeaderDayOrder,
): BirthMatch | undefined {
  const line = lines[at];
  const right = line && splitHeaderLine(line).find((segment) => segment.box.x0 > box.x1);
  const isLabel = line?.spots.some(({ begin }) => begin === right?.from);
  const date = right && !isLabel ? parseHeaderDate(joinWords(right.words), order) : null;
  const own = date?.iso.slice(0, 4) ?? '';
  const years = lines
    .slice(0, HEADER_LINES)
    .flatMap(({ words }) => words.flatMap(({ text }) => /\b(?:19|20)\d\d\b/.exec(text)?.[0] ?? []));
  const isFirst = years.some((year) => year > own) && years.every((year) => year >= own);
  return date && date.rest === '' && isFirst ? toBirthMatch(date, at) : undefined;
}

/** A date at the start of the line below the name, left-aligned with it. */
export function findBirthBelowName(
  lines: readonly HeaderLine[],
  box: BoundingBox,
  order: HeaderDayOrder,
): BirthMatch | undefined {
  for (const line of lines.filter(({ row }) => row.box.y0 > box.y1 - 2 && row.box.y0 - box.y1 < 12)) {
    const below = splitHeaderLine(line).find((segment) => Math.abs(segment.box.x0 - box.x0) < 4);
    const isLabel = line.spots.some(({ begin }) => begin === below?.from);
    const birth =
      below && !isLabel ? findBirthAfterName(joinWords(below.words), line.index, order) : undefined;
    if (birth) return birth;
  }
  return undefined;
}

/** A date followed by the age in brackets: "12/12/2001 (23 años)". */
export function findBirthNextToAge(
  lines: readonly HeaderLine[],
  order: HeaderDayOrder,
): BirthMatch | undefined {
  for (const { row, words } of lines.slice(0, HEADER_LINES)) {
    const [, before = '', text] = WITH_AGE.exec(joinWords(words)) ?? [];
    const date = text === undefined ? null : parseHeaderDate(text, order);
    if (date)
      return toBirthMatch(
        { ...date, rest: before },
        lines.findIndex((line) => line.row === row),
      );
  }
  return undefined;
}

/** "Née MARTIN le : 12/03/1971": the birth name stands between the label and its date. */
export function findBirthAfterBirthName(
  lines: readonly HeaderLine[],
  order: HeaderDayOrder,
): BirthMatch | undefined {
  for (const line of lines.slice(0, HEADER_LINES)) {
    for (const { words } of splitHeaderLine(line)) {
      const [, text] = BORN_AS.exec(joinWords(words)) ?? [];
      const date = text === undefined ? null : parseHeaderDate(text, order);
      if (date) return toBirthMatch(date, line.index);
    }
  }
  return undefined;
}

const BORN_AS =
  /^(?:n[ée](?:\(e\)|e)?|nat[oa]|nacid[oa]|nascid[oa]|geb\.?|geborene?|born)\s(?:\p{Lu}[\p{L}'’-]*\s){1,4}(?:le|il|em|el|am|on)\s?:?\s?(\d{1,2}\b.{4,})$/iu;

const HEADER_LINES = 20;
const WITH_AGE =
  /(?:^|(\p{L}*)[^\p{L}\d./-]+)(\d{1,2}[./-]\d{1,2}[./-]\d{4}|\d{4}-\d\d-\d\d) ?\((?:\p{L}+ )?\d{1,3} ?(?:y|yrs?|years?|años|anos|ans|anni|jahre|j\.?|jaar)\b/iu;

/** An age in whole years, 0 for children with an age in months or days; null for none. */
function parseAge(text: string): number | null {
  const [, number, unit = ''] =
    /(?<!\d|\d[./-])(\d{1,3})(?![\d./-]*\d)\s*(?:\.\d+)?\s*[([]?(\p{L}*)/u.exec(text) ?? [];
  if (!number || Number(number) > 125) return null;
  return /^(?:mo|me|mes|mois|mon|d|t|j(?:ours)?$|w|day|giorni)/i.test(unit) && !/^(?:y|a)/i.test(unit)
    ? 0
    : Number(number);
}

/** The labeled age. */
export function readLabeledAge(lines: readonly HeaderLine[]): number | null {
  for (const line of lines.slice(0, HEADER_LINES)) {
    for (const spot of line.spots) {
      if (!spot.label.fields.includes('age')) continue;
      for (const { text } of findLabelValues(lines, spot)) {
        const age = parseAge(text);
        if (age !== null) return age;
      }
    }
  }
  return null;
}

/** The age in whole years on a day; null if impossible. */
export function calculateAge(dob: string | null, when: string | null): number | null {
  if (!dob || !when) return null;
  const years = Number(when.slice(0, 4)) - Number(dob.slice(0, 4));
  const age = when.slice(5, 10) < dob.slice(5, 10) ? years - 1 : years;
  return age >= 0 && age < 126 ? age : null;
}
