import { isoDay, isoMoment, SECOND } from '../../platform/clock.ts';
import { Day, Moment } from '../source.ts';
import type { Origin, SummaryReading, SummedResource } from '../readings.ts';
import { fault, isFault, type Fault } from '../taking-in/taking-in.ts';
import type { Item } from './items.ts';

/** Where a resource has its beginning and its day, and what names it where the app does not. */
interface Anchor {
  readonly at: string;
  /** The field that decides the day where no calendar_date is given. */
  readonly day: string;
  readonly names?: readonly string[];
}

// prettier-ignore
const ANCHORS: { readonly [R in Exclude<SummedResource, 'profile'>]: Anchor } = {
  activity:          { at: 'calendar_date', day: 'calendar_date' },
  body:              { at: 'calendar_date', day: 'calendar_date' },
  sleep:             { at: 'bedtime_start', day: 'bedtime_stop' },
  sleep_cycle:       { at: 'session_start', day: 'session_end' },
  workouts:          { at: 'time_start',    day: 'time_start', names: ['provider_id'] },
  meal:              { at: 'timestamp',     day: 'timestamp',  names: ['provider_id'] },
  menstrual_cycle:   { at: 'period_start',  day: 'period_start' },
  electrocardiogram: { at: 'session_start', day: 'session_start' },
};

interface Given {
  readonly resource: SummedResource;
  readonly origin: Origin;
  readonly now: Date;
}

/** A summary, and of a workout what it says of its stream, whatever that is. */
export interface PushedSummary {
  readonly reading: SummaryReading;
  readonly stream: unknown;
}

/** What an item says, if its time can be read; the rest of it is read where it is taken in. */
export function summaryOf(item: Item, given: Given): PushedSummary | Fault {
  const { stream, ...body } = item;
  const reading = readingOf(body, given);
  return isFault(reading) ? reading : { reading, stream };
}

function readingOf(item: Item, { resource, origin, now }: Given): SummaryReading | Fault {
  const { external_id: name = null, raw = null, ...body } = item;
  if (name !== null && typeof name !== 'string')
    return fault(['external_id'], 'expected a text', 'string_type');
  if (!isObjectOrNull(raw)) return fault(['raw'], 'expected an object', 'object_type');
  const reading = { kind: 'summary', resource, origin, body, raw } as const;
  if (resource === 'profile')
    return { ...reading, key: name ?? 'profile', at: now.getTime(), day: isoDay(now) };
  const anchor = ANCHORS[resource];
  const at = momentIn(item, anchor.at);
  if (at === undefined) return missing(item, anchor.at);
  const day = item['calendar_date'] ?? dayIn(item, anchor.day);
  if (typeof day !== 'string') return missing(item, anchor.day);
  return { ...reading, key: name ?? nameIn(item, anchor) ?? nameAt(item, at), at, day };
}

/** The field that a fault of a reading is about, as the item has it. */
export const fieldOf = (resource: SummedResource, step: string | number): string | number => {
  if (step === 'key') return 'external_id';
  if (step === 'day') return 'calendar_date';
  return step === 'at' && resource !== 'profile' ? ANCHORS[resource].at : step;
};

const isObjectOrNull = (value: unknown): value is SummaryReading['raw'] =>
  value === null || (typeof value === 'object' && !Array.isArray(value));

const missing = (item: Item, field: string): Fault =>
  item[field] === undefined
    ? fault([field], 'Field required', 'missing')
    : fault([field], 'expected a moment or a day', 'datetime_format');

function momentIn(item: Item, field: string): number | undefined {
  const moment = typeof item[field] === 'string' ? Date.parse(item[field]) : Number.NaN;
  return Number.isNaN(moment) ? undefined : moment;
}

/** The day of the user's calendar on which a moment lies: by the offset that is told, or else as it is written. */
function dayIn(item: Item, field: string): string | undefined {
  const { [field]: given, timezone_offset: offset } = item;
  if (Day.safeParse(given).success) return String(given);
  const moment = momentIn(item, field);
  if (moment === undefined) return undefined;
  if (typeof offset === 'number' && Math.abs(offset) < 86_400)
    return isoDay(new Date(moment + offset * SECOND));
  const written = Moment.safeParse(given).data;
  return written === undefined ? isoDay(new Date(moment)) : written.slice(0, 10);
}

const nameIn = (item: Item, { names = [] }: Anchor): string | undefined =>
  names
    .map((field) => item[field])
    .find((name) => typeof name === 'string' && name !== '')
    ?.toString();

/** Two meals of one moment have other names. */
function nameAt(item: Item, at: number): string {
  const moment = isoMoment(new Date(at));
  return typeof item['name'] === 'string' ? `${moment} ${item['name']}`.slice(0, 200) : moment;
}
