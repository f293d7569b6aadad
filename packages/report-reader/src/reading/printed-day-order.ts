import type { DayOrder } from './dates.ts';

const DAY = 'dd|jj|tt|gg';
const SEPARATOR = String.raw`\s?[./-]\s?`;
const YEAR = 'yyyy|yy|aaaa|aa|jjjj|jj';
const WORDS: readonly (readonly [day: string, month: string, year: string])[] = [
  ['day', 'month', 'year'],
  ['d[ií]a', 'm[eê]s', 'a[nñ]o'],
  ['jour', 'mois', 'ann[ée]e'],
  ['tag', 'monat', 'jahr'],
  ['giorno', 'mese', 'anno'],
  ['d', 'm', 'y'],
];

const toPattern = (parts: readonly string[], separator: string): string =>
  String.raw`(?<![\p{L}\d]|[yja]\s?[./-]\s?)` +
  parts.map((part) => `(?:${part})`).join(separator) +
  String.raw`(?![\p{L}\d])`;

/** "DD/MM/YYYY", "dd/mm", "TT.MM.JJJJ", "GG/MM/AAAA", "DD MM YYYY", "day/month/year" and "D/M/Y". */
const toPatterns = (order: DayOrder): RegExp[] => {
  const inOrder = (day: string, month: string): [string, string] =>
    order === 'dmy' ? [day, month] : [month, day];
  const letters = inOrder(DAY, 'mm');
  return [
    toPattern(letters, SEPARATOR),
    toPattern([...letters, YEAR], SEPARATOR),
    toPattern([...letters, YEAR], String.raw`\s`),
    ...WORDS.map(([day, month, year]) => toPattern([...inOrder(day, month), year], SEPARATOR)),
  ].map((source) => new RegExp(source, 'iu'));
};

const PATTERNS: readonly (readonly [order: DayOrder, patterns: readonly RegExp[]])[] = [
  ['dmy', toPatterns('dmy')],
  ['mdy', toPatterns('mdy')],
];

/** The orders of day and month that a text prints as the form of its dates: "DOB (dd/mm/yyyy)". */
export const findPrintedDayOrders = (text: string): DayOrder[] =>
  PATTERNS.filter(([, patterns]) => patterns.some((pattern) => pattern.test(text))).map(([order]) => order);
