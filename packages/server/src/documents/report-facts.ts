import { viewResult } from '../results/results/schema.ts';
import type { StoredReport } from '../results/results/results.ts';
import type { DocumentFacts } from './document-facts.ts';
import type { LaboratoryIdentity } from '../adapters/lab-network/port.ts';
import type { EarlierValues, EnclosedReport, ReportFacts } from './report-rows.ts';

interface ReportSources {
  readonly report: StoredReport;
  readonly earlier: EarlierValues;
  readonly enclosed: readonly EnclosedReport[];
}

/** The report data of one order. */
export function toReportFacts(
  facts: DocumentFacts,
  { report, earlier, enclosed }: ReportSources,
): ReportFacts {
  const { order, account, physician } = facts;
  const { results, missing_results: missing, metadata } = viewResult(order, report);
  const moment = (text: string | null) => (text === null ? undefined : new Date(text));
  return {
    reference: `Order ${order.id}`,
    patient: order.private.patient,
    laboratory: laboratoryOf(facts, { clia: report.clia, director: report.director ?? null }),
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
    enclosed,
  };
}

/** What the report does not say of the laboratory is as in the catalog. */
export function laboratoryOf(
  { order, test, laboratory }: DocumentFacts,
  reported: LaboratoryIdentity,
): ReportFacts['laboratory'] {
  const { lab } = test;
  return {
    name: lab?.name ?? order.lab_slug,
    clia: reported.clia ?? laboratory.clia,
    director: reported.director ?? laboratory.director,
    address: lab ? `${lab.first_line_address}, ${lab.city} ${lab.zipcode}` : '',
  };
}
