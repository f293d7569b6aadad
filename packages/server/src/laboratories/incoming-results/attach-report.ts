import { isDeepStrictEqual } from 'node:util';
import type {
  LabAnalyte,
  LabReport,
  ReceivedDocument,
  ReceivedReport,
  Requisition,
} from '../../adapters/lab-network/port.ts';
import { readTeamSettings } from '../../identity/management/management.ts';
import type { Work } from '../../platform/work.ts';
import { createRedraw, markersToRedraw } from '../../results/order-transactions/order-transactions.ts';
import {
  advanceOrder,
  advanceOrderThrough,
  amendOrder,
  type OrderTransition,
  type Order,
} from '../../ordering/orders/orders.ts';
import type { StatusDetail } from '../../ordering/orders/status.ts';
import {
  addReport,
  latestReport,
  interpretReport,
  emitIfCritical,
  type StoredReport,
} from '../../results/results/results.ts';
import { mergeReports } from './merge-reports.ts';
import { isSampleIdAssigned } from './named-order-store.ts';
import { isReported, findStepsTo, type ReportTargetStep } from './steps.ts';
import { listAttachedReports } from './store.ts';

interface ReportAttachment {
  readonly report: ReceivedReport;
  /** The requisition of the order. */
  readonly requisition: Requisition;
  readonly history: OrderReportHistory;
  /** Whether a reviewer decided. Then even an order in a final step gets the results and keeps its step. */
  readonly byPerson: boolean;
}

/** The results of an order so far: the attached reports and the latest version. */
interface OrderReportHistory {
  readonly earlier: readonly ReceivedReport[];
  readonly known: StoredReport | undefined;
}

export async function readReportHistory(work: Work, orderId: string): Promise<OrderReportHistory> {
  const known = await latestReport(work, orderId);
  // Every attached report created a version: without a version, there are no reports.
  return { earlier: known ? await listAttachedReports(work, orderId) : [], known };
}

interface AttachedReport {
  readonly order: Order;
  /** The version of the order's results that holds the report. */
  readonly version: number;
}

/**
 * Attaches a report to its order, which the caller has locked. Merges all reports of the order into a new version of
 * its results and advances the order by the steps that the report proves. A report without new content changes nothing.
 * Returns undefined, without a change, if a preliminary report would change final results.
 */
export async function attachReport(
  work: Work,
  order: Order,
  attaching: ReportAttachment,
): Promise<AttachedReport | undefined> {
  const { report, requisition, byPerson } = attaching;
  const { earlier, known } = attaching.history;
  const status = resolveReportStatus(order, report);
  const { dob = null, gender = null } = order.private.patient ?? {};
  // Results from another source, such as the simulation, have no received reports: compare with their version.
  const before = earlier.length === 0 ? (known ?? null) : null;
  const merged = { ...mergeReports(earlier, report), status };
  const read = interpretReport(merged, requisition.tests, { dob, gender, previous: before });
  const isNew = isNewDocument(report, earlier);
  if (known && !isNew && hasSameContent(known, read) && (isReported(order) || known.status === status)) {
    return { order, version: known.version };
  }
  if (isReported(order) && report.status === 'partial' && !byPerson && !isWithdrawal(earlier, merged))
    return undefined;
  const sample = await resolveSampleId(work, order, report);
  const named = { ...order, ...sample };
  const { version, said } = await addReport(work, named, { ...read, latest: known?.version ?? 0 });
  const moved = await advanceWithReport(work, order, { read, byPerson, changes: { ...said, ...sample } });
  if (hasNewCritical(known, read)) await emitIfCritical(work, moved, read);
  return { order: moved, version };
}

/** Whether the merged report withdraws more values than the earlier reports alone. */
function isWithdrawal(
  [first, ...others]: readonly ReceivedReport[],
  merged: Pick<ReceivedReport, 'observations'>,
): boolean {
  const last = others.pop();
  const before = first && mergeReports(last ? [first, ...others] : [], last ?? first);
  const countOf = (some: Pick<ReceivedReport, 'observations'> | undefined) =>
    some?.observations.filter((one) => one.isWithdrawal).length ?? 0;
  return countOf(merged) > countOf(before);
}

/** Whether a report of documents alone has one that no earlier report had: then the document is the content. */
function isNewDocument(
  { observations, documents = [] }: ReceivedReport,
  earlier: readonly ReceivedReport[],
): boolean {
  if (observations.length > 0) return false;
  const known = new Set(earlier.flatMap((one) => (one.documents ?? []).map(toDocumentKey)));
  return documents.some((document) => !known.has(toDocumentKey(document)));
}

const toDocumentKey = ({ sha256, address }: ReceivedDocument): string => sha256 ?? address ?? '';

