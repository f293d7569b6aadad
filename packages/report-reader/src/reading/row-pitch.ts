import type { ParsedRow } from './regions.ts';

/** The usual distance from one result to the next; undefined if there are not two of them. */
export function measurePitch(rows: readonly ParsedRow[]): number | undefined {
  const tops = rows
    .filter(({ parts }) => parts.value.length > 0 && parts.name.length > 0)
    .map(({ row }) => row.box.y0);
  const steps = tops
    .slice(1)
    .map((top, index) => top - (tops[index] ?? top))
    .filter((step) => step > 2);
  return steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)];
}
