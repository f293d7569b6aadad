import type { App } from '../../app.ts';
import type {
  LabReport,
  PlacedRequisition,
  SimulatedReportRequest,
  Requisition,
} from '../../adapters/lab-network/port.ts';
import { emit } from '../../events/events.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { criticalResult } from '../../ordering/orders/events.ts';
import { subjectOfOrder, type Order } from '../../ordering/orders/orders.ts';
import { worstInterpretation } from './interpretation/flags.ts';
import { serializeReport } from './serialized-report.ts';
import { withParsedRanges } from './parsed-ranges.ts';
import * as store from './store.ts';
import type { StoredReport } from './stored-report.ts';

export { buildRequisition } from '../../ordering/orders/orders.ts';
export { MatchDecisionCode, MatchReviewStatus, MatchSubReasonCode } from './match-review.ts';
export { worstInterpretation } from './interpretation/flags.ts';
export { interpretReport } from './interpretation/interpretation.ts';
export { isPending } from './interpretation/missing-results.ts';
export { listEarlierReports, type EarlierReport } from './earlier-report-store.ts';
export { withParsedRange } from './parsed-ranges.ts';
export { findReport, latestReport } from './store.ts';
export type { StoredReport } from './stored-report.ts';

const requireLabNetwork = (app: App, tenant: Tenant) => {
  const network = app.labNetworks[tenant.environment];
  if (!network)
    throw new DomainError('unavailable', `No laboratory network is connected in ${tenant.environment}`);
  return network;
};

/** Places the requisition with the laboratory. Idempotent. Call it outside any transaction. */
export const requestTests = (
  app: App,
  tenant: Tenant,
  requisition: Requisition,
): Promise<{ sampleId: string }> => requireLabNetwork(app, tenant).requestTests(requisition);

type RequisitionTimes = Pick<PlacedRequisition, 'collectedAt' | 'receivedAt'>;

/** Fetches the laboratory's newest report for a requisition. Call it outside any transaction. */
export async function fetchReport(
  app: App,
  tenant: Tenant,
  {
    requisition,
    at,
    collectedAt = at,
    receivedAt = at,
    ...asked
  }: {
    requisition: Requisition;
    sampleId: string;
    at: Date;
    wish: SimulatedReportRequest;
  } & Partial<RequisitionTimes>,
): Promise<LabReport | undefined> {
  const placed: PlacedRequisition = { ...requisition, ...asked, collectedAt, receivedAt, reportedAt: at };
  return (await requireLabNetwork(app, tenant).reports(placed)).at(-1);
}

/** The worst interpretation of all results; `unknown` only when no result has one. */
const overallInterpretation = ({ results }: LabReport): StoredReport['interpretation'] =>
  worstInterpretation(results.map(({ interpretation }) => interpretation));

/** The fields of an order that summarize its results. */
interface OrderResultSummary {
  readonly interpretation: StoredReport['interpretation'];
  readonly has_missing_results: boolean;
}

/**
 * Stores the report as a new version of the order's results and returns the summary for the order. Pass the order as it
 * will be with the report, because the stored results contain its sample id.
 */
export const saveReport = async (work: Work, order: Order, report: LabReport): Promise<OrderResultSummary> =>
  (await addReport(work, order, report)).said;

/** Like `saveReport`, but also returns the version number. `latest` is the current version, if the caller knows it. */
export async function addReport(
  work: Work,
  order: Order,
  { latest, ...report }: LabReport & { latest?: number },
): Promise<{ version: number; said: OrderResultSummary }> {
  const interpretation = overallInterpretation(report);
  const whole = { ...withParsedRanges(report), interpretation };
  const print = (stored: StoredReport) => serializeReport(order, stored);
  const version = await store.insertReport(work, {
    orderId: order.id,
    report: whole,
    latest,
    serialize: print,
  });
  return { version, said: { interpretation, has_missing_results: report.missing.length > 0 } };
}

/** Emits the event for a critical report. Call it after the order has changed its state, so that the two agree. */
export async function emitIfCritical(work: Work, order: Order, report: LabReport): Promise<void> {
  if (overallInterpretation(report) !== 'critical') return;
  await emit(work, criticalResult, {
    subject: subjectOfOrder(order),
    data: {
      order_id: order.id,
      sample_id: order.sample_id ?? '',
      status: report.status,
      interpretation: 'critical',
      team_id: order.team_id,
      user_id: order.user_id,
      created_at: isoTimestamp(order.created_at),
      updated_at: isoTimestamp(order.updated_at),
    },
  });
}
