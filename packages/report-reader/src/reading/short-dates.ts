import { parseMonth, type DayOrder } from './dates.ts';

/** "19/05", "19 May", "May 19", "May 2024", each with an optional time of day. */
const NUMBERS = /^(\d{1,2})([./-])(\d{1,2})\.?(?:\s(\d{1,2}[:h]\d{2}))?$/;
const DAY_AND_NAME = /^(\d{1,2})\.?[-/ ]?(\p{L}{3,})\.?(?:\s(\d{1,2}[:h]\d{2}))?$/u;
const NAME_AND_DAY = /^(\p{L}{3,})\.?[-/ ](\d{1,2}|\d{4})(?:\s(\d{1,2}[:h]\d{2}))?$/u;

/**
 * A day without a year, or a month without a day, as sortable text; undefined for anything else. The newest of several
 * is never certain: there may be a turn of the year between them.
 */
export function readShortDate(text: string, order: DayOrder): string | undefined {
  const numbers = NUMBERS.exec(text);
  if (numbers) {
    const [, first, , second, time] = numbers;
    const isMonthFirst = Number(second) > 12 || (order === 'mdy' && Number(first) <= 12);
    const [month, day] = isMonthFirst ? [first, second] : [second, first];
    return toSortable({ month: Number(month), day: Number(day), time });
  }
  const dayFirst = DAY_AND_NAME.exec(text);
  if (dayFirst)
    return toSortable({ month: parseMonth(dayFirst[2] ?? ''), day: Number(dayFirst[1]), time: dayFirst[3] });
  const [, name, number = '', time] = NAME_AND_DAY.exec(text) ?? [];
  if (name === undefined) return undefined;
  return number.length === 4
    ? toSortable({ year: Number(number), month: parseMonth(name), day: 1, time })
    : toSortable({ month: parseMonth(name), day: Number(number), time });
}

interface ShortDateParts {
  readonly year?: number;
  readonly month: number | undefined;
  readonly day: number;
  readonly time: string | undefined;
}

function toSortable({ year = 0, month, day, time }: ShortDateParts): string | undefined {
  if (!month || month > 12 || day < 1 || day > 31) return undefined;
  const digits = (number: number, length: number) => String(number).padStart(length, '0');
  const own = `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;
  return time === undefined ? own : `${own}T${time.replace('h', ':').padStart(5, '0')}`;
}
