import type { ReceivedReport, ReportTiming } from '../received.ts';
import { isDay } from './specimens.ts';

interface FhirReportTimes {
  /** `issued` of the reports; it is optional in R4. */
  readonly issued: readonly Date[];
  /** The time of the bundle. */
  readonly sentAt: Date | undefined;
  readonly arrivedAt: Date;
}

/** Without `issued`, the report has the time of its bundle, or of its arrival. */
export function readReportTimes({
  issued,
  sentAt,
  arrivedAt,
}: FhirReportTimes): Pick<ReceivedReport, 'reportedAt' | 'timing'> {
  const newest = issued.toSorted((a, b) => b.getTime() - a.getTime())[0];
  const reportedAt = newest ?? sentAt ?? arrivedAt;
  const timing: ReportTiming = {
    ...(sentAt ? { sentAt, ...(isDay(sentAt) ? { isSentDay: true } : {}) } : {}),
    ...(isDay(reportedAt) ? { isReportedDay: true } : {}),
  };
  return { reportedAt, ...(Object.keys(timing).length === 0 ? {} : { timing }) };
}
