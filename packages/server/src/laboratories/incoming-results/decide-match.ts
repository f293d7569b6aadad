import type { z } from 'zod';
import type { ReceivedReport } from '../../adapters/lab-network/port.ts';
import type { Work } from '../../platform/work.ts';
import type { MatchDecisionCode, MatchSubReasonCode } from '../../results/results/results.ts';
import type { MatchHindrance, StoredMatchCandidate } from './match-candidate.ts';
import { HIGH_SCORE, isExact, isSafe } from './demographics.ts';
import { toMatchCandidate, findOrderMatches, type OrderMatch } from './find-orders.ts';

type MatchDecisionCodeValue = z.output<typeof MatchDecisionCode>;

export interface MatchDecision {
  readonly code: MatchDecisionCodeValue;
  readonly subReasons: readonly z.output<typeof MatchSubReasonCode>[];
  /** Computed lazily, because most reports need no review. */
  readonly candidates: () => readonly StoredMatchCandidate[];
  /** The demographic score of the named order, or of the best match; 0 to 100. */
  readonly score: number | null;
  /** Whether the report can be attached to the named order without a review. */
  readonly isSafe: boolean;
}

/** The only order of its laboratory that the report names. */
interface NamedOrderMatch extends OrderMatch {
  /** Whether the report has both our order id and the sample id. */
  readonly isNamedTwice: boolean;
  /** The order's account number at the laboratory; null for the platform's own account. */
  readonly accountNumber: string | null;
}

// prettier-ignore
const DECISION_CODES: Readonly<Record<MatchHindrance, MatchDecisionCodeValue>> = {
  cancelled:        'match_cancelled',
  over:             'match_completed',
  wrong_lab:        'wrong_lab',
  wrong_collection: 'wrong_collection',
  not_registered:   'match_sample_id_mismatch_demo',
};

/** Decides about a report that names one order. */
export async function decideNamed(
  work: Work,
  report: ReceivedReport,
  named: NamedOrderMatch,
): Promise<MatchDecision> {
  const { agreement, hindrance } = named;
  const { score } = agreement;
  const candidates = () => [toMatchCandidate(report, named, 'provenance_order')];
  const subReasons = isDifferentAccount(named.accountNumber, report.accountNumber)
    ? (['lab_account_mismatch'] as const)
    : [];
  const base = { subReasons, candidates, score, isSafe: false };
  if (hindrance === 'not_registered') return { ...base, code: DECISION_CODES[hindrance] };
  const agrees = isSafe(agreement, named.isNamedTwice);
  if (!agrees || !isExact(agreement)) {
    const others = await listMatchesOfOtherPatients(work, report, named);
    const rivals = others.filter((other) => !agrees || other.agreement.score > score);
    if (!agrees || rivals.length > 0) {
      const shown = () => [
        ...candidates(),
        ...rivals.map((other) => toMatchCandidate(report, other, 'order_option')),
      ];
      return { ...base, candidates: shown, code: 'match_sample_id_mismatch_demo' };
    }
  }
  if (hindrance) return { ...base, code: DECISION_CODES[hindrance] };
  return { ...base, code: 'match_sample_id', isSafe: subReasons.length === 0 };
}

/** Matches of other patients only: another order of the same patient does not contradict the named one. */
async function listMatchesOfOtherPatients(
  work: Work,
  report: ReceivedReport,
  { order }: NamedOrderMatch,
): Promise<OrderMatch[]> {
  const options = await findOrderMatches(work, report);
  return options.filter((option) => option.order.user_id !== order.user_id);
}

/** Ignores case, punctuation, spaces and leading zeros. */
function isDifferentAccount(ours: string | null, theirs: string | null): boolean {
  if (ours === null || theirs === null) return false;
  const [a, b] = [ours, theirs].map((number) =>
    number
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, '')
      .replace(/^0+/, ''),
  );
  return a !== '' && b !== '' && a !== b;
}

/** A report that names several orders, or an order of another laboratory, needs a review. */
export const decideSeveral = (
  report: ReceivedReport,
  code: 'multiple_demo_match' | 'wrong_lab',
  options: readonly OrderMatch[],
): MatchDecision => ({
  code,
  subReasons: [],
  candidates: () => options.map((option) => toMatchCandidate(report, option, 'provenance_order')),
  score: Math.max(...options.map(({ agreement }) => agreement.score)),
  isSafe: false,
});

/**
 * Decides about a report that names no order. It is never attached by demographics alone. The code describes the
 * matches; `match_demo` means exactly one order that can accept it.
 */
export async function decideUnnamed(work: Work, report: ReceivedReport): Promise<MatchDecision> {
  const options = await findOrderMatches(work, report);
  const candidates = options.map((option) => toMatchCandidate(report, option, 'order_option'));
  const score = options[0]?.agreement.score ?? null;
  return {
    code: selectDecisionCode(options, candidates),
    subReasons: [],
    candidates: () => candidates,
    score,
    isSafe: false,
  };
}

function selectDecisionCode(
  options: readonly OrderMatch[],
  candidates: readonly StoredMatchCandidate[],
): MatchDecisionCodeValue {
  const certain = options.filter(({ agreement }) => agreement.score >= HIGH_SCORE);
  const open = certain.filter(({ hindrance }) => hindrance === null);
  if (open.length > 0) {
    const suited = candidates.filter(({ confidence }) => confidence === 'high').length;
    return suited === 1 || (suited === 0 && open.length === 1) ? 'match_demo' : 'multiple_demo_match';
  }
  const hindrances = new Set(certain.map(({ hindrance }) => hindrance));
  const first = HINDRANCES_BY_PRIORITY.find((hindrance) => hindrances.has(hindrance));
  return first ? DECISION_CODES[first] : 'no_match';
}

/** If no match can accept the report, the first of these decides the code. */
const HINDRANCES_BY_PRIORITY: readonly MatchHindrance[] = [
  'wrong_collection',
  'over',
  'cancelled',
  'wrong_lab',
];
