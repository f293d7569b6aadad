import { type Column, gapTo, nearest } from './columns.ts';
import { type DayOrder, isoDate, readDate } from './dates.ts';
import { headLabelAt } from './lexicon/head-fields.ts';
import { type Dating, ordersShownBy } from './dating.ts';
import { type Row, textOf } from './rows.ts';
import { readShortDate } from './short-dates.ts';

type Dated = Column & { readonly date: string };

const isDated = (column: Column): column is Dated => column.date !== undefined;

/**
 * Of the columns that dates head, the one of the newest moment has the results, the others have earlier ones. Where
 * nobody can tell which is the newest, its column is marked, so that no old result passes for a new one unseen.
 */
export function withNewest(
  columns: readonly Column[],
  { near, dating }: { near: readonly Row[]; dating: Dating },
): Column[] {
  const known = withoutSpan(columns);
  const open = known.filter(isDated).filter(({ role }) => role === 'value');
  if (open.length === 0) return known;
  const { newest, way, isSure } = choose(open, near, dating);
  const earlier = known.filter(isDated).filter(({ role }) => role === 'previous');
  const isNewer = earlier.every((column) => momentOf(column, way.order, []) <= way.moment);
  const days = open.map((column) => momentOf(column, way.order, []).slice(0, 10));
  const isShort = open.some(({ date }) => readDate(date, 'dmy') === undefined);
  const isUnsure = isShort || !isSure || !isNewer || !fits(way.moment, days, dating);
  const moment = newest ? momentOf(newest, way.order, timesBeside(newest, open, near)) : '';
  return known.map((column) => {
    if (column === newest && isUnsure) return { ...column, isUnsure };
    if (column === newest) return isOfSample(known, near) ? { ...column, moment } : column;
    return open.some((one) => one === column) ? { ...column, role: 'previous' } : column;
  });
}

/** "Results" above the middle of several dates is a heading of them all, and no column. */
function withoutSpan(columns: readonly Column[]): Column[] {
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

/** How the columns follow each other when days and months come in this order. */
interface Way {
  readonly order: DayOrder;
  /** The newest moment, and the columns that have it. */
  readonly moment: string;
  readonly newest: readonly Dated[];
  /** Every column is older than the one before it, or every one is newer. */
  readonly isInOrder: boolean;
}

interface Choice {
  readonly newest: Dated | undefined;
  readonly way: Way;
  readonly isSure: boolean;
}

function choose(dated: readonly Dated[], near: readonly Row[], dating: Dating): Choice {
  const own = ordersShownBy(dated.map(({ date }) => date));
  const [likely, other] = ordersFor(own, dating).map((order) => wayOf(dated, near, order)) as [Way, Way?];
  const ways = other ? [likely, other] : [likely];
  const told = dating.newestAt && (dating.newestAt === 'left' ? dated[0] : dated.at(-1));
  const asTold = told && ways.find(({ newest }) => newest.includes(told));
  if (asTold) return { newest: told, way: asTold, isSure: own.size < 2 };
  const inOrder = ways.filter(({ isInOrder }) => isInOrder);
  const way = inOrder[0] ?? likely;
  const [newest] = way.newest;
  const isSame = ways.every((one) => one.newest.length === 1 && one.newest[0] === newest);
  const isLikely = dating.likely !== undefined && dated.length > 2 && inOrder.length === 1 && way === likely;
  return { newest, way, isSure: told === undefined && own.size < 2 && (isSame || isLikely) };
}

/** What the columns prove counts, then what the report proves; else both orders may be, the likelier one first. */
function ordersFor(own: ReadonlySet<DayOrder>, { shown, likely }: Dating): DayOrder[] {
  if (own.size === 1) return [...own];
  if (own.size === 0 && shown) return [shown];
  return likely === 'mdy' ? ['mdy', 'dmy'] : ['dmy', 'mdy'];
}

function wayOf(dated: readonly Dated[], near: readonly Row[], order: DayOrder): Way {
  const days = dated.map((column) => momentOf(column, order, []).slice(0, 10));
  const last = days.toSorted().at(-1);
  const tied = dated.filter((_, index) => days[index] === last);
  const times = tied.map((column) => momentOf(column, order, timesBeside(column, dated, near)));
  const moment =
    (tied.length > 1 && times.every((time) => time.includes('T')) ? times.toSorted().at(-1) : last) ?? '';
  const newest = tied.filter((_, index) => tied.length === 1 || times[index] === moment || moment === last);
  const rising = days.every((day, index) => index === 0 || day >= (days[index - 1] ?? ''));
  const falling = days.every((day, index) => index === 0 || day <= (days[index - 1] ?? ''));
  return { order, moment, newest: rising ? newest.toReversed() : newest, isInOrder: rising || falling };
}

function momentOf({ date }: Dated, order: DayOrder, times: readonly string[]): string {
  const own = readDate(date, order);
  if (!own) return shortMoment(readShortDate(date, order) ?? '', times);
  const time = own.time ?? readDate([date, ...times].join(' '), order)?.time;
  return time ? `${isoDate(own.date)}T${time}` : isoDate(own.date);
}

/** The time of day of a line below is what parts two columns of one day. */
function shortMoment(day: string, times: readonly string[]): string {
  const time = /^\d{1,2}:\d{2}/.exec(times[0] ?? '')?.[0];
  return day === '' || day.includes('T') || time === undefined ? day : `${day}T${time.padStart(5, '0')}`;
}

const TIME = /^\d{1,2}[:h]\d{2}(?::\d{2})?(?:[ap]\.?m\.?)?$/i;
const OF_TIME = /^(?:[ap]\.?m\.?|uhr|h|hrs)$/i;
const TIME_LABEL = /^(?:time|collected|collection|taken|hora|heure|uhrzeit|zeit|ora)\b/i;

/** The time of day that the line above or below the dates has for a column. */
function timesBeside(column: Dated, dated: readonly Dated[], near: readonly Row[]): string[] {
  for (const { words } of near) {
    const [first] = words;
    if (!first || !(TIME.test(first.text) || TIME_LABEL.test(first.text) || readDate(textOf(words), 'dmy')))
      continue;
    const own = words.filter(
      ({ text, box }) =>
        (TIME.test(text) || OF_TIME.test(text)) && nearest(dated, box) === column && gapTo(column, box) < 24,
    );
    if (own.length > 0) return own.map(({ text }) => text);
  }
  return [];
}

/** Whether the dates of a table are those of samples: there are several, and no label beside them says otherwise. */
const isOfSample = (columns: readonly Column[], near: readonly Row[]): boolean =>
  columns.filter(isDated).length > 1 &&
  !near.some(({ words }) => {
    const moment = momentOfLabel(words);
    // Numbers beside a label are of requests, and a single date is what the head says.
    const isOfDates =
      words.filter(({ text }) => readDate(text, 'dmy')).length > 1 || !/\d/.test(textOf(words));
    return moment !== undefined && moment !== 'collected' && isOfDates;
  });

const momentOfLabel = (words: Row['words']): string | undefined => {
  const label = headLabelAt(
    words.slice(0, 4).map(({ text }) => text),
    0,
  );
  return label && !label.isWeak ? label.fields.find((field) => MOMENTS.has(field)) : undefined;
};
const MOMENTS: ReadonlySet<string> = new Set(['collected', 'reported', 'printed', 'received']);

/** The head of the report speaks of a sample that has a column, and was not printed before the newest one. */
const fits = (moment: string, days: readonly string[], { collected, reported }: Dating): boolean =>
  (collected === null || days.includes(collected)) &&
  (reported === null || days.includes(reported) || moment.slice(0, 10) <= reported);
