import type { ReceivedReport } from '../../adapters/lab-network/port.ts';
import { DAY } from '../../platform/clock.ts';

type ReportTimes = Pick<ReceivedReport, 'reportedAt' | 'timing'>;

/**
 * Sorts reports by the laboratory's times: when the report was made, then when its message was written. Reports that
 * these do not tell apart, such as two of one day without a time of day, stay in the order of arrival. Because a day
 * is neither before nor after its hours, this is an insertion and not a sort by a total order.
 */
export function sortByReportTime<R extends ReportTimes>(inOrderOfArrival: readonly R[]): R[] {
  const sorted: R[] = [];
  for (const report of inOrderOfArrival) {
    const at = sorted.findLastIndex((other) => compareReportTimes(report, other) >= 0);
    sorted.splice(at + 1, 0, report);
  }
  return sorted;
}

function compareReportTimes(one: ReportTimes, other: ReportTimes): number {
  const byReport = compareReported(one, other);
  if (byReport !== 0) return byReport;
  const [a, b] = [one.timing?.sentAt, other.timing?.sentAt];
  if (!a || !b) return 0;
  return compareTimes([a, one.timing?.isSentDay], [b, other.timing?.isSentDay]);
}

/** Negative if the first report was made earlier; 0 if that is unknown. */
export const compareReported = (one: ReportTimes, other: ReportTimes): number =>
  compareTimes([one.reportedAt, one.timing?.isReportedDay], [other.reportedAt, other.timing?.isReportedDay]);

type ImpreciseTime = readonly [at: Date, isDay: true | undefined];

function compareTimes([one, isDay]: ImpreciseTime, [other, isOtherDay]: ImpreciseTime): number {
  const later = one.getTime() - other.getTime();
  if (isDay === isOtherDay) return later;
  if (isDay) return later <= -DAY ? -1 : later > 0 ? 1 : 0;
  return later >= DAY ? 1 : later < 0 ? -1 : 0;
}
