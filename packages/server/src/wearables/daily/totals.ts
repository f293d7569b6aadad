import { addDays } from '../../platform/time-zone.ts';
import type { Work } from '../../platform/work.ts';
import { getSourceOrder } from '../../provider-settings/provider-settings.ts';
import { readSamples, type StoredSource } from '../samples/samples.ts';
import { listHourEdges } from './hours.ts';
import {
  mergeIntervals,
  type AmountInterval,
  type SourceLayer,
  type MergedIntervals,
} from './merge-intervals.ts';
import { sortByPriority } from './priority.ts';
import { getDigits, toInterval, INTERVAL_MAX_MS, type CountedResource } from './resources.ts';
import { roundParts } from './round.ts';

interface DailyTotalsInput {
  readonly userId: string;
  readonly resource: CountedResource;
  /** Both days are inclusive. */
  readonly fromDay: string;
  readonly toDay: string;
  readonly timeZone: string;
}

export interface DailyTotal {
  readonly day: string;
  /** Null if nothing was measured, as opposed to 0. */
  readonly total: number | null;
  readonly coveredSeconds: number;
  /** By hour since the start of the day: 24 on most days. */
  readonly hours: readonly number[];
  /** The sources that contributed, highest priority first. */
  readonly sources: readonly DailySource[];
}

interface DailySource {
  readonly source: StoredSource;
  readonly amount: number;
  readonly coveredSeconds: number;
}

/** The number of days held in memory at once. */
const DAYS_PER_BATCH = 31;
const PAGE_SAMPLES = 20_000;

/** The total of each local day, merged from all sources. */
export async function computeDailyTotals(work: Work, ask: DailyTotalsInput): Promise<DailyTotal[]> {
  const providers = await getSourceOrder(work, 'timeseries');
  const days = listDays(ask);
  const totals: DailyTotal[] = [];
  for (let first = 0; first < days.length; first += DAYS_PER_BATCH) {
    const hours = days.slice(first, first + DAYS_PER_BATCH).map((day) => ({
      day,
      edges: listHourEdges(ask.timeZone, day),
    }));
    const edges = [...hours.flatMap(({ edges: own }) => own.slice(0, -1)), hours.at(-1)?.edges.at(-1) ?? 0];
    const layers = await readLayers(work, { ...ask, providers, edges });
    totals.push(...toDailyTotals(mergeIntervals(layers, edges), { hours, resource: ask.resource }));
  }
  return totals;
}

function listDays({ fromDay, toDay }: DailyTotalsInput): string[] {
  const days: string[] = [];
  for (let day = fromDay; day <= toDay; day = addDays(day, 1)) days.push(day);
  return days;
}

interface LayerQuery {
  readonly userId: string;
  readonly resource: CountedResource;
  /** Only sources of this provider; all if absent. */
  readonly provider?: string;
  /** The order of providers. */
  readonly providers: readonly string[];
  readonly edges: readonly number[];
}

/** What each source counted between the first and the last edge, in the order of priority. */
export async function readLayers(work: Work, ask: LayerQuery): Promise<SourceLayer<StoredSource>[]> {
  const { userId, resource, provider, providers, edges } = ask;
  const span = { from: (edges[0] ?? 0) - INTERVAL_MAX_MS, to: edges.at(-1) ?? 0 };
  const intervals = new Map<number, AmountInterval[]>();
  const sources: StoredSource[] = [];
  let after: string | undefined;
  do {
    const page = await readSamples(work, { userId, resource, provider, ...span, limit: PAGE_SAMPLES, after });
    for (const { source, samples } of page.groups) {
      const known = intervals.get(source.id);
      const list = known ?? [];
      for (const sample of samples) list.push(toInterval(resource, sample));
      if (known) continue;
      intervals.set(source.id, list);
      sources.push(source);
    }
    after = page.next ?? undefined;
  } while (after !== undefined);
  return sortByPriority(providers, sources).map((source) => ({
    source,
    intervals: intervals.get(source.id) ?? [],
  }));
}

interface DayBuckets {
  readonly hours: readonly { readonly day: string; readonly edges: readonly number[] }[];
  readonly resource: CountedResource;
}

function toDailyTotals(
  { contributions }: MergedIntervals<StoredSource>,
  { hours, resource }: DayBuckets,
): DailyTotal[] {
  const digits = getDigits(resource);
  let bucket = 0;
  return hours.map(({ day, edges }) => {
    const [first, last] = [bucket, bucket + edges.length - 1];
    bucket = last;
    const said = contributions
      .map(({ source, amounts, covered, moments }) => ({
        source,
        amounts: amounts.slice(first, last),
        amount: sumOf(amounts.slice(first, last)),
        coveredSeconds: Math.round(sumOf(covered.slice(first, last)) / 1000),
        moments: sumOf(moments.slice(first, last)),
      }))
      .filter(({ amount, coveredSeconds, moments }) => amount > 0 || coveredSeconds > 0 || moments > 0);
    const parts = roundParts(
      said.map(({ amount }) => amount),
      digits,
    );
    const byHour = edges.slice(1).map((_, hour) => sumOf(said.map(({ amounts }) => amounts[hour] ?? 0)));
    return {
      day,
      total: said.length === 0 ? null : Number(sumOf(parts).toFixed(digits)),
      coveredSeconds: sumOf(said.map(({ coveredSeconds }) => coveredSeconds)),
      hours: roundParts(byHour, digits),
      sources: said.map(({ source, coveredSeconds }, index) => ({
        source,
        amount: parts[index] ?? 0,
        coveredSeconds,
      })),
    };
  });
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
