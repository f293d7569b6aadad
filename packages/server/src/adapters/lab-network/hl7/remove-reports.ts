import type { ReceivedReport } from '../received.ts';
import type { ReportReadContext } from '../protocol.ts';
import { isContinuationLine } from './continuation.ts';
import { readGroups } from './read-report.ts';
import type { Hl7Segment } from './syntax.ts';

/**
 * Returns the message without the unwanted reports, the rest byte for byte. Removes their orders, and patients without
 * remaining orders. Undefined if no report is left, or if the segments cannot be separated.
 */
export function removeReports(
  bytes: Buffer,
  at: ReportReadContext,
  isUnwanted: (report: ReceivedReport) => boolean,
): Buffer | undefined {
  const { segments, groups } = readGroups(bytes, at);
  const kept = new Set(groups.flatMap(({ report, group }) => (isUnwanted(report) ? [] : [group])));
  if (kept.size === 0) return undefined;
  const patients = new Set([...kept].map(({ patient }) => patient));
  const gone = new Set<Hl7Segment>();
  for (const { group } of groups) {
    if (kept.has(group)) continue;
    for (const part of group.parts) for (const segment of part.segments) gone.add(segment);
    if (!patients.has(group.patient)) for (const segment of group.patient.segments) gone.add(segment);
  }
  return removeSegments(bytes, segments, gone);
}

/** Removes segments line by line. Uses latin1, which round-trips every byte. */
function removeSegments(
  bytes: Buffer,
  segments: readonly Hl7Segment[],
  gone: ReadonlySet<Hl7Segment>,
): Buffer | undefined {
  const lines = bytes.toString('latin1').match(/[^\r\n]+[\r\n]*/g) ?? [];
  const field = bytes.toString('latin1').replace(/^(?:ï»¿)?\s*/, '')[3] ?? '|';
  let next = 0;
  let isKept = true;
  const kept = lines.filter((line) => {
    if (line.trim() === '') return true;
    // It continues the segment before it, and stays or goes with it.
    if (isContinuationLine(line, field)) return isKept;
    const segment = segments[next];
    next += 1;
    isKept = segment === undefined || !gone.has(segment);
    return isKept;
  });
  return next === segments.length ? Buffer.from(kept.join(''), 'latin1') : undefined;
}
