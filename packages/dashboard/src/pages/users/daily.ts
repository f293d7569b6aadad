import type { components } from '../../api/openapi.d.ts';
import { groupBy } from '../../base/group-by.ts';
import type { ChartPoint } from '../../components/charts.tsx';

type Activity = components['schemas']['ClientFacingActivity'];
type Sleep = components['schemas']['ClientFacingSleep'];

const DAY_MS = 86_400_000;
const HOUR_SECONDS = 3600;

/** Days as texts: `2026-11-28`, in the zone of the viewer. */
export const dayOf = (time: Date): string => {
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 10);
};

/** The last days up to tomorrow, because the day of a user who lives east of the viewer may have begun. */
export const rangeOf = (days: number, today: Date) => ({
  start_date: dayOf(new Date(today.getTime() - (days - 1) * DAY_MS)),
  end_date: dayOf(new Date(today.getTime() + DAY_MS)),
});

interface WithSource {
  readonly source: { readonly slug: string; readonly name: string };
}

/** The sources of records, that with most records first. Days of two sources must not be added up. */
export function sourcesOf(records: readonly WithSource[]): { value: string; label: string }[] {
  const counted = groupBy(records, ({ source }) => source.slug);
  return [...counted]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([value, [first]]) => ({ value, label: first?.source.name ?? value }));
}

/** One record for each day: that of the chosen source, or nothing. */
function byDay<T extends WithSource & { readonly calendar_date: string }>(
  records: readonly T[],
  source: string | undefined,
): [number, T][] {
  const days = new Map<string, T>();
  for (const record of records) {
    if (record.source.slug === source && !days.has(record.calendar_date))
      days.set(record.calendar_date, record);
  }
  return [...days]
    .map(([day, record]): [number, T] => [Date.parse(day), record])
    .toSorted(([one], [other]) => one - other);
}

export const toSteps = (records: readonly Activity[], source: string | undefined): ChartPoint[] =>
  byDay(records, source).map(([at, { steps }]) => ({ at, steps }));

export const toHeartRates = (records: readonly Activity[], source: string | undefined): ChartPoint[] =>
  byDay(records, source).flatMap(([at, { heart_rate: rate }]) => {
    if (!rate) return [];
    const { min_bpm: low, max_bpm: high } = rate;
    return [
      {
        at,
        band: low !== null && high !== null ? ([low, high] as const) : null,
        average: rate.avg_bpm,
        resting: rate.resting_bpm,
      },
    ];
  });

const isNight = ({ type }: Sleep): boolean => type === 'long_sleep' || type === 'unknown';

export const toSleepStages = (records: readonly Sleep[], source: string | undefined): ChartPoint[] =>
  byDay(records.filter(isNight), source).map(([at, { deep, rem, light, awake }]) => ({
    at,
    deep: deep / HOUR_SECONDS,
    rem: rem / HOUR_SECONDS,
    light: light / HOUR_SECONDS,
    awake: awake / HOUR_SECONDS,
  }));

/** Daily means with lows and highs, as the aggregation answers them. */
export function toGlucose(table: Readonly<Record<string, readonly unknown[]>> | undefined): ChartPoint[] {
  const days = table?.['group_key.0'] ?? [];
  return days.flatMap((day, index) => {
    const read = (column: string): number | undefined => {
      const value = table?.[column]?.[index];
      return typeof value === 'number' ? value : undefined;
    };
    const [mean, low, high] = [read('mean.value'), read('min.value'), read('max.value')];
    if (mean === undefined || low === undefined || high === undefined) return [];
    return [{ at: Date.parse(`${String(day).slice(0, 10)}`), mean, band: [low, high] as const }];
  });
}
