import type { App } from '../../app.ts';
import type {
  LabReport,
  PlacedRequisition,
  ReportWish,
  Requisition,
} from '../../adapters/lab-network/port.ts';
import { emit } from '../../events/events.ts';
import { isoMoment } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { criticalResult } from '../orders/events.ts';
import { subjectOfOrder, type Order } from '../orders/orders.ts';
import { worstOf } from './meaning/flags.ts';
import { printReport } from './printed-report.ts';
import { withRanges } from './ranged.ts';
import * as store from './store.ts';
import type { StoredReport } from './stored-report.ts';

export { requisitionOf } from '../orders/orders.ts';
export { MatchDecisionCode, MatchReviewStatus, MatchSubReasonCode } from './match-review.ts';
export { worstOf } from './meaning/flags.ts';
export { readReport } from './meaning/meaning.ts';
export { isAnnounced } from './meaning/missing.ts';
export { listEarlierReports, type EarlierReport } from './earlier-store.ts';
export { findReport, latestReport } from './store.ts';
export type { StoredReport } from './stored-report.ts';

const networkOf = (app: App, tenant: Tenant) => {
  const network = app.labNetworks[tenant.environment];
  if (!network)
    throw new DomainError('unavailable', `No laboratory network is connected in ${tenant.environment}`);
  return network;
};

/** Places the requisition with the laboratory; outside any transaction. Asking twice places one. */
export const requestTests = (
  app: App,
  tenant: Tenant,
  requisition: Requisition,
): Promise<{ sampleId: string }> => networkOf(app, tenant).requestTests(requisition);

type Specimen = Pick<PlacedRequisition, 'collectedAt' | 'receivedAt'>;

/** The laboratory's newest report of a requisition; outside any transaction. */
export async function fetchReport(
  app: App,
  tenant: Tenant,
  {
    requisition,
    at,
    collectedAt = at,
    receivedAt = at,
    ...asked
  }: { requisition: Requisition; sampleId: string; at: Date; wish: ReportWish } & Partial<Specimen>,
): Promise<LabReport | undefined> {
  const placed: PlacedRequisition = { ...requisition, ...asked, collectedAt, receivedAt, reportedAt: at };
  return (await networkOf(app, tenant).reports(placed)).at(-1);
}

/** The whole is as bad as its worst part, and unknown only when nothing can be said. */
const worst = ({ results }: LabReport): StoredReport['interpretation'] =>
  worstOf(results.map(({ interpretation }) => interpretation));

/** What an order says of its results. */
export interface Said {
  readonly interpretation: StoredReport['interpretation'];
  readonly has_missing_results: boolean;
}

/**
 * Keeps the report as a version of the order's results, and answers what the order is to say of it. The order is as it
 * will be with the report: its results name its sample.
 */
export const keepReport = async (work: Work, order: Order, report: LabReport): Promise<Said> =>
  (await addReport(work, order, report)).said;

/** The same, with the number of the version; `latest` is the version so far, where the caller knows it. */
export async function addReport(
  work: Work,
  order: Order,
  { latest, ...report }: LabReport & { latest?: number },
): Promise<{ version: number; said: Said }> {
  const interpretation = worst(report);
  const whole = { ...withRanges(report), interpretation };
  const print = (stored: StoredReport) => printReport(order, stored);
  const version = await store.insertReport(work, { orderId: order.id, report: whole, latest, print });
  return { version, said: { interpretation, has_missing_results: report.missing.length > 0 } };
}

/** Tells of a critical result; after the order has moved, so that the two agree. */
export async function tellIfCritical(work: Work, order: Order, report: LabReport): Promise<void> {
  if (worst(report) !== 'critical') return;
  await emit(work, criticalResult, {
    subject: subjectOfOrder(order),
    data: {
      order_id: order.id,
      sample_id: order.sample_id ?? '',
      status: report.status,
      interpretation: 'critical',
      team_id: order.team_id,
      user_id: order.user_id,
      created_at: isoMoment(order.created_at),
      updated_at: isoMoment(order.updated_at),
    },
  });
}
