import type { Order } from '../../ordering/orders/orders.ts';
import { orderedTestOf } from './ordered-test.ts';
import type { StoredReport } from './stored-report.ts';

/** The fields of a report without its results. */
export interface ReportHeader extends Pick<
  StoredReport,
  | 'version'
  | 'status'
  | 'interpretation'
  | 'reportedAt'
  | 'laboratory'
  | 'clia'
  | 'director'
  | 'collectedAt'
  | 'receivedAt'
  | 'notes'
> {
  /** The name of the laboratory that the test was ordered from. */
  readonly orderedFrom?: string | undefined;
  /** The laboratories that performed the tests, without duplicates. */
  readonly performers: readonly string[];
}

export function toReportHeader(order: Pick<Order, 'lab_test'>, report: StoredReport): ReportHeader {
  const { version, status, interpretation, reportedAt, laboratory, clia, director, collectedAt, receivedAt } =
    report;
  const performers = report.results.map(({ performingLaboratory: at }) => at ?? laboratory);
  return {
    version,
    status,
    interpretation,
    reportedAt,
    laboratory,
    clia,
    ...(director === undefined ? {} : { director }),
    ...(collectedAt === undefined ? {} : { collectedAt }),
    ...(receivedAt === undefined ? {} : { receivedAt }),
    ...(report.notes === undefined ? {} : { notes: report.notes }),
    orderedFrom: orderedTestOf(order).lab?.name,
    performers: [...new Set([laboratory, ...performers])],
  };
}