/** A change of reported results is a correction. Before that, the report is partial while results are pending. */
function resolveReportStatus(order: Order, { status, isPending }: ReceivedReport): ReceivedReport['status'] {
  if (isReported(order)) return 'corrected';
  return isPending ? 'partial' : status;
}

/** Compares the stored JSON forms, without the timestamp of the report. */
function hasSameContent(known: StoredReport, read: LabReport): boolean {
  const said = ({ results, missing, notes = [] }: LabReport): unknown =>
    JSON.parse(
      JSON.stringify({
        results: results.map(keepExpectedIdentity),
        missing: missing.map(keepExpectedIdentity),
        notes,
      }),
    );
  return isDeepStrictEqual(said(known), said(read));
}

/** Removes catalog details of the expected result, which are not part of the report. */
function keepExpectedIdentity<T extends { readonly expected: LabAnalyte }>({ expected, ...rest }: T) {
  const { name, slug, loinc, loincSlug, providerId } = expected;
  return { ...rest, expected: { name, slug, loinc, loincSlug, providerId } };
}

/** Counts equal values, because the same critical value of another draw is a new one. */
function hasNewCritical(known: StoredReport | undefined, read: LabReport): boolean {
  const before = countCriticalValues(known?.results ?? []);
  return [...countCriticalValues(read.results)].some(([what, times]) => times > (before.get(what) ?? 0));
}

/** The number of occurrences of each critical value. */
function countCriticalValues(results: LabReport['results']): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { interpretation, expected, result } of results) {
    if (interpretation !== 'critical') continue;
    const what = JSON.stringify([expected.slug, result]);
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return counts;
}

/** An order without a sample id takes the report's, unless another order has it. */
async function resolveSampleId(
  work: Work,
  order: Order,
  { sampleIds }: ReceivedReport,
): Promise<{ sample_id?: string }> {
  const [sampleId] = sampleIds;
  if (order.sample_id !== null || sampleId === undefined) return {};
  return (await isSampleIdAssigned(work, { labId: order.lab_id, sampleId })) ? {} : { sample_id: sampleId };
}

interface OrderAdvance {
  readonly read: LabReport;
  readonly byPerson: boolean;
  readonly changes: NonNullable<OrderTransition['changes']>;
}

async function advanceWithReport(
  work: Work,
  order: Order,
  { read, byPerson, changes }: OrderAdvance,
): Promise<Order> {
  if (isReported(order)) return advanceOrder(work, order, { to: 'corrected', changes });
  const { to, detail, markerIds } = resolveTarget(order, read);
  const steps = findStepsTo(order, to);
  if (!steps && !byPerson) throw new Error(`No way from ${order.step} to ${to} for order ${order.id}`);
  const last = steps?.at(-1);
  if (!steps || last === undefined) return amendWithoutStep(work, order, { read, changes });
  const passed = steps.slice(0, -1);
  if (last === 'redraw_available') {
    const to = passed.pop();
    const here = to === undefined ? order : await advanceOrderThrough(work, order, { passed, to });
    return (await createRedraw(work, here, { markerIds, changes })).initial;
  }
  return advanceOrderThrough(work, order, { passed, to: last, ...(detail ? { detail } : {}), changes });
}

/** Amends the order without a step, which emits its event; for partial results only if the team enabled that. */
async function amendWithoutStep(
  work: Work,
  order: Order,
  { read, changes }: Omit<OrderAdvance, 'byPerson'>,
): Promise<Order> {
  const isTold = read.status !== 'partial' || (await readTeamSettings(work)).partial_webhooks_enabled;
  return isTold ? amendOrder(work, order, changes) : order;
}

interface ReportTarget {
  readonly to: ReportTargetStep;
  readonly detail?: StatusDetail;
  readonly markerIds: readonly number[];
}

/** The step that the report proves. Kits have no step for partial results: these prove the delivery to the lab. */
function resolveTarget(order: Order, { status, results, missing }: LabReport): ReportTarget {
  if (status === 'partial') {
    return { to: order.modality === 'testkit' ? 'delivered_to_lab' : 'partial_results', markerIds: [] };
  }
  const markerIds = markersToRedraw(order, missing);
  if (markerIds.length > 0 && findStepsTo(order, 'redraw_available'))
    return { to: 'redraw_available', markerIds };
  const details = missing.map(({ failureType }) => SAMPLE_FAILURES[failureType]);
  const [detail] = details;
  if (results.length > 0 || !detail || details.includes(undefined)) return { to: 'completed', markerIds };
  return { to: 'sample_error', detail, markerIds };
}

/** Specimen failures after which nothing can be reported. */
const SAMPLE_FAILURES: Readonly<Record<string, StatusDetail>> = {
  quantity_not_sufficient_failure: 'sample_quantity_not_sufficient',
  insufficient_volume: 'sample_quantity_not_sufficient',
  collection_process_failure: 'sample_improper_collection',
  drop_off_failure: 'sample_stability_exceeded',
};
