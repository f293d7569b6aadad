import { emit, type EventSubject } from '../../events/events.ts';
import type { ReceivedReport } from '../../adapters/lab-network/port.ts';
import { findUser } from '../../users/users/users.ts';
import type { Work } from '../../platform/work.ts';
import { listOrdersById, lockOrder, type Order } from '../../ordering/orders/orders.ts';
import { matchReviewCreated } from '../../results/results/events.ts';
import { insertDocuments } from '../../results/lab-documents/lab-documents.ts';
import { buildRequisition } from '../../results/results/results.ts';
import { attachReport, readReportHistory } from './attach-report.ts';
import type { StoredMatchCandidate } from './match-candidate.ts';
import { decideSeveral, decideNamed, decideUnnamed, type MatchDecision } from './decide-match.ts';
import { compareDemographics } from './demographics.ts';
import { toOrderPatient, type OrderMatch } from './find-orders.ts';
import { listNamedOrders, type NamedOrderRow, type NamedOrders } from './named-order-store.ts';
import { findHindrance } from './steps.ts';
import * as store from './store.ts';

/** The outcome for a report: attached to an order, put up for review, or received before. */
export type ReportReceipt =
  | { outcome: 'attached'; orderId: string; version: number }
  | { outcome: 'review'; resultId: string }
  | { outcome: 'repeat' };

interface ReportSource {
  /** The stored message that contained it. */
  readonly messageId: string;
}

/**
 * Receives a report of a laboratory: finds its order and attaches it, or puts it up for review. Every report is stored,
 * in the caller's transaction. Idempotent: a report with the same laboratory, control id and content is a repeat. The
 * content counts because a message may contain several reports.
 */
export async function receiveReport(
  work: Work,
  report: ReceivedReport,
  source: ReportSource,
): Promise<ReportReceipt> {
  const { lab, controlId } = report;
  const { digest, document } = store.sealReport(work, report);
  const [wasTaken, named] = await Promise.all([
    store.isAlreadyReceived(work, { lab, controlId, digest }),
    listNamedOrders(work, extractOrderNames(report)),
  ]);
  if (wasTaken) return { outcome: 'repeat' };
  const { decision, attached } = await decideAndAttach(work, report, named);
  const isUp = attached === undefined;
  const candidates = isUp ? decision.candidates() : [];
  const resultId = store.insertIncomingResult(work, {
    document,
    lab_slug: lab,
    control_id: controlId,
    message_id: source.messageId,
    digest,
    reported_at: report.reportedAt,
    status: isUp ? 'pending_customer_review' : 'matched',
    decision_code: decision.code,
    sub_reason_codes: [...decision.subReasons],
    score: decision.score,
    order_id: attached?.order.id ?? null,
    version: attached?.version ?? null,
    review_opened_at: isUp ? work.now : null,
    candidates,
    awaits_kit: findUnregisteredKit(candidates),
  });
  insertDocuments(work, resultId, report.documents ?? []);
  if (attached) return { outcome: 'attached', orderId: attached.order.id, version: attached.version };
  await emitReviewCreated(work, resultId, { decision, candidates });
  return { outcome: 'review', resultId };
}

/** The unregistered kit that the report names. */
const findUnregisteredKit = (candidates: readonly StoredMatchCandidate[]): string | null =>
  candidates.find((one) => one.type === 'provenance_order' && one.hindrance === 'not_registered')?.order_id ??
  null;

/**
 * Matches a report in review again after a change, such as the registration of its kit. Attaches it if that is safe
 * now, otherwise updates the review. A review that was decided meanwhile is not changed.
 */
