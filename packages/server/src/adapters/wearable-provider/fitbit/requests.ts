import type { z } from 'zod';
import { isoTimestamp } from '../../../platform/clock.ts';
import { addDays } from '../../../platform/time-zone.ts';
import type { ProviderApi } from '../api.ts';
import { ProviderUnavailableError, type ProviderTimeSpan } from '../port.ts';
import {
  createLocalTimeParser,
  getZoneOffset,
  toLocalDay,
  type LocalTimeParser,
  type OffsetInstant,
} from '../times.ts';
import { createPageSchema, createRollupSchema, DayRollup, Settings, type GoogleDayRollup } from './wire.ts';

export const USER = '/v4/users/me';
const PAGE_SIZE = 10_000;
/** A page of sleeps or exercises has at most 25; no window that is pulled has more pages. */
const PAGES_MAX = 1000;

const toPath = (dataType: string): string => `${USER}/dataTypes/${dataType}/dataPoints`;
/** The data type as filters name it. */
const toField = (dataType: string): string => dataType.replaceAll('-', '_');

interface PageFilter {
  /** The field of the data type that is compared, such as `sample_time.physical_time`. */
  readonly field: string;
  readonly from: string;
  /** Excluded. */
  readonly to: string;
}

export const toPhysicalFilter = (field: string, { from, to }: ProviderTimeSpan): PageFilter => ({
  field,
  from: isoTimestamp(from),
  to: isoTimestamp(to),
});
/** The days of the calendar, both included. */
export const toDayFilter = (field: string, { first, last }: FitbitCalendar): PageFilter => ({
  field,
  from: first,
  to: addDays(last, 1),
});

/** All data points of a type, oldest first. Google sends them newest first. */
export async function listPoints<T>(
  api: ProviderApi,
  schema: z.ZodType<T>,
  { dataType, filter: { field, from, to } }: { dataType: string; filter: PageFilter },
): Promise<T[]> {
  const name = `${toField(dataType)}.${field}`;
  const filter = `${name} >= "${from}" AND ${name} < "${to}"`;
  const points = await collectPages(async (pageToken) => {
    const query = { filter, pageSize: PAGE_SIZE, pageToken };
    const page = await api.read(createPageSchema(schema), toPath(dataType), { query });
    return { items: page.dataPoints ?? [], next: page.nextPageToken };
  });
  return points.toReversed();
}

/** The newest data point of a type; undefined also if the user did not grant it. */
export async function findNewestPoint<T>(
  api: ProviderApi,
  schema: z.ZodType<T>,
  dataType: string,
): Promise<T | undefined> {
  const asked = { query: { pageSize: 1 }, emptyStatuses: [403] };
  return (await api.find(createPageSchema(schema), toPath(dataType), asked))?.dataPoints?.[0];
}

/** Sums or means of the user's trackers over windows of the given length, which begin at `from`. */
export const rollUp = <T>(
  api: ProviderApi,
  schema: z.ZodType<T>,
  { dataType, span, windowSeconds }: { dataType: string; span: ProviderTimeSpan; windowSeconds: number },
): Promise<T[]> =>
  collectPages(async (pageToken) => {
    const json = {
      range: { startTime: isoTimestamp(span.from), endTime: isoTimestamp(span.to) },
      windowSize: `${windowSeconds}s`,
      dataSourceFamily: 'users/me/dataSourceFamilies/google-wearables',
      pageSize: PAGE_SIZE,
      ...(pageToken !== undefined && { pageToken }),
    };
    const page = await api.read(createRollupSchema(schema), `${toPath(dataType)}:rollUp`, { json });
    return { items: page.rollupDataPoints ?? [], next: page.nextPageToken };
  });

/** The sums of each calendar day. */
export async function rollUpDays(
  api: ProviderApi,
  dataType: string,
  { first, last }: FitbitCalendar,
): Promise<GoogleDayRollup[]> {
  const json = { range: { start: { date: toDate(first) }, end: { date: toDate(addDays(last, 1)) } } };
  const page = await api.read(createRollupSchema(DayRollup), `${toPath(dataType)}:dailyRollUp`, { json });
  return page.rollupDataPoints ?? [];
}

function toDate(day: string): { year: number; month: number; day: number } {
  const [year = 0, month = 0, dayOfMonth = 0] = day.split('-').map(Number);
  return { year, month, day: dayOfMonth };
}

async function collectPages<T>(
  readPage: (token: string | undefined) => Promise<{ items: readonly T[]; next: string | null | undefined }>,
): Promise<T[]> {
  const all: T[] = [];
  let token: string | undefined;
  for (let count = 0; count < PAGES_MAX; count += 1) {
    const { items, next } = await readPage(token);
    all.push(...items);
    if (next == null || next === '') return all;
    token = next;
  }
  throw new ProviderUnavailableError('Fitbit sent more pages than expected');
}

/** The user's local calendar, from the time zone of the settings. */
interface FitbitCalendar {
  readonly parseLocalTime: LocalTimeParser;
  readonly offsetAt: (at: number) => number | null;
  readonly zone: string | null;
  readonly first: string;
  readonly last: string;
}

export async function readCalendar(api: ProviderApi, span: ProviderTimeSpan): Promise<FitbitCalendar> {
  const { timeZone, utcOffset } = await api.read(Settings, `${USER}/settings`);
  const zone = timeZone ?? null;
  const offsetAt = (at: number) => (zone === null ? null : getZoneOffset(zone, at)) ?? utcOffset;
  const dayOf = (at: number) => toLocalDay(at, offsetAt(at));
  return {
    parseLocalTime: createLocalTimeParser(zone, utcOffset),
    offsetAt,
    zone,
    first: dayOf(span.from.getTime()),
    last: dayOf(span.to.getTime() - 1),
  };
}

export const startOfDay = ({ parseLocalTime }: FitbitCalendar, day: string): OffsetInstant =>
  parseLocalTime(`${day}T00:00:00`);
