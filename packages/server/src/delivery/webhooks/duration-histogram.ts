/** Half a power of two: a quantile is never further than this factor from the true one, usually much closer. */
const STEPS_PER_OCTAVE = 2;
/** The last step begins at eight days; it takes all that is longer. */
const STEP_MAX = 59;

/** Counts by step; step n has the durations above `boundOf(n - 1)` and up to `boundOf(n)`. */
export type DurationCounts = readonly number[];

/** The upper end of a step in milliseconds; the first one ends at 1. */
const boundOf = (step: number): number => (step < 0 ? 0 : 2 ** (step / STEPS_PER_OCTAVE));

const stepOf = (durationMs: number): number =>
  durationMs <= 1 ? 0 : Math.min(STEP_MAX, Math.ceil(STEPS_PER_OCTAVE * Math.log2(durationMs)));

/** Adds a duration to counts that grow as needed. */
export function countDuration(counts: number[], durationMs: number): void {
  const step = stepOf(durationMs);
  while (counts.length <= step) counts.push(0);
  counts[step] = (counts[step] ?? 0) + 1;
}

/** The duration that a share of all is not longer than, in whole milliseconds; null without durations. */
export function quantileOf(counts: DurationCounts, share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = total * share;
  for (const [step, count] of counts.entries()) {
    if (count > 0 && left <= count) {
      const [low, high] = [boundOf(step - 1), boundOf(step)];
      return Math.round(low + (high - low) * (left / count));
    }
    left -= count;
  }
  return Math.round(boundOf(counts.length - 1));
}
