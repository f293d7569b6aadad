import type { LabReport, ReportedResult } from '../../adapters/lab-network/port.ts';
import { parseReferenceRange } from './reference-range.ts';

/** Parses the printed range of a result, unless that was done on arrival. */
export function withParsedRange(result: ReportedResult): ReportedResult {
  if (result.bounds !== undefined) return result;
  const range = parseReferenceRange(result.referenceRange);
  const isNumber = result.type === 'numeric';
  const { min, minInside, max, maxInside } = range;
  return {
    ...result,
    bounds: range.isTiter || (min === null && max === null) ? null : { min, minInside, max, maxInside },
    isAbove: isNumber ? range.isAbove(result.value) : null,
    isBelow: isNumber ? range.isBelow(result.value) : null,
  };
}

/** Parses all ranges of a report. Done once on storing, not on each read. */
export const withParsedRanges = <R extends LabReport>(report: R): R => ({
  ...report,
  results: report.results.map(withParsedRange),
});
