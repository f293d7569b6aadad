import { isoDay, isoTimestamp, SECOND } from '../../platform/clock.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { Day } from '../../readings/schema.ts';
import type { ReadingOrigin, SummaryReading, SummaryResource } from '../../readings/readings.ts';
import { createFault, isFault, type IngestionFault } from '../ingestion/ingestion.ts';
import type { PushItem } from './items.ts';

/** Which fields of a resource have its start and its day, and its default key. */
interface SummaryAnchor {
  readonly at: string;
  /** The field that determines the day if there is no calendar_date. */
  readonly day: string;
  readonly names?: readonly string[];
}

// prettier-ignore
const ANCHORS: { readonly [R in Exclude<SummaryResource, 'profile'>]: SummaryAnchor } = {
  activity:          { at: 'calendar_date', day: 'calendar_date' },
  body:              { at: 'calendar_date', day: 'calendar_date' },
  sleep:             { at: 'bedtime_start', day: 'bedtime_stop' },
  sleep_cycle:       { at: 'session_start', day: 'session_end' },
  workouts:          { at: 'time_start',    day: 'time_start', names: ['provider_id'] },
  meal:              { at: 'timestamp',     day: 'timestamp',  names: ['provider_id'] },
  menstrual_cycle:   { at: 'period_start',  day: 'period_start' },
  electrocardiogram: { at: 'session_start', day: 'session_start' },
};

interface SummaryItemContext {
  readonly resource: SummaryResource;
  readonly origin: ReadingOrigin;
  readonly now: Date;
}

/** A summary, and the unparsed stream of a workout. */
export interface ParsedSummary {
  readonly reading: SummaryReading;
  readonly stream: unknown;
}

/** Parses the time and key of an item. The other fields are validated at ingestion. */
export function parseSummary(item: PushItem, given: SummaryItemContext): ParsedSummary | IngestionFault {
  const { stream, ...body } = item;
  const reading = toReading(body, given);
  return isFault(reading) ? reading : { reading, stream };
}

function toReading(
  item: PushItem,
  { resource, origin, now }: SummaryItemContext,
): SummaryReading | IngestionFault {
  const { external_id: name = null, raw = null, ...body } = item;
  if (name !== null && typeof name !== 'string')
    return createFault(['external_id'], 'expected a string', 'string_type');
  if (!isObjectOrNull(raw)) return createFault(['raw'], 'expected an object', 'object_type');
  const reading = { kind: 'summary', resource, origin, body, raw } as const;
  if (resource === 'profile')
    return { ...reading, key: name ?? 'profile', at: now.getTime(), day: isoDay(now) };
  const anchor = ANCHORS[resource];
  const at = parseTimestamp(item, anchor.at);
  if (at === undefined) return timeFault(item, anchor.at);
  const day = item['calendar_date'] ?? parseDay(item, anchor.day);
  if (typeof day !== 'string') return timeFault(item, anchor.day);
  return { ...reading, key: name ?? findKey(item, anchor) ?? createKey(item, at), at, day };
}

/** Maps the field of a reading to the field of the item. */
export const toItemField = (resource: SummaryResource, step: string | number): string | number => {
  if (step === 'key') return 'external_id';
  if (step === 'day') return 'calendar_date';
  return step === 'at' && resource !== 'profile' ? ANCHORS[resource].at : step;
};

const isObjectOrNull = (value: unknown): value is SummaryReading['raw'] =>
  value === null || (typeof value === 'object' && !Array.isArray(value));

const timeFault = (item: PushItem, field: string): IngestionFault =>
  item[field] === undefined
    ? createFault([field], 'Field required', 'missing')
    : createFault([field], 'expected a timestamp or a date', 'datetime_format');

function parseTimestamp(item: PushItem, field: string): number | undefined {
  const moment = typeof item[field] === 'string' ? Date.parse(item[field]) : Number.NaN;
  return Number.isNaN(moment) ? undefined : moment;
}

/** The local day of a timestamp: by timezone_offset, or else as written. */
function parseDay(item: PushItem, field: string): string | undefined {
  const { [field]: given, timezone_offset: offset } = item;
  if (Day.safeParse(given).success) return String(given);
  const moment = parseTimestamp(item, field);
  if (moment === undefined) return undefined;
  if (typeof offset === 'number' && Math.abs(offset) < 86_400)
    return isoDay(new Date(moment + offset * SECOND));
  const written = Timestamp.safeParse(given).data;
  return written === undefined ? isoDay(new Date(moment)) : written.slice(0, 10);
}

const findKey = (item: PushItem, { names = [] }: SummaryAnchor): string | undefined =>
  names
    .map((field) => item[field])
    .find((name) => typeof name === 'string' && name !== '')
    ?.toString();

/** The default key of the summary of a day. */
export const createDayKey = (day: string): string => createKey({}, Date.parse(`${day}T00:00:00Z`));

/** Includes the name, because two meals may have the same timestamp. */
function createKey(item: PushItem, at: number): string {
  const moment = isoTimestamp(new Date(at));
  return typeof item['name'] === 'string' ? `${moment} ${item['name']}`.slice(0, 200) : moment;
}
