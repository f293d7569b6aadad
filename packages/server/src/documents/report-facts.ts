import { viewResult } from '../results/results/schema.ts';
import type { StoredReport } from '../results/results/results.ts';
import type { DocumentFacts } from './document-facts.ts';
import type { EarlierValues, ReportFacts } from './report-rows.ts';

/** The report data of one order. */
export function toReportFacts(
  facts: DocumentFacts,
  { report, earlier }: { report: StoredReport; earlier: EarlierValues },
): ReportFacts {
  const { order, account, physician } = facts;
  const { results, missing_results: missing, metadata } = viewResult(order, report);
  const moment = (text: string | null) => (text === null ? undefined : new Date(text));
  return {
    reference: `Order ${order.id}`,
    patient: order.private.patient,
    laboratory: laboratoryOf(facts, report.clia),
    physician,
    accountNumber: account?.providerAccountId ?? null,
    specimens: [
      {
        id: order.sample_id ?? '',
        collectedAt: moment(metadata.date_collected),
        receivedAt: moment(metadata.date_received),
        reportedAt: report.reportedAt,
      },
    ],
    status: report.status,
    version: report.version,
    interpretation: report.interpretation,
    results,
    missing: missing ?? [],
    notes: report.notes ?? [],
    earlier,
  };
}

export function laboratoryOf({ order, test }: DocumentFacts, clia: string | null): ReportFacts['laboratory'] {
  const { lab } = test;
  return {
    name: lab?.name ?? order.lab_slug,
    clia,
    address: lab ? `${lab.first_line_address}, ${lab.city} ${lab.zipcode}` : '',
  };
}
