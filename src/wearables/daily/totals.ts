import { dayAfter } from '../../platform/time-zone.ts';
import type { Work } from '../../platform/work.ts';
import { sourceOrder } from '../../provider-settings/provider-settings.ts';
import { readSamples, type StoredSource } from '../samples/samples.ts';
import { hoursOf } from './hours.ts';
import { mergeIntervals, type Interval, type Layer, type Merged } from './merge-intervals.ts';
import { inPriority } from './priority.ts';
import { digitsOf, intervalOf, LONGEST_MS, type Counted } from './resources.ts';
import { roundParts } from './round.ts';

export interface DailyAsk {
  readonly userId: string;
  readonly resource: Counted;
  /** The last day belongs to it. */
  readonly fromDay: string;
  readonly toDay: string;
  readonly timeZone: string;
}

export interface DailyTotal {
  readonly day: string;
  /** Null where nobody measured anything: that is not the same as nothing. */
  readonly total: number | null;
  readonly coveredSeconds: number;
  /** By the hours since the day began: 24, on days of another length more or less. */
  readonly hours: readonly number[];
  /** Those that added something, the first in priority first. */
  readonly sources: readonly DailySource[];
}

export interface DailySource {
  readonly source: StoredSource;
  readonly amount: number;
  readonly coveredSeconds: number;
}

/** So many days are held in memory at once. */
const DAYS_AT_ONCE = 31;
const PAGE_SAMPLES = 20_000;

/** The total of each day, merged from all sources. Days are those of the time zone. */
export async function dailyTotals(work: Work, ask: DailyAsk): Promise<DailyTotal[]> {
  const providers = await sourceOrder(work, 'timeseries');
  const days = daysOf(ask);
  const totals: DailyTotal[] = [];
  for (let first = 0; first < days.length; first += DAYS_AT_ONCE) {
    const hours = days.slice(first, first + DAYS_AT_ONCE).map((day) => ({
      day,
      edges: hoursOf(ask.timeZone, day),
    }));
    const edges = [...hours.flatMap(({ edges: own }) => own.slice(0, -1)), hours.at(-1)?.edges.at(-1) ?? 0];
    const layers = await layersOf(work, { ...ask, providers, edges });
    totals.push(...totalsOf(mergeIntervals(layers, edges), { hours, resource: ask.resource }));
  }
  return totals;
}

function daysOf({ fromDay, toDay }: DailyAsk): string[] {
  const days: string[] = [];
  for (let day = fromDay; day <= toDay; day = dayAfter(day, 1)) days.push(day);
  return days;
}

interface Layering extends DailyAsk {
  readonly providers: readonly string[];
  readonly edges: readonly number[];
}

async function layersOf(work: Work, ask: Layering): Promise<Layer<StoredSource>[]> {
  const { userId, resource, providers, edges } = ask;
  const span = { from: (edges[0] ?? 0) - LONGEST_MS, to: edges.at(-1) ?? 0 };
  const intervals = new Map<number, Interval[]>();
  const sources: StoredSource[] = [];
  let after: string | undefined;
  do {
    const page = await readSamples(work, { userId, resource, ...span, limit: PAGE_SAMPLES, after });
    for (const { source, samples } of page.groups) {
      const known = intervals.get(source.id);
      const list = known ?? [];
      for (const sample of samples) list.push(intervalOf(resource, sample));
      if (known) continue;
      intervals.set(source.id, list);
      sources.push(source);
    }
    after = page.next ?? undefined;
  } while (after !== undefined);
  return inPriority(providers, sources).map((source) => ({
    source,
    intervals: intervals.get(source.id) ?? [],
  }));
}

interface Printing {
  readonly hours: readonly { readonly day: string; readonly edges: readonly number[] }[];
  readonly resource: Counted;
}

function totalsOf({ contributions }: Merged<StoredSource>, { hours, resource }: Printing): DailyTotal[] {
  const digits = digitsOf(resource);
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
