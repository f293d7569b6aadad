import type { ReceivedObservation, ReceivedReport } from '../../adapters/lab-network/port.ts';
import type { RestatedDraw } from './draws.ts';
import type { ReceivedObservations } from './observation-key.ts';
import { compareReported } from './sort-reports.ts';

/** What is known of a merged observation besides its content. */
interface ObservationHistory {
  readonly report: ReceivedReport;
  /** Values that the laboratory withdrew by this observation. */
  readonly withdrawn: readonly string[];
}
export type ObservationHistories = Map<ReceivedObservation, ObservationHistory>;

/** Marks a cancellation of a reported value as its withdrawal. */
export function recordHistory(
  one: ReceivedObservation,
  replaced: ReceivedObservations,
  { report, histories }: { report: ReceivedReport; histories: ObservationHistories },
): ReceivedObservation {
  const earlier = replaced.flatMap((before) => [
    ...(histories.get(before)?.withdrawn ?? []),
    ...listValues(before),
  ]);
  const isWithdrawal = one.status === 'cancelled' && earlier.length > 0;
  const merged: ReceivedObservation = isWithdrawal ? { ...one, isWithdrawal } : one;
  const withdrawn = one.status === 'cancelled' ? [...earlier, ...listValues(one)] : [];
  histories.set(merged, { report, withdrawn });
  return merged;
}

const listValues = ({ value }: ReceivedObservation): string[] => {
  const printed = value?.trim() ?? '';
  return printed === '' ? [] : [printed];
};

/**
 * Whether the report repeats, with the same report time (often only a date), what a final report, a correction or a
 * withdrawal has already changed: the value before it, or the withdrawn value. Such a report was overtaken by the
 * change, or was sent again.
 */
export function isRepeatedAfterChange(
  { before, now }: RestatedDraw,
  report: ReceivedReport,
  histories: ObservationHistories,
): boolean {
  if (now.length === 0 || !now.every(({ status }) => status === 'final')) return false;
  return before.every((one) => {
    const history = histories.get(one);
    if (!history || compareReported(history.report, report) !== 0) return false;
    if (one.status === 'cancelled')
      return now.every(({ value }) => history.withdrawn.includes(value?.trim() ?? ''));
    return one.status === 'corrected' || STATUS_RANKS[report.status] < STATUS_RANKS[history.report.status];
  });
}

const STATUS_RANKS: Readonly<Record<ReceivedReport['status'], number>> = {
  partial: 0,
  final: 1,
  corrected: 2,
};
