import type { LabReport, ReportedResult } from '../../adapters/lab-network/port.ts';
import { readRange } from './reference-range.ts';

/** A result with its printed range read, where that was not done when it came. */
export function ranged(result: ReportedResult): ReportedResult {
  if (result.bounds !== undefined) return result;
  const range = readRange(result.referenceRange);
  const isNumber = result.type === 'numeric';
  const { min, minInside, max, maxInside } = range;
  return {
    ...result,
    bounds: range.isTiter || (min === null && max === null) ? null : { min, minInside, max, maxInside },
    isAbove: isNumber ? range.isAbove(result.value) : null,
    isBelow: isNumber ? range.isBelow(result.value) : null,
  };
}

/** A report with all ranges read: once when it is kept, and not each time it is looked at. */
export const withRanges = <R extends LabReport>(report: R): R => ({
  ...report,
  results: report.results.map(ranged),
});
