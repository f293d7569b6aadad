import { isDeepStrictEqual } from 'node:util';
import type { Analyte, LabReport, ReceivedReport, Requisition } from '../../adapters/lab-network/port.ts';
import { teamSettings } from '../../management/management.ts';
import type { Work } from '../../platform/work.ts';
import { createRedraw, redrawnMarkers } from '../order-transactions/order-transactions.ts';
import { advance, advanceThrough, amend, type Move, type Order } from '../orders/orders.ts';
import type { StatusDetail } from '../orders/status.ts';
import {
  addReport,
  latestReport,
  readReport,
  tellIfCritical,
  type StoredReport,
} from '../results/results.ts';
import { mergeReports } from './merge-reports.ts';
import { isSampleTaken } from './named-store.ts';
import { isReported, stepsTo, type Target } from './steps.ts';
import { listAttached } from './store.ts';

export interface Attaching {
  readonly report: ReceivedReport;
  /** What was asked of the laboratory with this order. */
  readonly requisition: Requisition;
  readonly history: History;
  /** A person has said that it belongs here: what is over stays where it is and has its results nevertheless. */
  readonly byPerson: boolean;
}

/** What is known of an order's results so far: the reports that came of their own accord, and the newest version. */
export interface History {
  readonly earlier: readonly ReceivedReport[];
  readonly known: StoredReport | undefined;
}

export async function historyOf(work: Work, orderId: string): Promise<History> {
  const known = await latestReport(work, orderId);
  // What was attached is in a version, so that without one nothing was.
  return { earlier: known ? await listAttached(work, orderId) : [], known };
}

export interface Attached {
  readonly order: Order;
  /** The version of the order's results that holds the report. */
  readonly version: number;
}

/**
 * Gives a report to its order, which the caller has locked: a further version of its results, made of all that came so
 * far, and the steps that the report proves. A report that says nothing new changes nothing. Undefined, and nothing is
 * changed, where a preliminary report would change results that are final.
 */
export async function attachReport(
  work: Work,
  order: Order,
  attaching: Attaching,
): Promise<Attached | undefined> {
  const { report, requisition, byPerson } = attaching;
  const { earlier, known } = attaching.history;
  const status = statusOf(order, report);
  const { dob = null, gender = null } = order.private.patient ?? {};
  // What came another way, as from the simulation, is known by its meaning alone.
  const before = earlier.length === 0 ? (known ?? null) : null;
  const merged = { ...mergeReports(earlier, report), status };
  const read = readReport(merged, requisition.tests, { dob, gender, before });
  if (known && saysTheSame(known, read) && (isReported(order) || known.status === status)) {
    return { order, version: known.version };
  }
  if (isReported(order) && report.status === 'partial' && !byPerson) return undefined;
  const sample = await sampleOf(work, order, report);
  const named = { ...order, ...sample };
  const { version, said } = await addReport(work, named, { ...read, latest: known?.version ?? 0 });
  const moved = await move(work, order, { read, byPerson, changes: { ...said, ...sample } });
  if (hasNewCritical(known, read)) await tellIfCritical(work, moved, read);
  return { order: moved, version };
}

/** Whatever changes what was reported corrects it. Before that, nothing is over while something is still to come. */
function statusOf(order: Order, { status, isPending }: ReceivedReport): ReceivedReport['status'] {
  if (isReported(order)) return 'corrected';
  return isPending ? 'partial' : status;
}

/** As they are kept: what is not in JSON does not count, nor does the moment of the report. */
function saysTheSame(known: StoredReport, read: LabReport): boolean {
  const said = ({ results, missing, notes = [] }: LabReport): unknown =>
    JSON.parse(JSON.stringify({ results: results.map(named), missing: missing.map(named), notes }));
  return isDeepStrictEqual(said(known), said(read));
}

