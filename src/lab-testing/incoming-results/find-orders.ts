import type { ReceivedPatient, ReceivedReport } from '../../adapters/lab-network/port.ts';
import { DAY } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import { listOrdersById, listPatients, nameKey, OrderedTest, type Order } from '../orders/orders.ts';
import type { Hindrance, Overlap, StoredCandidate } from './candidate.ts';
import { compare, HIGH, LOW, MEDIUM, SAFE_WITH_ID, type Agreement, type Person } from './demographics.ts';
import { distance, wordsOf } from './names.ts';
import { listNamesakes, type Namesake, type Terms } from './order-store.ts';
import { hindranceOf, isReported } from './steps.ts';

/** So many orders are opened to be compared, those with the likest names. */
const OPENED_MAX = 40;
/** So many are put before a person. */
const CANDIDATES_MAX = 10;

/** An order as it was compared with a report. */
export interface Option {
  readonly order: Order;
  readonly agreement: Agreement;
  readonly hindrance: Hindrance | null;
}

export function personOf(patient: Order['private']['patient']): Person | null {
  if (!patient) return null;
  const { first_name: firstName, last_name: lastName, dob, gender } = patient;
  return { firstName, lastName, dob, gender };
}

/** The orders whose patient may be the one of the report, the likest first; an indexed look-up, bounded in all it reads. */
export async function findOptions(work: Work, report: ReceivedReport): Promise<Option[]> {
  const { patient } = report;
  const terms = patient && termsOf(patient);
  if (!terms) return [];
  const theirs = [...wordsOf(patient.firstName), ...wordsOf(patient.lastName)];
  const likest = (await listNamesakes(work, terms))
    .map((namesake) => ({ id: namesake.id, ...likenessOf(namesake, theirs) }))
    .toSorted((a, b) => b.likeness - a.likeness || b.age - a.age)
    .slice(0, OPENED_MAX)
    .map(({ id }) => id);
  // First whom they are for, which is little; then the few that may be it, whole.
  const compared = (await listPatients(work, likest))
    .map(({ id, patient: ours }) => ({ id, agreement: compare(personOf(ours), patient) }))
    .filter(({ agreement }) => agreement.score >= LOW)
    .toSorted((a, b) => b.agreement.score - a.agreement.score)
    .slice(0, CANDIDATES_MAX);
  const orders = await listOrdersById(
    work,
    compared.map(({ id }) => id),
  );
  return orders
    .map((order) => optionOf(order, report))
    .toSorted(
      (a, b) =>
        b.agreement.score - a.agreement.score || distanceInTime(report, a) - distanceInTime(report, b),
    );
}

/** An order found by its patient alone takes no report when it has its results already. */
function optionOf(order: Order, report: ReceivedReport): Option {
  const hindrance = hindranceOf(order, report) ?? (isReported(order) ? 'over' : null);
  return { order, agreement: compare(personOf(order.private.patient), report.patient), hindrance };
}

const distanceInTime = (report: ReceivedReport, { order }: Option): number =>
  Math.abs((report.collectedAt ?? report.reportedAt).getTime() - order.created_at.getTime());

/** What to look for: the whole name both ways round, the family name, and how the two begin. */
function termsOf({ firstName, lastName }: ReceivedPatient): Terms | null {
  const [first, last] = [wordsOf(firstName), wordsOf(lastName)];
  if (last.length === 0) return null;
  const asWritten = [firstName, lastName].map((name) => nameKey(name ?? ''));
  const whole = [first.join(' '), last.join(' ')];
  const equal = [
    whole.join(' '),
    whole.toReversed().join(' '),
    whole[1] ?? '',
    last.join(''),
    asWritten.join(' '),
    asWritten[1] ?? '',
    ...last.filter((word) => word.length > 2),
  ];
  const prefixes = [`${whole[1]} `];
  if (first[0]) prefixes.push(`${first[0]} ${last[0]?.[0] ?? ''}`);
  return {
    equal: [...new Set(equal.filter((term) => term !== ''))],
    prefixes,
  };
}

function likenessOf({ name, created_at: at }: Namesake, theirs: readonly string[]) {
  const ours = wordsOf(name);
  const shared = theirs.filter((word) => ours.includes(word)).length;
  return { likeness: shared * 10 - distance(ours.join(''), theirs.join('')), age: at.getTime() };
}

/** So long before the draw an order may have been placed. */
const REACH_MS = 400 * DAY;

/** An order comes before its draw; one that was imported may come after it. */
function isTimely(report: ReceivedReport, { created_at: created, step }: Order): boolean {
  const drawn = (report.collectedAt ?? report.reportedAt).getTime();
  const before = drawn - created.getTime();
  return before <= REACH_MS && (before >= -DAY || step === 'requisition_bypassed');
}

/** How much of an order a report answers, by the laboratory's codes. */
export function overlapOf(order: Order, report: ReceivedReport): Overlap {
  const markers = OrderedTest.parse(order.lab_test).markers ?? [];
  const reported = new Set(report.observations.map(({ test }) => test.code ?? test.name));
  const codes = new Set(report.observations.flatMap(({ test, code }) => [test.code, code]));
  const shared = markers.filter(({ provider_id: id }) => id != null && codes.has(id)).length;
  return { ordered: markers.length, reported: reported.size, shared };
}

/** An option as it is kept and shown. */
export function candidateOf(
  report: ReceivedReport,
  { order, agreement, hindrance }: Option,
  type: StoredCandidate['type'],
): StoredCandidate {
  const overlap = overlapOf(order, report);
  const timely = isTimely(report, order);
  return {
    type,
    order_id: order.id,
    order_transaction_id: order.transaction_id,
    user_id: order.user_id,
    confidence: confidenceOf({ agreement, overlap, timely, hindrance, type }),
    score: agreement.score,
    reasons: [
      ...(type === 'provenance_order' ? ['the report names the order'] : []),
      ...agreement.reasons,
      ...(overlap.shared === 0 ? ['no test of the order is in the report'] : []),
      ...(timely ? [] : ['the order was not placed within the time before the draw']),
    ],
    overlap,
    modality: order.modality,
    step: order.step,
    hindrance,
  };
}

interface Grounds extends Pick<StoredCandidate, 'type' | 'overlap' | 'hindrance'> {
  readonly agreement: Agreement;
  readonly timely: boolean;
}

function confidenceOf({
  type,
  agreement,
  overlap,
  timely,
  hindrance,
}: Grounds): StoredCandidate['confidence'] {
  const { score } = agreement;
  if (type === 'provenance_order') return score >= SAFE_WITH_ID ? 'high' : score >= LOW ? 'medium' : 'low';
  if (score >= HIGH && overlap.shared > 0 && timely && hindrance === null) return 'high';
  return score >= MEDIUM ? 'medium' : 'low';
}
