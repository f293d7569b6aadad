import type { Work } from '../../platform/work.ts';
import type { Sample } from '../readings.ts';
import type { KeptSample } from './chunk.ts';
import { moreText, openMore } from './columns.ts';
import type { SampleValues } from './row-store.ts';

export const sampleOf = (work: Pick<Work, 'cipher'>, row: SampleValues): KeptSample => ({
  at: row.at,
  until: row.until,
  offset: row.zone_offset,
  type: row.type,
  value: row.value,
  more: row.more && openMore(work, row.more),
  sourceId: row.source_id,
});

/** Whether two samples of one moment say the same. */
export const isSame = (one: KeptSample, other: KeptSample): boolean =>
  one.value === other.value &&
  one.until === other.until &&
  one.offset === other.offset &&
  one.type === other.type &&
  one.sourceId === other.sourceId &&
  textOf(one.more) === textOf(other.more);

const textOf = (more: Sample['more']): string => (more === null ? '' : moreText(more));

/** Both in the order of time; of two of one moment that of `winning` stays. */
export function merge(losing: readonly KeptSample[], winning: readonly KeptSample[]): readonly KeptSample[] {
  if (winning.length === 0) return losing;
  const merged: KeptSample[] = [];
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

/** In the order of time, whole moments, one sample each: of two of one moment the last one counts. */
export function inOrder(samples: readonly Sample[]): readonly Sample[] {
  let last = -Infinity;
  const isInOrder = samples.every(({ at, until, offset }) => {
    const isAfter = at > last;
    last = at;
    return isAfter && Number.isInteger(at) && Number.isInteger(until ?? 0) && Number.isInteger(offset ?? 0);
  });
  if (isInOrder) return samples;
  const byMoment = new Map(samples.map(whole).map((sample) => [sample.at, sample]));
  return [...byMoment.values()].sort((a, b) => a.at - b.at);
}

const whole = (sample: Sample): Sample => ({
  ...sample,
  at: Math.round(sample.at),
  until: sample.until && Math.round(sample.until),
  offset: sample.offset && Math.round(sample.offset),
});
