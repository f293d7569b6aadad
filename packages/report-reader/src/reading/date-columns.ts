import { type ReportColumn, measureGapTo, findNearest } from './columns.ts';
import { type DayOrder, findProvenDayOrders, formatIsoDate, readDate } from './dates.ts';
import { matchHeaderLabel } from './lexicon/header-labels.ts';
import type { ReportDateContext } from './date-context.ts';
import { type TextRow, joinWords } from './rows.ts';
import { readShortDate } from './short-dates.ts';

type DatedColumn = ReportColumn & { readonly date: string };

const isDated = (column: ReportColumn): column is DatedColumn => column.date !== undefined;

/**
 * Of the columns headed by dates, the one with the newest date has the results, the others have previous ones. If the
 * newest cannot be determined, its column is marked, so that an old result is never taken for a new one unnoticed.
 */
export function withNewestColumn(
  columns: readonly ReportColumn[],
  { near, dating }: { near: readonly TextRow[]; dating: ReportDateContext },
): ReportColumn[] {
  const known = withoutSpan(columns);
  const open = known.filter(isDated).filter(({ role }) => role === 'value');
  if (open.length === 0) return known;
  const { newest, reading, isSure } = chooseNewest(open, near, dating);
  const earlier = known.filter(isDated).filter(({ role }) => role === 'previous');
  const isNewer = earlier.every((column) => readColumnDate(column, reading.order, []) <= reading.newestDate);
  const days = open.map((column) => readColumnDate(column, reading.order, []).slice(0, 10));
  const isShort = open.some(({ date }) => readDate(date, 'dmy') === undefined);
  const isUnsure = isShort || !isSure || !isNewer || !isConsistent(reading.newestDate, days, dating);
  const moment = newest ? readColumnDate(newest, reading.order, findTimes(newest, open, near)) : '';
  return known.map((column) => {
    if (column === newest && isUnsure) return { ...column, isNewestUncertain: isUnsure };
    if (column === newest) return areSampleDates(known, near) ? { ...column, newestDate: moment } : column;
    return open.some((one) => one === column) ? { ...column, role: 'previous' } : column;
  });
}

/** "Results" above the middle of several dates is a heading of them all, not a column. */
function withoutSpan(columns: readonly ReportColumn[]): ReportColumn[] {
  const dated = columns.filter(isDated);
  const span = columns.find(
    ({ role, date, x0, x1 }) =>
      role === 'value' &&
      date === undefined &&
      dated.some((column) => column.x1 < x0) &&
      dated.some((column) => column.x0 > x1),
  );
  if (!span) return [...columns];
  return columns
    .filter((column) => column !== span)
    .map((column) => (isDated(column) && !column.isEarlier ? { ...column, role: 'value' } : column));
}

/** The dates of the columns under one order of day and month. */
interface DateColumnReading {
  readonly order: DayOrder;
  /** The newest date, and the columns that have it. */
  readonly newestDate: string;
  readonly newest: readonly DatedColumn[];
  /** Dates strictly follow each other in one direction. */
  readonly isInOrder: boolean;
}

interface NewestColumnChoice {
  readonly newest: DatedColumn | undefined;
  readonly reading: DateColumnReading;
  readonly isSure: boolean;
}

function chooseNewest(
  dated: readonly DatedColumn[],
  near: readonly TextRow[],
  dating: ReportDateContext,
): NewestColumnChoice {
  const own = findProvenDayOrders(
    dated.map(({ date }) => date),
    { doPointsProve: dating.likelyOrder !== 'mdy' },
  );
  const [likely, other] = findPossibleOrders(own, dating).map((order) =>
    readDateColumns(dated, near, order),
  ) as [DateColumnReading, DateColumnReading?];
  const ways = other ? [likely, other] : [likely];
  const told = dating.newestSide && (dating.newestSide === 'left' ? dated[0] : dated.at(-1));
  const asTold = told && ways.find(({ newest }) => newest.includes(told));
  if (asTold) return { newest: told, reading: asTold, isSure: own.size < 2 };
  const inOrder = ways.filter(({ isInOrder }) => isInOrder);
  const way = inOrder[0] ?? likely;
  const [newest] = way.newest;
  const isSame = ways.every((one) => one.newest.length === 1 && one.newest[0] === newest);
  const isLikely =
    dating.likelyOrder !== undefined && dated.length > 2 && inOrder.length === 1 && way === likely;
  return { newest, reading: way, isSure: told === undefined && own.size < 2 && (isSame || isLikely) };
}

