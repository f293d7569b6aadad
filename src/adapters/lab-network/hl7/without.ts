import type { ReceivedReport } from '../received.ts';
import type { ReadingAt } from '../wire.ts';
import { readGroups } from './read-report.ts';
import type { Segment } from './syntax.ts';

/**
 * The message without what it says of some of its reports, all else byte for byte: their orders go, and a patient of
 * whom nothing is left. Undefined where no report is left, or where that cannot be told apart.
 */
export function withoutReports(
  bytes: Buffer,
  at: ReadingAt,
  isUnwanted: (report: ReceivedReport) => boolean,
): Buffer | undefined {
  const { segments, groups } = readGroups(bytes, at);
  const kept = new Set(groups.flatMap(({ report, group }) => (isUnwanted(report) ? [] : [group])));
  if (kept.size === 0) return undefined;
  const patients = new Set([...kept].map(({ patient }) => patient));
  const gone = new Set<Segment>();
  for (const { group } of groups) {
    if (kept.has(group)) continue;
    for (const part of group.parts) for (const segment of part.segments) gone.add(segment);
    if (!patients.has(group.patient)) for (const segment of group.patient.segments) gone.add(segment);
  }
  return withoutSegments(bytes, segments, gone);
}

/** Line by line, as the segments were read; in latin1, where every byte is a character and comes back as it was. */
function withoutSegments(
  bytes: Buffer,
  segments: readonly Segment[],
  gone: ReadonlySet<Segment>,
): Buffer | undefined {
  const lines = bytes.toString('latin1').match(/[^\r\n]+[\r\n]*/g) ?? [];
  let next = 0;
  const kept = lines.filter((line) => {
    if (line.trim() === '') return true;
    const segment = segments[next];
    next += 1;
    return segment === undefined || !gone.has(segment);
  });
  return next === segments.length ? Buffer.from(kept.join(''), 'latin1') : undefined;
}
