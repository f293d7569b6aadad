import type { CancelledTest, ReceivedReport, ReportTiming } from '../received.ts';
import { mapDefined, readCodedElement, readNote, type Hl7Readers } from './fields.ts';
import type { RequestSegments } from './group-segments.ts';
import { readOrigin } from './origin.ts';
import type { Hl7Segment } from './syntax.ts';
import { hasHour } from './timestamp.ts';

/** When the report was made (the latest OBR-22, else MSH-7, else its arrival) and when its message was written. */
export function readReportTimes(
  { read, readTimestamp }: Hl7Readers,
  parts: readonly RequestSegments[],
  { msh, arrivedAt }: { msh: Hl7Segment | undefined; arrivedAt: Date },
): Pick<ReceivedReport, 'reportedAt' | 'timing'> {
  const toTime = (text: string | null) => {
    const at = readTimestamp(text);
    return at && { at, isDay: !hasHour(text) };
  };
  const sent = toTime(read.get(msh, 7));
  const reported = mapDefined(parts, ({ request }) => toTime(read.get(request, 22))).toSorted(
    (a, b) => a.at.getTime() - b.at.getTime(),
  );
  const time = reported.at(-1) ?? sent;
  const timing: ReportTiming = {
    ...(sent ? { sentAt: sent.at, ...(sent.isDay ? { isSentDay: true } : {}) } : {}),
    ...(time?.isDay ? { isReportedDay: true } : {}),
  };
  return {
    reportedAt: time?.at ?? arrivedAt,
    ...(Object.keys(timing).length === 0 ? {} : { timing }),
  };
}

/** HL7 table 0123: no results available, the order is canceled. */
export const isCancelledTest = (status: string | null): boolean => status === 'X';

/** The tests that the laboratory canceled as a whole, whether or not it lists their results. */
export function readCancelledTests(
  reading: Hl7Readers,
  parts: readonly RequestSegments[],
): Pick<ReceivedReport, 'cancelledTests'> {
  const { read } = reading;
  const cancelled = parts.filter(({ request }) => isCancelledTest(read.get(request, 25)));
  if (cancelled.length === 0) return {};
  return {
    cancelledTests: cancelled.map((part): CancelledTest => {
      const origin = readOrigin(reading, part);
      return {
        test: readCodedElement(read, read.all(part.request, 4)[0]),
        ...(origin === undefined ? {} : { origin }),
        notes: mapDefined(part.notes, (note) => readNote(read, note)),
      };
    }),
  };
}
