import type { StoredReport } from './store.ts';

/** A report without its results. */
export interface ReportHead extends Pick<
  StoredReport,
  | 'version'
  | 'status'
  | 'interpretation'
  | 'reportedAt'
  | 'laboratory'
  | 'clia'
  | 'collectedAt'
  | 'receivedAt'
  | 'notes'
  | 'ordered'
> {
  /** The laboratories that made the results, each once. */
  readonly performers: readonly string[];
}

export function headOf(report: StoredReport): ReportHead {
  const { version, status, interpretation, reportedAt, laboratory, clia, collectedAt, receivedAt } = report;
  const performers = report.results.map(({ performingLaboratory: at }) => at ?? laboratory);
  return {
    version,
    status,
    interpretation,
    reportedAt,
    laboratory,
    clia,
    ...(collectedAt === undefined ? {} : { collectedAt }),
    ...(receivedAt === undefined ? {} : { receivedAt }),
    ...(report.notes === undefined ? {} : { notes: report.notes }),
    ...(report.ordered === undefined ? {} : { ordered: report.ordered }),
    performers: [...new Set([laboratory, ...performers])],
  };
}
