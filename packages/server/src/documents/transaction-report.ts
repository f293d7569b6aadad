import type { CombinedView } from '../results/order-transactions/schema.ts';
import type { DocumentFacts } from './document-facts.ts';
import { laboratoryOf } from './report-facts.ts';
import type { EarlierValues, EnclosedReport, ReportedSpecimen, ReportFacts } from './report-rows.ts';

interface CombinedSources {
  readonly combined: CombinedView;
  readonly earlier: EarlierValues;
  readonly enclosed: readonly EnclosedReport[];
}

/** The combined report data of a transaction; `facts` are those of its last order. */
export function toCombinedFacts(
  facts: DocumentFacts,
  { combined, earlier, enclosed }: CombinedSources,
): ReportFacts {
  const { order, account, physician } = facts;
  const { metadata, results, missing_results: missing, sample_information: samples } = combined;
  return {
    reference: `Order transaction ${order.transaction_id}`,
    patient: order.private.patient,
    laboratory: laboratoryOf(facts, { clia: metadata['clia_#'], director: null }),
    physician,
    accountNumber: account?.providerAccountId ?? null,
    specimens: Object.entries(samples ?? {}).map(([id, sample]) => toReportedSpecimen(id, sample, metadata)),
    status: STATUSES.find((status) => status === metadata.status) ?? 'partial',
    version: null,
    interpretation: INTERPRETATIONS.find((word) => word === metadata.interpretation) ?? 'unknown',
    results,
    missing: missing ?? [],
    notes: Object.values(samples ?? {}).flatMap(({ clinical_information: said }) => said?.notes ?? []),
    earlier,
    enclosed,
  };
}

const STATUSES = ['partial', 'final', 'corrected'] as const;
const INTERPRETATIONS = ['normal', 'abnormal', 'critical', 'unknown'] as const;

type SampleInformation = NonNullable<CombinedView['sample_information']>[string];

function toReportedSpecimen(
  id: string,
  { date_collected: collected, date_received: received, date_reported: reported }: SampleInformation,
  { date_reported: newest }: CombinedView['metadata'],
): ReportedSpecimen {
  return {
    id,
    collectedAt: collected ? new Date(collected.timestamp) : undefined,
    receivedAt: received ? new Date(received.timestamp) : undefined,
    reportedAt: new Date(reported?.timestamp ?? newest),
  };
}
