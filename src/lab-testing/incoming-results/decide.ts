import type { z } from 'zod';
import type { ReceivedReport } from '../../adapters/lab-network/port.ts';
import type { Work } from '../../platform/work.ts';
import type { MatchDecisionCode, MatchSubReasonCode } from '../results/results.ts';
import type { Hindrance, StoredCandidate } from './candidate.ts';
import { HIGH, isExact, isSafe } from './demographics.ts';
import { candidateOf, findOptions, type Option } from './find-orders.ts';

export type DecisionCode = z.output<typeof MatchDecisionCode>;

export interface Decision {
  readonly code: DecisionCode;
  readonly subReasons: readonly z.output<typeof MatchSubReasonCode>[];
  /** Put together when a person has to look, which is seldom. */
  readonly candidates: () => readonly StoredCandidate[];
  /** How well the demographics agree with the order that is named, or with the likest one. */
  readonly score: number | null;
  /** Whether it is safe to attach it to the order that it names without asking anybody. */
  readonly isSafe: boolean;
}

/** The one order of its laboratory that a report names. */
export interface NamedOption extends Option {
  /** By our own id and by its sample id, both. */
  readonly isNamedTwice: boolean;
  /** The account that the order went through; null for the platform's own. */
  readonly accountNumber: string | null;
}

// prettier-ignore
const CODES: Readonly<Record<Hindrance, DecisionCode>> = {
  cancelled:        'match_cancelled',
  over:             'match_completed',
  wrong_lab:        'wrong_lab',
  wrong_collection: 'wrong_collection',
  not_registered:   'match_sample_id_mismatch_demo',
};

/** Decides about a report that names one order. */
export async function decideNamed(work: Work, report: ReceivedReport, named: NamedOption): Promise<Decision> {
  const { agreement, hindrance } = named;
  const { score } = agreement;
  const candidates = () => [candidateOf(report, named, 'provenance_order')];
  const subReasons = isOtherAccount(named.accountNumber, report.accountNumber)
    ? (['lab_account_mismatch'] as const)
    : [];
  const base = { subReasons, candidates, score, isSafe: false };
  if (hindrance === 'not_registered') return { ...base, code: CODES[hindrance] };
  const agrees = isSafe(agreement, named.isNamedTwice);
  if (!agrees || !isExact(agreement)) {
    const others = await othersThanNamed(work, report, named);
    const rivals = others.filter((other) => !agrees || other.agreement.score > score);
    if (!agrees || rivals.length > 0) {
      const shown = () => [
        ...candidates(),
        ...rivals.map((other) => candidateOf(report, other, 'order_option')),
      ];
      return { ...base, candidates: shown, code: 'match_sample_id_mismatch_demo' };
    }
  }
  if (hindrance) return { ...base, code: CODES[hindrance] };
  return { ...base, code: 'match_sample_id', isSafe: subReasons.length === 0 };
}

/** Other people's orders; another order of the same person does not make the named one less theirs. */
async function othersThanNamed(
  work: Work,
  report: ReceivedReport,
  { order }: NamedOption,
): Promise<Option[]> {
  const options = await findOptions(work, report);
  return options.filter((option) => option.order.user_id !== order.user_id);
}

/** An account number with its dashes, spaces and leading zeros is the same number. */
function isOtherAccount(ours: string | null, theirs: string | null): boolean {
  if (ours === null || theirs === null) return false;
  const [a, b] = [ours, theirs].map((number) =>
    number
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, '')
      .replace(/^0+/, ''),
  );
  return a !== '' && b !== '' && a !== b;
}

/** A report that names several orders at once, or one of another laboratory: a person has to look. */
export const decideAmong = (
  report: ReceivedReport,
  code: 'multiple_demo_match' | 'wrong_lab',
  options: readonly Option[],
): Decision => ({
  code,
  subReasons: [],
  candidates: () => options.map((option) => candidateOf(report, option, 'provenance_order')),
  score: Math.max(...options.map(({ agreement }) => agreement.score)),
  isSafe: false,
});

/**
 * Decides about a report that names no order: by its patient alone it is never attached, however well that fits. The
 * code says what was found, and `match_demo` that it is one order which can take it.
 */
export async function decideUnnamed(work: Work, report: ReceivedReport): Promise<Decision> {
  const options = await findOptions(work, report);
  const candidates = options.map((option) => candidateOf(report, option, 'order_option'));
  const score = options[0]?.agreement.score ?? null;
  return {
    code: codeOf(options, candidates),
    subReasons: [],
    candidates: () => candidates,
    score,
    isSafe: false,
  };
}

function codeOf(options: readonly Option[], candidates: readonly StoredCandidate[]): DecisionCode {
  const certain = options.filter(({ agreement }) => agreement.score >= HIGH);
  const open = certain.filter(({ hindrance }) => hindrance === null);
  if (open.length > 0) {
    const suited = candidates.filter(({ confidence }) => confidence === 'high').length;
    return suited === 1 || (suited === 0 && open.length === 1) ? 'match_demo' : 'multiple_demo_match';
  }
  const hindrances = new Set(certain.map(({ hindrance }) => hindrance));
  const first = MOST_TELLING.find((hindrance) => hindrances.has(hindrance));
  return first ? CODES[first] : 'no_match';
}

/** Of several orders that cannot take it, what is most likely meant. */
const MOST_TELLING: readonly Hindrance[] = ['wrong_collection', 'over', 'cancelled', 'wrong_lab'];
