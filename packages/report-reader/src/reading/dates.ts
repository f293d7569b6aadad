import { normalizeWords, parsePhrases } from './text-normalization.ts';

const MONTHS: readonly string[] = [
  'january, jan, enero, ene, janvier, janv, januar, janner, jaen, gennaio, gen, janeiro',
  'february, feb, febrero, fevrier, fevr, februar, febbraio, fevereiro, fev',
  'march, mar, marzo, mars, marz, maerz, mrz, marco',
  'april, apr, abril, abr, avril, avr, aprile',
  'may, mayo, mai, maggio, mag, maio',
  'june, jun, junio, juin, juni, giugno, giu, junho',
  'july, jul, julio, juillet, juil, juli, luglio, lug, julho',
  'august, aug, agosto, ago, aout',
  'september, sep, sept, septiembre, septembre, settembre, set, setembro',
  'october, oct, octubre, octobre, oktober, okt, ottobre, ott, outubro, out',
  'november, nov, noviembre, novembre, novembro',
  'december, dec, diciembre, dic, decembre, dezember, dez, dicembre, dezembro',
];
const MONTH_OF = new Map<string, number>();
MONTHS.forEach((list, index) => {
  for (const name of parsePhrases(list)) MONTH_OF.set(name, index + 1);
});

const NUMERIC = /^\(?(\d{1,4})([./-])(\d{1,2})\2(\d{2,4})(?=$|[T,;)\s])/;
const NAMED_TIGHT = /^(\d{1,2})[-./ ]?(\p{L}{3,})[-./ ]?,?(\d{4}|\d{2})[,;)]?$/u;
const TIME = /^(\d{1,2})[:h.](\d{2})(?:[:.](\d{2}))?\s?(am|pm|a\.?m\.?|p\.?m\.?|h|hs|hrs|uhr)?[,;)]?$/i;

/** Whether day or month comes first in 03/04/2024. */
export type DayOrder = 'dmy' | 'mdy';

export interface PrintedDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** How many words from `start` on are a date or a time of day; 0 for neither. */
export function dateLength(texts: readonly string[], start: number): number {
  const text = texts[start] ?? '';
  const clean = text.replaceAll(/[,;]/g, '');
  if (NUMERIC.test(text) || /^\d{4}-\d{2}-\d{2}T/.test(text)) return 1;
  if (/^\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\.?)?$/i.test(clean) && !/^1:\d/.test(clean)) return 1;
  const [, day, name, year] = NAMED_TIGHT.exec(clean) ?? [];
  if (day && name && year && parseMonth(name)) return 1;
  if (!/^\d/.test(text) && parseMonth(text) === undefined) return 0;
  for (const count of [5, 3, 2]) {
    const some = texts.slice(start, start + count);
    if (some.length === count && readNamed(some.join(' '))) return count;
  }
  return 0;
}

export const parseMonth = (name: string): number | undefined => MONTH_OF.get(normalizeWords(name));

/** 12 March 2024, March 12, 2024, 12. März 2024, 12 de marzo de 2024, 2024-Mar-12 */
function readNamed(text: string): PrintedDate | undefined {
  const [, day, name, year] =
    /^(\d{1,2})(?:st|nd|rd|th|er|º|°)?\.?\s(?:de\s)?(\p{L}{3,})\.?,?\s(?:de\s|del\s)?(\d{4})[,.;]?$/u.exec(
      text,
    ) ?? [];
  if (day && name && year) return toValidDate({ year, month: parseMonth(name), day });
  const [, first, second, third] =
    /^(\p{L}{3,})\.?\s(\d{1,2})(?:st|nd|rd|th)?,?\s(\d{4})[,.;]?$/u.exec(text) ?? [];
  if (first && second && third) return toValidDate({ year: third, month: parseMonth(first), day: second });
  const [, ownYear, ownName, ownDay] = /^(\d{4})-(\p{L}{3,})-(\d{1,2})[,;)]?$/u.exec(text) ?? [];
  if (ownYear && ownName && ownDay)
    return toValidDate({ year: ownYear, month: parseMonth(ownName), day: ownDay });
  const [, tightDay, tightName, tightYear] = NAMED_TIGHT.exec(text) ?? [];
  if (tightDay && tightName && tightYear)
    return toValidDate({ year: tightYear, month: parseMonth(tightName), day: tightDay });
  return undefined;
}

