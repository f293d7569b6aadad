import { emit, type Subject } from '../../events/events.ts';
import type { ReceivedReport } from '../../adapters/lab-network/port.ts';
import { findUser } from '../../users/users.ts';
import type { Work } from '../../platform/work.ts';
import { listOrdersById, lockOrder, type Order } from '../orders/orders.ts';
import { matchReviewCreated } from '../results/events.ts';
import { requisitionOf } from '../results/results.ts';
import { attachReport, historyOf } from './attach-report.ts';
import type { StoredCandidate } from './candidate.ts';
import { decideAmong, decideNamed, decideUnnamed, type Decision } from './decide.ts';
import { compare } from './demographics.ts';
import { personOf, type Option } from './find-orders.ts';
import { listNamed, type Named, type NamedOrders } from './named-store.ts';
import { hindranceOf } from './steps.ts';
import * as store from './store.ts';

/** What became of a report: it belongs to an order, somebody has to look at it, or it was taken before. */
export type Taken =
  | { outcome: 'attached'; orderId: string; version: number }
  | { outcome: 'review'; resultId: string }
  | { outcome: 'repeat' };

interface Source {
  /** The stored message that brought it. */
  readonly messageId: string;
}

/**
 * Takes a report that a laboratory sent: finds its order and attaches it, or puts it up for review. One transaction,
 * and every report is kept. Taking the same one twice does nothing twice: the same is what comes from the same
 * laboratory under the same control id and says the same, for a message may hold several reports.
 */
export async function takeReport(work: Work, report: ReceivedReport, source: Source): Promise<Taken> {
  const { lab, controlId } = report;
  const { digest, document } = store.sealReport(work, report);
  const [wasTaken, named] = await Promise.all([
    store.wasTaken(work, { lab, controlId, digest }),
    listNamed(work, namesIn(report)),
  ]);
  if (wasTaken) return { outcome: 'repeat' };
  const { decision, attached } = await decideAndAttach(work, report, named);
  const isUp = attached === undefined;
  const candidates = isUp ? decision.candidates() : [];
  const resultId = store.insertIncoming(work, {
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
    awaits_kit: kitIn(candidates),
  });
  if (attached) return { outcome: 'attached', orderId: attached.order.id, version: attached.version };
  await tellOfReview(work, resultId, { decision, candidates });
  return { outcome: 'review', resultId };
}

/** The kit that the report names and that nobody has registered. */
const kitIn = (candidates: readonly StoredCandidate[]): string | null =>
  candidates.find((one) => one.type === 'provenance_order' && one.hindrance === 'not_registered')?.order_id ??
  null;

/**
 * Decides once more about a report that waits for a person, because what hindered it may be gone: attaches it if that
 * is safe now, else says anew what was found. One that somebody has decided meanwhile stays as it is.
 */
export async function decideAgain(work: Work, id: string): Promise<void> {
  const review = await store.findReview(work, id, { lock: true });
  if (review === undefined || review.status === 'matched' || review.status === 'resolved') return;
  const named = await listNamed(work, namesIn(review.report));
  const { decision, attached } = await decideAndAttach(work, review.report, named);
  const candidates = attached ? [] : decision.candidates();
  await store.changeReview(work, id, {
    decision_code: decision.code,
    sub_reason_codes: [...decision.subReasons],
    score: decision.score,
    candidates: JSON.stringify(candidates),
    awaits_kit: kitIn(candidates),
    ...(attached
      ? { status: 'matched', order_id: attached.order.id, version: attached.version, reviewed_at: work.now }
      : {}),
  });
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Sample ids as they came, and as a scanner would have read them. */
function namesIn({ sampleIds, placerOrderId }: ReceivedReport) {
  const read = sampleIds.flatMap((id) => [id, id.trim(), id.trim().toUpperCase()]).filter((id) => id !== '');
  const orderId = placerOrderId?.trim().toLowerCase() ?? '';
  return { sampleIds: [...new Set(read)], orderId: UUID.test(orderId) ? orderId : null };
}

interface Outcome {
  readonly decision: Decision;
  readonly attached: { order: Order; version: number } | undefined;
}

async function decideAndAttach(work: Work, report: ReceivedReport, named: NamedOrders): Promise<Outcome> {
  const all = [...named.bySample, ...(named.byId ? [named.byId] : [])];
  // Our own id names one order of all; a sample id is a number that another laboratory gives, too.
  const isMeant = ({ id, lab_slug: lab }: Named) => lab === report.lab || id === named.byId?.id;
  const here = new Set(all.filter(isMeant).map(({ id }) => id));
  const [first] = here;
  if (first !== undefined && here.size === 1) {
    const isNamedTwice = named.byId?.id === first && named.bySample.some(({ id }) => id === first);
    const outcome = await takeNamed(work, report, { id: first, isNamedTwice });
    if (outcome) return outcome;
  }
  const several = await optionsOf(work, report, here.size > 1 ? [...here] : []);
  if (several.length > 0) return asked(decideAmong(report, 'multiple_demo_match', several));
  // A number that another laboratory gave to another person is a coincidence and says nothing.
  const elsewhere = (await optionsOf(work, report, [...new Set(all.map(({ id }) => id))])).filter(
    ({ agreement }) => agreement.parts.dob !== 'different' && agreement.parts.last_name !== 'different',
  );
  if (elsewhere.length > 0) return asked(decideAmong(report, 'wrong_lab', elsewhere));
  return asked(await decideUnnamed(work, report));
}

const asked = (decision: Decision): Outcome => ({ decision, attached: undefined });

/** Undefined where the order is one of a deleted user: nobody may see it, so nothing is attached to it. */
async function takeNamed(
  work: Work,
  report: ReceivedReport,
  { id, isNamedTwice }: { id: string; isNamedTwice: boolean },
): Promise<Outcome | undefined> {
  const order = await lockOrder(work, id);
  if (!order) return undefined;
  const [requisition, history] = await Promise.all([requisitionOf(work, order), historyOf(work, id)]);
  const { accountNumber } = requisition;
  const option = optionOf(order, report);
  const decision = await decideNamed(work, report, { ...option, isNamedTwice, accountNumber });
  if (!decision.isSafe) return asked(decision);
  const attached = await attachReport(work, order, { report, requisition, history, byPerson: false });
  return { decision: attached ? decision : { ...decision, code: 'match_completed' }, attached };
}

const optionOf = (order: Order, report: ReceivedReport): Option => ({
  order,
  agreement: compare(personOf(order.private.patient), report.patient),
  hindrance: hindranceOf(order, report),
});

async function optionsOf(work: Work, report: ReceivedReport, ids: readonly string[]): Promise<Option[]> {
  return (await listOrdersById(work, ids)).map((order) => optionOf(order, report));
}

interface Found {
  readonly decision: Decision;
  readonly candidates: readonly StoredCandidate[];
}

async function tellOfReview(work: Work, id: string, { decision, candidates }: Found): Promise<void> {
  const { code, subReasons } = decision;
  await emit(work, matchReviewCreated, {
    subject: await subjectOf(work, candidates),
    data: {
      id,
      status: 'pending_customer_review',
      decision_code: code,
      sub_reason_codes: [...subReasons],
    },
  });
}

/** The user whose orders all candidates are; nobody where it may be one of several, or none. */
async function subjectOf(work: Work, candidates: readonly StoredCandidate[]): Promise<Subject> {
  const [userId, ...others] = new Set(candidates.map(({ user_id: id }) => id));
  const user = userId !== undefined && others.length === 0 ? await findUser(work, userId) : undefined;
  return { userId: user?.id ?? null, clientUserId: user?.clientUserId ?? null };
}