export async function rematchReport(work: Work, id: string): Promise<void> {
  const review = await store.findReview(work, id, { lock: true });
  if (review === undefined || review.status === 'matched' || review.status === 'resolved') return;
  const named = await listNamedOrders(work, extractOrderNames(review.report));
  const { decision, attached } = await decideAndAttach(work, review.report, named);
  const candidates = attached ? [] : decision.candidates();
  await store.updateReview(work, id, {
    decision_code: decision.code,
    sub_reason_codes: [...decision.subReasons],
    score: decision.score,
    candidates: JSON.stringify(candidates),
    awaits_kit: findUnregisteredKit(candidates),
    ...(attached
      ? { status: 'matched', order_id: attached.order.id, version: attached.version, reviewed_at: work.now }
      : {}),
  });
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Sample ids as received, and also trimmed and in uppercase, as scanners read them. */
function extractOrderNames({ sampleIds, placerOrderId }: ReceivedReport) {
  const read = sampleIds.flatMap((id) => [id, id.trim(), id.trim().toUpperCase()]).filter((id) => id !== '');
  const orderId = placerOrderId?.trim().toLowerCase() ?? '';
  return { sampleIds: [...new Set(read)], orderId: UUID.test(orderId) ? orderId : null };
}

interface MatchOutcome {
  readonly decision: MatchDecision;
  readonly attached: { order: Order; version: number } | undefined;
}

async function decideAndAttach(
  work: Work,
  report: ReceivedReport,
  named: NamedOrders,
): Promise<MatchOutcome> {
  const all = [...named.bySample, ...(named.byId ? [named.byId] : [])];
  // Our order id is unique; a sample id may also be used by another laboratory.
  const isMeant = ({ id, lab_slug: lab }: NamedOrderRow) => lab === report.lab || id === named.byId?.id;
  const here = new Set(all.filter(isMeant).map(({ id }) => id));
  const [first] = here;
  if (first !== undefined && here.size === 1) {
    const isNamedTwice = named.byId?.id === first && named.bySample.some(({ id }) => id === first);
    const outcome = await attachToNamedOrder(work, report, { id: first, isNamedTwice });
    if (outcome) return outcome;
  }
  const several = await listOrderMatches(work, report, here.size > 1 ? [...here] : []);
  if (several.length > 0) return toReviewOutcome(decideSeveral(report, 'multiple_demo_match', several));
  // The same sample id of another patient at another laboratory is a coincidence.
  const elsewhere = (await listOrderMatches(work, report, [...new Set(all.map(({ id }) => id))])).filter(
    ({ agreement }) => agreement.parts.dob !== 'different' && agreement.parts.last_name !== 'different',
  );
  if (elsewhere.length > 0) return toReviewOutcome(decideSeveral(report, 'wrong_lab', elsewhere));
  return toReviewOutcome(await decideUnnamed(work, report));
}

const toReviewOutcome = (decision: MatchDecision): MatchOutcome => ({ decision, attached: undefined });

/** Undefined if the order belongs to a deleted user: nothing is attached to it. */
async function attachToNamedOrder(
  work: Work,
  report: ReceivedReport,
  { id, isNamedTwice }: { id: string; isNamedTwice: boolean },
): Promise<MatchOutcome | undefined> {
  const order = await lockOrder(work, id);
  if (!order) return undefined;
  const [requisition, history] = await Promise.all([
    buildRequisition(work, order),
    readReportHistory(work, id),
  ]);
  const { accountNumber } = requisition;
  const option = toOrderMatch(order, report);
  const decision = await decideNamed(work, report, { ...option, isNamedTwice, accountNumber });
  if (!decision.isSafe) return toReviewOutcome(decision);
  const attached = await attachReport(work, order, { report, requisition, history, byPerson: false });
  return { decision: attached ? decision : { ...decision, code: 'match_completed' }, attached };
}

const toOrderMatch = (order: Order, report: ReceivedReport): OrderMatch => ({
  order,
  agreement: compareDemographics(toOrderPatient(order.private.patient), report.patient),
  hindrance: findHindrance(order, report),
});

async function listOrderMatches(
  work: Work,
  report: ReceivedReport,
  ids: readonly string[],
): Promise<OrderMatch[]> {
  return (await listOrdersById(work, ids)).map((order) => toOrderMatch(order, report));
}

interface ReviewFindings {
  readonly decision: MatchDecision;
  readonly candidates: readonly StoredMatchCandidate[];
}

async function emitReviewCreated(
  work: Work,
  id: string,
  { decision, candidates }: ReviewFindings,
): Promise<void> {
  const { code, subReasons } = decision;
  await emit(work, matchReviewCreated, {
    subject: await resolveSubject(work, candidates),
    data: {
      id,
      status: 'pending_customer_review',
      decision_code: code,
      sub_reason_codes: [...subReasons],
    },
  });
}

/** The user of all candidates; null if they belong to several users, or if there are none. */
async function resolveSubject(
  work: Work,
  candidates: readonly StoredMatchCandidate[],
): Promise<EventSubject> {
  const [userId, ...others] = new Set(candidates.map(({ user_id: id }) => id));
  const user = userId !== undefined && others.length === 0 ? await findUser(work, userId) : undefined;
  return { userId: user?.id ?? null, clientUserId: user?.clientUserId ?? null };
}