/** The first date in a text, with a time of day that follows; undefined if there is none. */
export function readDate(
  text: string,
  order: DayOrder,
): { date: PrintedDate; time: string | null; rest: string } | undefined {
  const words = text.split(/\s+/);
  for (let start = 0; start < words.length; start += 1) {
    for (const count of [5, 3, 2, 1]) {
      const some = words.slice(start, start + count);
      if (some.length < count) continue;
      const date =
        count === 1
          ? (readNumeric(some[0] ?? '', order) ?? readNamed(some[0] ?? ''))
          : readNamed(some.join(' '));
      if (date) {
        const after = words.slice(start + count);
        return { date, time: readTime(some.join(' '), after), rest: after.join(' ') };
      }
    }
  }
  return undefined;
}

function readNumeric(text: string, order: DayOrder): PrintedDate | undefined {
  const [, first = '', , second = '', third = ''] = NUMERIC.exec(text) ?? [];
  if (first === '') return undefined;
  if (first.length === 4) return toValidDate({ year: first, month: Number(second), day: third });
  if (first.length > 2 || third.length === 3) return undefined;
  const monthFirst = Number(second) > 12 || (order === 'mdy' && Number(first) <= 12);
  return monthFirst
    ? toValidDate({ year: third, month: Number(first), day: second })
    : toValidDate({ year: third, month: Number(second), day: first });
}

function toValidDate({
  year,
  month,
  day,
}: {
  year: string;
  month: number | undefined;
  day: string;
}): PrintedDate | undefined {
  const short = Number(year);
  const full = year.length === 2 ? (short > 35 ? 1900 + short : 2000 + short) : short;
  const number = Number(day);
  if (!month || month > 12 || number < 1 || number > 31 || full < 1900 || full > 2100) return undefined;
  return { year: full, month, day: number };
}

function readTime(own: string, after: readonly string[]): string | null {
  const inside = /T(\d{2}:\d{2})/.exec(own)?.[1];
  if (inside) return inside;
  for (const [index, word] of after.slice(0, 3).entries()) {
    const match = TIME.exec(word);
    const [, hours, minutes, , suffix] = match ?? [];
    if (hours && minutes) return formatTime(Number(hours), minutes, suffix ?? after[index + 1] ?? '');
    if (!/^(?:at|um|a|las|[aà]|-|–|\/|,|alle|ore|às|as|kl)$/iu.test(word)) return null;
  }
  return null;
}

function formatTime(hours: number, minutes: string, suffix: string): string | null {
  const isAfternoon = /^p\.?m/i.test(suffix) && hours < 12;
  const isMidnight = /^a\.?m/i.test(suffix) && hours === 12;
  const real24 = isAfternoon ? hours + 12 : isMidnight ? 0 : hours;
  return real24 < 24 && Number(minutes) < 60 ? `${String(real24).padStart(2, '0')}:${minutes}` : null;
}

export const formatIsoDate = ({ year, month, day }: PrintedDate): string =>
  `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;

/** A numeric date at the start of a word or after its label: "25/11/2025", "Reported:25/11/2025", "(25/11/2025)". */
const PROOF = /(?:^|[:([])(\d{1,2})([./-])(\d{1,2})\2(?:(?:19|20)\d\d|\d\d(?!\d))(?![./-]\d{1,2}(?:\D|$))/;
/** "25 / 11 / 2025" and "25. 11. 2025" */
const SPACED_PROOF = /(?<![\d./-])(\d{1,2})\s?([./-])\s?(\d{1,2})\s?\2\s?(?:19|20)\d\d(?!\d)/g;

/**
 * The orders proved by numeric dates that can be read only one way: "14/01/2025" and "01/14/2025". Without any, points
 * suggest that the day comes first, except in a report of the United States.
 */
export function findProvenDayOrders(
  texts: readonly string[],
  { doPointsProve } = { doPointsProve: true },
): Set<DayOrder> {
  const spaced = [...texts.join(' ').matchAll(SPACED_PROOF)];
  const dates = [...texts.map((text) => PROOF.exec(text)), ...spaced];
  const found = dates.flatMap((date) =>
    date ? (proveDayOrder(Number(date[1]), Number(date[3])) ?? []) : [],
  );
  if (found.length > 0 || !doPointsProve) return new Set(found);
  return new Set(texts.some((text) => /^\d{1,2}\.\d{1,2}\.\d{4}/.test(text)) ? ['dmy'] : []);
}

function proveDayOrder(first: number, second: number): DayOrder | undefined {
  const canBe = (day: number, month: number): boolean => day > 12 && day < 32 && month > 0 && month < 13;
  if (canBe(first, second)) return 'dmy';
  return canBe(second, first) ? 'mdy' : undefined;
}