/** The order that the columns prove, else the one the report proves; else both, the likelier one first. */
function findPossibleOrders(
  own: ReadonlySet<DayOrder>,
  { provenOrder, likelyOrder }: ReportDateContext,
): DayOrder[] {
  if (own.size === 1) return [...own];
  if (own.size === 0 && provenOrder) return [provenOrder];
  return likelyOrder === 'mdy' ? ['mdy', 'dmy'] : ['dmy', 'mdy'];
}

function readDateColumns(
  dated: readonly DatedColumn[],
  near: readonly TextRow[],
  order: DayOrder,
): DateColumnReading {
  const days = dated.map((column) => readColumnDate(column, order, []).slice(0, 10));
  const last = days.toSorted().at(-1);
  const tied = dated.filter((_, index) => days[index] === last);
  const times = tied.map((column) => readColumnDate(column, order, findTimes(column, dated, near)));
  const moment =
    (tied.length > 1 && times.every((time) => time.includes('T')) ? times.toSorted().at(-1) : last) ?? '';
  const newest = tied.filter((_, index) => tied.length === 1 || times[index] === moment || moment === last);
  const rising = days.every((day, index) => index === 0 || day >= (days[index - 1] ?? ''));
  const falling = days.every((day, index) => index === 0 || day <= (days[index - 1] ?? ''));
  return {
    order,
    newestDate: moment,
    newest: rising ? newest.toReversed() : newest,
    isInOrder: rising || falling,
  };
}

function readColumnDate({ date }: DatedColumn, order: DayOrder, times: readonly string[]): string {
  const own = readDate(date, order);
  if (!own) return readShortColumnDate(readShortDate(date, order) ?? '', times);
  const time = own.time ?? readDate([date, ...times].join(' '), order)?.time;
  return time ? `${formatIsoDate(own.date)}T${time}` : formatIsoDate(own.date);
}

/** The time of day in a line below separates two columns of one day. */
function readShortColumnDate(day: string, times: readonly string[]): string {
  const time = /^\d{1,2}:\d{2}/.exec(times[0] ?? '')?.[0];
  return day === '' || day.includes('T') || time === undefined ? day : `${day}T${time.padStart(5, '0')}`;
}

const TIME = /^\d{1,2}[:h]\d{2}(?::\d{2})?(?:[ap]\.?m\.?)?$/i;
const OF_TIME = /^(?:[ap]\.?m\.?|uhr|h|hrs)$/i;
const TIME_LABEL = /^(?:time|collected|collection|taken|hora|heure|uhrzeit|zeit|ora)\b/i;

/** The time of day of a column in the line above or below the dates. */
function findTimes(column: DatedColumn, dated: readonly DatedColumn[], near: readonly TextRow[]): string[] {
  for (const { words } of near) {
    const [first] = words;
    if (
      !first ||
      !(TIME.test(first.text) || TIME_LABEL.test(first.text) || readDate(joinWords(words), 'dmy'))
    )
      continue;
    const own = words.filter(
      ({ text, box }) =>
        (TIME.test(text) || OF_TIME.test(text)) &&
        findNearest(dated, box) === column &&
        measureGapTo(column, box) < 24,
    );
    if (own.length > 0) return own.map(({ text }) => text);
  }
  return [];
}

/** Whether the dates of a table are collection dates: there are several, and no label next to them says otherwise. */
const areSampleDates = (columns: readonly ReportColumn[], near: readonly TextRow[]): boolean =>
  columns.filter(isDated).length > 1 &&
  !near.some(({ words }) => {
    const moment = matchDateKind(words);
    // Numbers after a label are request numbers, and a single date belongs to the report header.
    const isOfDates =
      words.filter(({ text }) => readDate(text, 'dmy')).length > 1 || !/\d/.test(joinWords(words));
    return moment !== undefined && moment !== 'collected' && isOfDates;
  });

const matchDateKind = (words: TextRow['words']): string | undefined => {
  const label = matchHeaderLabel(
    words.slice(0, 4).map(({ text }) => text),
    0,
  );
  return label && !label.isWeak ? label.fields.find((field) => DATE_KINDS.has(field)) : undefined;
};
const DATE_KINDS: ReadonlySet<string> = new Set(['collected', 'reported', 'printed', 'received']);

/** Whether the collection date of the header has a column, and the report is not older than the newest one. */
const isConsistent = (
  moment: string,
  days: readonly string[],
  { collected, reported }: ReportDateContext,
): boolean =>
  (collected === null || days.includes(collected)) &&
  (reported === null || days.includes(reported) || moment.slice(0, 10) <= reported);
