import { DAY, MINUTE } from '../../platform/clock.ts';
import {
  toInterval,
  mergeIntervals,
  type CountedResource,
  type AmountInterval,
  type StoredSource,
} from '../../wearables/wearables.ts';
import type { HealthSample } from '../../readings/readings.ts';

/** The amount that one source contributes to a sum in one time slot. */
export interface MergedSumPart {
  /** The start of the slot, in milliseconds since 1970, UTC. */
  readonly at: number;
  readonly source: StoredSource;
  readonly amount: number;
  /** The UTC offset of the source's samples in this slot, in seconds. */
  readonly offset: number | null;
}

/** UTC offsets are multiples of 15 minutes, so buckets of an hour or more start at a slot. */
const SLOT_MS = 15 * MINUTE;

/** An interval with the UTC offset of its sample, which can change within a day (travel, daylight saving). */
interface OffsetInterval extends AmountInterval {
  readonly offset: number | null;
}

interface SourceIntervals {
  readonly source: StoredSource;
  intervals: OffsetInterval[];
}

interface MergedSumAccumulator {
  /** Samples must be added in time order across all sources. */
  add(source: StoredSource, sample: HealthSample): void;
  finish(): void;
}

/**
 * Sums what several sources counted and counts each instant once, day by day. At most two days are in memory, because
 * no interval is longer than a day. Parts are passed to `put`; `order` sorts sources by priority, highest first.
 */
export function createMergedSumAccumulator(
  { resource, isByMinute }: { resource: CountedResource; isByMinute: boolean },
  order: (sources: readonly StoredSource[]) => readonly StoredSource[],
  put: (part: MergedSumPart) => void,
): MergedSumAccumulator {
  const layers = new Map<number, SourceIntervals>();
  let day: number | undefined;
  const close = (from: number) => {
    const parts = { layers, order, edges: listSlotEdges(from, isByMinute ? MINUTE : SLOT_MS) };
    emitDayParts(parts, put);
    // An interval that reaches into the next day also contributes to, and covers, its part of that day.
    for (const layer of layers.values())
      layer.intervals = layer.intervals.filter(({ until }) => until > from + DAY);
  };
  return {
    add: (source, sample) => {
      const own = Math.floor(sample.at / DAY) * DAY;
      day ??= own;
      while (day < own) {
        close(day);
        day = hasNoIntervals(layers) ? own : day + DAY;
      }
      const layer = layers.get(source.id) ?? { source, intervals: [] };
      const { offset } = sample;
      if (sample.value !== null) layer.intervals.push({ ...toInterval(resource, sample), offset });
      layers.set(source.id, layer);
    },
    finish: () => {
      for (; day !== undefined && !hasNoIntervals(layers); day += DAY) close(day);
    },
  };
}

const hasNoIntervals = (layers: ReadonlyMap<number, SourceIntervals>) =>
  [...layers.values()].every(({ intervals }) => intervals.length === 0);

function listSlotEdges(from: number, slot: number): number[] {
  return Array.from({ length: DAY / slot + 1 }, (_, place) => from + place * slot);
}

interface DayOfIntervals {
  readonly layers: ReadonlyMap<number, SourceIntervals>;
  readonly order: (sources: readonly StoredSource[]) => readonly StoredSource[];
  readonly edges: readonly number[];
}

function emitDayParts({ layers, order, edges }: DayOfIntervals, put: (part: MergedSumPart) => void): void {
  const ordered = order([...layers.values()].map(({ source }) => source)).flatMap(({ id }) => {
    const layer = layers.get(id);
    return layer && layer.intervals.length > 0 ? [layer] : [];
  });
  const { contributions } = mergeIntervals(
    ordered.map((layer) => ({ source: layer, intervals: layer.intervals })),
    edges,
  );
  for (const { source: layer, amounts, covered, moments } of contributions) {
    const offsets = listSlotOffsets(layer, edges);
    for (const [slot, amount] of amounts.entries()) {
      const at = edges[slot];
      if (at === undefined || (amount === 0 && covered[slot] === 0 && moments[slot] === 0)) continue;
      put({ at, source: layer.source, amount, offset: offsets[slot] ?? null });
    }
  }
}

/** The offset of each slot: that of the last sample in it. */
function listSlotOffsets({ intervals }: SourceIntervals, edges: readonly number[]): (number | null)[] {
  const [begin = 0, second = 0] = edges;
  const slots = edges.length - 1;
  const place = (moment: number) => Math.floor((moment - begin) / (second - begin));
  const offsets: (number | null)[] = Array.from({ length: slots }, () => null);
  for (const { from, until, offset } of intervals) {
    const last = Math.min(slots - 1, Math.max(place(from), place(until - 1)));
    for (let slot = Math.max(0, place(from)); slot <= last; slot += 1) offsets[slot] = offset;
  }
  return offsets;
}