/** What else was expected is the catalogue's, and not what a report says. */
function named<T extends { readonly expected: Analyte }>({ expected, ...rest }: T) {
  const { name, slug, loinc, loincSlug, providerId } = expected;
  return { ...rest, expected: { name, slug, loinc, loincSlug, providerId } };
}

/** The same critical value of a further draw is another one. */
function hasNewCritical(known: StoredReport | undefined, read: LabReport): boolean {
  const before = criticalIn(known?.results ?? []);
  return [...criticalIn(read.results)].some(([what, times]) => times > (before.get(what) ?? 0));
}

/** How often each critical value stands. */
function criticalIn(results: LabReport['results']): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { interpretation, expected, result } of results) {
    if (interpretation !== 'critical') continue;
    const what = JSON.stringify([expected.slug, result]);
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return counts;
}

/** An order that has no sample id yet takes the laboratory's, if no other order has it. */
async function sampleOf(
  work: Work,
  order: Order,
  { sampleIds }: ReceivedReport,
): Promise<{ sample_id?: string }> {
  const [sampleId] = sampleIds;
  if (order.sample_id !== null || sampleId === undefined) return {};
  return (await isSampleTaken(work, { labId: order.lab_id, sampleId })) ? {} : { sample_id: sampleId };
}

interface Moving {
  readonly read: LabReport;
  readonly byPerson: boolean;
  readonly changes: NonNullable<Move['changes']>;
}

async function move(work: Work, order: Order, { read, byPerson, changes }: Moving): Promise<Order> {
  if (isReported(order)) return advance(work, order, { to: 'corrected', changes });
  const { to, detail, markerIds } = targetOf(order, read);
  const steps = stepsTo(order, to);
  if (!steps && !byPerson) throw new Error(`No way from ${order.step} to ${to} for order ${order.id}`);
  const last = steps?.at(-1);
  if (!steps || last === undefined) return stay(work, order, { read, changes });
  const passed = steps.slice(0, -1);
  if (last === 'redraw_available') {
    const to = passed.pop();
    const here = to === undefined ? order : await advanceThrough(work, order, { passed, to });
    return (await createRedraw(work, here, { markerIds, changes })).initial;
  }
  return advanceThrough(work, order, { passed, to: last, ...(detail ? { detail } : {}), changes });
}

/** Where nothing moves the order tells of its results all the same; of preliminary ones to teams that want it. */
async function stay(work: Work, order: Order, { read, changes }: Omit<Moving, 'byPerson'>): Promise<Order> {
  const isTold = read.status !== 'partial' || (await teamSettings(work)).partial_webhooks_enabled;
  return isTold ? amend(work, order, changes) : order;
}

interface Aim {
  readonly to: Target;
  readonly detail?: StatusDetail;
  readonly markerIds: readonly number[];
}

/** Where the report takes the order. Kits have no step for partial results: their sample is known to be there. */
function targetOf(order: Order, { status, results, missing }: LabReport): Aim {
  if (status === 'partial') {
    return { to: order.modality === 'testkit' ? 'delivered_to_lab' : 'partial_results', markerIds: [] };
  }
  const markerIds = redrawnMarkers(order, missing);
  if (markerIds.length > 0 && stepsTo(order, 'redraw_available'))
    return { to: 'redraw_available', markerIds };
  const details = missing.map(({ failureType }) => SAMPLE_FAILURES[failureType]);
  const [detail] = details;
  if (results.length > 0 || !detail || details.includes(undefined)) return { to: 'completed', markerIds };
  return { to: 'sample_error', detail, markerIds };
}

/** Failures that leave nothing to be reported and are the specimen's. */
const SAMPLE_FAILURES: Readonly<Record<string, StatusDetail>> = {
  quantity_not_sufficient_failure: 'sample_quantity_not_sufficient',
  insufficient_volume: 'sample_quantity_not_sufficient',
  collection_process_failure: 'sample_improper_collection',
  drop_off_failure: 'sample_stability_exceeded',
};
