import type { CombinedView } from '../order-transactions/schema.ts';
import type { OrderFacts } from './order-facts.ts';
import { laboratoryOf } from './report-facts.ts';
import type { EarlierValues, ReportedSpecimen, ReportFacts } from './report-rows.ts';

/** What the report of all orders of a transaction says; `facts` are those of its last order. */
export function combinedFactsOf(
  facts: OrderFacts,
  { combined, earlier }: { combined: CombinedView; earlier: EarlierValues },
): ReportFacts {
  const { order, account, physician } = facts;
  const { metadata, results, missing_results: missing, sample_information: samples } = combined;
  return {
    reference: `Order transaction ${order.transaction_id}`,
    patient: order.private.patient,
    laboratory: laboratoryOf(facts, metadata['clia_#']),
    physician,
    accountNumber: account?.providerAccountId ?? null,
    specimens: Object.entries(samples ?? {}).map(([id, sample]) => specimenOf(id, sample, metadata)),
    status: STATUSES.find((status) => status === metadata.status) ?? 'partial',
    version: null,
    interpretation: INTERPRETATIONS.find((word) => word === metadata.interpretation) ?? 'unknown',
    results,
    missing: missing ?? [],
    notes: Object.values(samples ?? {}).flatMap(({ clinical_information: said }) => said?.notes ?? []),
    earlier,
  };
}

const STATUSES = ['partial', 'final', 'corrected'] as const;
const INTERPRETATIONS = ['normal', 'abnormal', 'critical', 'unknown'] as const;

type Sample = NonNullable<CombinedView['sample_information']>[string];

function specimenOf(
  id: string,
  { date_collected: collected, date_received: received, date_reported: reported }: Sample,
  { date_reported: newest }: CombinedView['metadata'],
): ReportedSpecimen {
  return {
    id,
    collectedAt: collected ? new Date(collected.timestamp) : undefined,
    receivedAt: received ? new Date(received.timestamp) : undefined,
    reportedAt: new Date(reported?.timestamp ?? newest),
  };
}
