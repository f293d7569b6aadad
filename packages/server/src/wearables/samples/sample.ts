import type { Work } from '../../platform/work.ts';
import type { HealthSample } from '../../readings/readings.ts';
import type { StoredSample } from './chunk.ts';
import { serializeMore, decryptMore } from './columns.ts';
import type { SampleValues } from './row-store.ts';

export const decryptSample = (work: Pick<Work, 'cipher'>, row: SampleValues): StoredSample => ({
  at: row.at,
  until: row.until,
  offset: row.zone_offset,
  type: row.type,
  value: row.value,
  more: row.more && decryptMore(work, row.more),
  sourceId: row.source_id,
});

/** Whether two samples with the same timestamp are equal. */
export const isSameSample = (one: StoredSample, other: StoredSample): boolean =>
  one.value === other.value &&
  one.until === other.until &&
  one.offset === other.offset &&
  one.type === other.type &&
  one.sourceId === other.sourceId &&
  serializeOptional(one.more) === serializeOptional(other.more);

const serializeOptional = (more: HealthSample['more']): string => (more === null ? '' : serializeMore(more));

/** Merges two lists sorted by time. `winning` overrides equal timestamps. O(n). */
export function mergeSamples(
  losing: readonly StoredSample[],
  winning: readonly StoredSample[],
): readonly StoredSample[] {
  if (winning.length === 0) return losing;
  const merged: StoredSample[] = [];
  let next = 0;
  for (const sample of winning) {
    for (let old = losing[next]; old && old.at <= sample.at; old = losing[(next += 1)]) {
      if (old.at < sample.at) merged.push(old);
    }
    merged.push(sample);
  }
  for (let old = losing[next]; old; old = losing[(next += 1)]) merged.push(old);
  return merged;
}

/** Sorts by time, rounds to milliseconds, and keeps the last sample of each timestamp. */
export function normalizeSamples(samples: readonly HealthSample[]): readonly HealthSample[] {
  let last = -Infinity;
  const isInOrder = samples.every(({ at, until, offset }) => {
    const isAfter = at > last;
    last = at;
    return isAfter && Number.isInteger(at) && Number.isInteger(until ?? 0) && Number.isInteger(offset ?? 0);
  });
  if (isInOrder) return samples;
  const byMoment = new Map(samples.map(roundSample).map((sample) => [sample.at, sample]));
  return [...byMoment.values()].sort((a, b) => a.at - b.at);
}

const roundSample = (sample: HealthSample): HealthSample => ({
  ...sample,
  at: Math.round(sample.at),
  until: sample.until && Math.round(sample.until),
  offset: sample.offset && Math.round(sample.offset),
});
