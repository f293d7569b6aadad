import type { ReceivedPatient, ReceivedReport } from '../../adapters/lab-network/port.ts';
import { DAY } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import {
  listOrdersById,
  listPatients,
  nameKey,
  OrderedTest,
  type Order,
} from '../../ordering/orders/orders.ts';
import type { MatchHindrance, TestOverlap, StoredMatchCandidate } from './match-candidate.ts';
import {
  compareDemographics,
  HIGH_SCORE,
  LOW_SCORE,
  MEDIUM_SCORE,
  SAFE_WITH_ID_SCORE,
  type DemographicAgreement,
  type OrderPatient,
} from './demographics.ts';
import { editDistance, toNameWords } from './compare-names.ts';
import { listNamesakes, type Namesake, type NameTerms } from './order-store.ts';
import { findHindrance, isReported } from './steps.ts';

/** The maximum number of orders that are decrypted and compared; those with the most similar names. */
const COMPARED_ORDERS_MAX = 40;
/** The maximum number of candidates for a reviewer. */
const CANDIDATES_MAX = 10;

/** An order with the result of its comparison with a report. */
export interface OrderMatch {
  readonly order: Order;
  readonly agreement: DemographicAgreement;
  readonly hindrance: MatchHindrance | null;
}

export function toOrderPatient(patient: Order['private']['patient']): OrderPatient | null {
  if (!patient) return null;
  const { first_name: firstName, last_name: lastName, dob, gender } = patient;
  return { firstName, lastName, dob, gender };
}

/** Orders whose patient may be that of the report, best first. Uses indexes; reads a bounded number of rows. */
export async function findOrderMatches(work: Work, report: ReceivedReport): Promise<OrderMatch[]> {
  const { patient } = report;
  const terms = patient && toNameTerms(patient);
  if (!terms) return [];
  const theirs = [...toNameWords(patient.firstName), ...toNameWords(patient.lastName)];
  const likest = (await listNamesakes(work, terms))
    .map((namesake) => ({ id: namesake.id, ...scoreNamesake(namesake, theirs) }))
    .toSorted((a, b) => b.likeness - a.likeness || b.age - a.age)
    .slice(0, COMPARED_ORDERS_MAX)
    .map(({ id }) => id);
  // Compare the patients first, which are small, then read the few matching orders completely.
  const compared = (await listPatients(work, likest))
    .map(({ id, patient: ours }) => ({ id, agreement: compareDemographics(toOrderPatient(ours), patient) }))
    .filter(({ agreement }) => agreement.score >= LOW_SCORE)
    .toSorted((a, b) => b.agreement.score - a.agreement.score)
    .slice(0, CANDIDATES_MAX);
  const orders = await listOrdersById(
    work,
    compared.map(({ id }) => id),
  );
  return orders
    .map((order) => toOrderMatch(order, report))
    .toSorted(
      (a, b) =>
        b.agreement.score - a.agreement.score || getTimeDistance(report, a) - getTimeDistance(report, b),
    );
}

/** An order that was found by its patient alone cannot accept a report if it already has results. */
function toOrderMatch(order: Order, report: ReceivedReport): OrderMatch {
  const hindrance = findHindrance(order, report) ?? (isReported(order) ? 'over' : null);
  return {
    order,
    agreement: compareDemographics(toOrderPatient(order.private.patient), report.patient),
    hindrance,
  };
}

const getTimeDistance = (report: ReceivedReport, { order }: OrderMatch): number =>
  Math.abs((report.collectedAt ?? report.reportedAt).getTime() - order.created_at.getTime());

/** Search terms: the whole name in both orders, the family name, and prefixes of both. */
function toNameTerms({ firstName, lastName }: ReceivedPatient): NameTerms | null {
  const [first, last] = [toNameWords(firstName), toNameWords(lastName)];
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

function scoreNamesake({ name, created_at: at }: Namesake, theirs: readonly string[]) {
  const ours = toNameWords(name);
  const shared = theirs.filter((word) => ours.includes(word)).length;
  return { likeness: shared * 10 - editDistance(ours.join(''), theirs.join('')), age: at.getTime() };
}

/** The maximum time between order and draw. */
const ORDER_AGE_MAX_MS = 400 * DAY;

/** An order is placed before its draw; an imported one may be later. */
function isTimely(report: ReceivedReport, { created_at: created, step }: Order): boolean {
  const drawn = (report.collectedAt ?? report.reportedAt).getTime();
  const before = drawn - created.getTime();
  return before <= ORDER_AGE_MAX_MS && (before >= -DAY || step === 'requisition_bypassed');
}

/** How many tests of an order the report contains, by the laboratory's codes. */
function countTestOverlap(order: Order, report: ReceivedReport): TestOverlap {
  const markers = OrderedTest.parse(order.lab_test).markers ?? [];
  const reported = new Set(report.observations.map(({ test }) => test.code ?? test.name));
  const codes = new Set(report.observations.flatMap(({ test, code }) => [test.code, code]));
  const shared = markers.filter(({ provider_id: id }) => id != null && codes.has(id)).length;
  return { ordered: markers.length, reported: reported.size, shared };
}

/** The stored form of a match. */
export function toMatchCandidate(
  report: ReceivedReport,
  { order, agreement, hindrance }: OrderMatch,
  type: StoredMatchCandidate['type'],
): StoredMatchCandidate {
  const overlap = countTestOverlap(order, report);
  const timely = isTimely(report, order);
  return {
    type,
    order_id: order.id,
    order_transaction_id: order.transaction_id,
    user_id: order.user_id,
    confidence: rateConfidence({ agreement, overlap, timely, hindrance, type }),
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

interface ConfidenceGrounds extends Pick<StoredMatchCandidate, 'type' | 'overlap' | 'hindrance'> {
  readonly agreement: DemographicAgreement;
  readonly timely: boolean;
}

function rateConfidence({
  type,
  agreement,
  overlap,
  timely,
  hindrance,
}: ConfidenceGrounds): StoredMatchCandidate['confidence'] {
  const { score } = agreement;
  if (type === 'provenance_order')
    return score >= SAFE_WITH_ID_SCORE ? 'high' : score >= LOW_SCORE ? 'medium' : 'low';
  if (score >= HIGH_SCORE && overlap.shared > 0 && timely && hindrance === null) return 'high';
  return score >= MEDIUM_SCORE ? 'medium' : 'low';
}
