import { monthOf, type DayOrder } from './dates.ts';

/** "19/05", "19 May", "May 19", "May 2024", each with the time of day behind it. */
const NUMBERS = /^(\d{1,2})([./-])(\d{1,2})\.?(?:\s(\d{1,2}[:h]\d{2}))?$/;
const DAY_AND_NAME = /^(\d{1,2})\.?[-/ ]?(\p{L}{3,})\.?(?:\s(\d{1,2}[:h]\d{2}))?$/u;
const NAME_AND_DAY = /^(\p{L}{3,})\.?[-/ ](\d{1,2}|\d{4})(?:\s(\d{1,2}[:h]\d{2}))?$/u;

/**
 * A day whose year is not printed, or a month whose day is not, as a text that sorts among its like; undefined for
 * anything else. Which of several is the newest cannot be known for sure: a year may turn between them.
 */
export function readShortDate(text: string, order: DayOrder): string | undefined {
  const numbers = NUMBERS.exec(text);
  if (numbers) {
    const [, first, , second, time] = numbers;
    const isMonthFirst = Number(second) > 12 || (order === 'mdy' && Number(first) <= 12);
    const [month, day] = isMonthFirst ? [first, second] : [second, first];
    return sortable({ month: Number(month), day: Number(day), time });
  }
  const dayFirst = DAY_AND_NAME.exec(text);
  if (dayFirst)
    return sortable({ month: monthOf(dayFirst[2] ?? ''), day: Number(dayFirst[1]), time: dayFirst[3] });
  const [, name, number = '', time] = NAME_AND_DAY.exec(text) ?? [];
  if (name === undefined) return undefined;
  return number.length === 4
    ? sortable({ year: Number(number), month: monthOf(name), day: 1, time })
    : sortable({ month: monthOf(name), day: Number(number), time });
}

interface Parts {
  readonly year?: number;
  readonly month: number | undefined;
  readonly day: number;
  readonly time: string | undefined;
}

function sortable({ year = 0, month, day, time }: Parts): string | undefined {
  if (!month || month > 12 || day < 1 || day > 31) return undefined;
  const digits = (number: number, length: number) => String(number).padStart(length, '0');
  const own = `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;
  return time === undefined ? own : `${own}T${time.replace('h', ':').padStart(5, '0')}`;
}
