import { DAY, MINUTE } from '../platform/clock.ts';
import {
  intervalOf,
  mergeIntervals,
  type Counted,
  type Interval,
  type Sample,
  type StoredSource,
} from '../wearables/wearables.ts';

/** A part of a sum: what one source adds in one slot of time. */
export interface Part {
  /** The beginning of the slot, in milliseconds since 1970. */
  readonly at: number;
  readonly source: StoredSource;
  readonly amount: number;
  /** The offset that the source's samples had then. */
  readonly offset: number | null;
}

/** The clocks of the world differ by quarters of an hour, so that buckets of hours and more begin with one of them. */
const SLOT = 15 * MINUTE;

/** An interval, and the offset that its sample had: somebody may fly, or the clock be put back, in the middle of a day. */
interface Placed extends Interval {
  readonly offset: number | null;
}

interface Layer {
  readonly source: StoredSource;
  intervals: Placed[];
}

export interface MergedSums {
  /** Samples come in the order of time, over all sources. */
  add(source: StoredSource, sample: Sample): void;
  finish(): void;
}

/**
 * Adds up what several devices counted, each time once, day by day: no more than two days are held, for no
 * interval is longer than one. The parts go to `put`; `order` puts sources in the order in which they count.
 */
export function openMergedSums(
  { resource, isByMinute }: { resource: Counted; isByMinute: boolean },
  order: (sources: readonly StoredSource[]) => readonly StoredSource[],
  put: (part: Part) => void,
): MergedSums {
  const layers = new Map<number, Layer>();
  let day: number | undefined;
  const close = (from: number) => {
    const parts = { layers, order, edges: edgesOf(from, isByMinute ? MINUTE : SLOT) };
    putParts(parts, put);
    // What reaches into the next day counts there as well, and what it covers is covered.
    for (const layer of layers.values())
      layer.intervals = layer.intervals.filter(({ until }) => until > from + DAY);
  };
  return {
    add: (source, sample) => {
      const own = Math.floor(sample.at / DAY) * DAY;
      day ??= own;
      while (day < own) {
        close(day);
        day = holdsNothing(layers) ? own : day + DAY;
      }
      const layer = layers.get(source.id) ?? { source, intervals: [] };
      const { offset } = sample;
      if (sample.value !== null) layer.intervals.push({ ...intervalOf(resource, sample), offset });
      layers.set(source.id, layer);
    },
    finish: () => {
      for (; day !== undefined && !holdsNothing(layers); day += DAY) close(day);
    },
  };
}

const holdsNothing = (layers: ReadonlyMap<number, Layer>) =>
  [...layers.values()].every(({ intervals }) => intervals.length === 0);

function edgesOf(from: number, slot: number): number[] {
  return Array.from({ length: DAY / slot + 1 }, (_, place) => from + place * slot);
}

interface Parts {
  readonly layers: ReadonlyMap<number, Layer>;
  readonly order: (sources: readonly StoredSource[]) => readonly StoredSource[];
  readonly edges: readonly number[];
}

function putParts({ layers, order, edges }: Parts, put: (part: Part) => void): void {
  const ordered = order([...layers.values()].map(({ source }) => source)).flatMap(({ id }) => {
    const layer = layers.get(id);
    return layer && layer.intervals.length > 0 ? [layer] : [];
  });
  const { contributions } = mergeIntervals(
    ordered.map((layer) => ({ source: layer, intervals: layer.intervals })),
    edges,
  );
  for (const { source: layer, amounts, covered, moments } of contributions) {
    const offsets = offsetsOf(layer, edges);
    for (const [slot, amount] of amounts.entries()) {
      const at = edges[slot];
      if (at === undefined || (amount === 0 && covered[slot] === 0 && moments[slot] === 0)) continue;
      put({ at, source: layer.source, amount, offset: offsets[slot] ?? null });
    }
  }
}

/** The offset of each slot: that of the last of the samples which lie in it. */
function offsetsOf({ intervals }: Layer, edges: readonly number[]): (number | null)[] {
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
