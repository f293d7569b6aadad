import { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import type { Lab } from '../../ordering/catalog/catalog.ts';
import type { IncomingResult, StoredMatchCandidate } from '../incoming-results/incoming-results.ts';
import { STEPS, publicStatus, type OrderStep } from '../../ordering/orders/status.ts';
import { MatchDecisionCode, MatchReviewStatus, MatchSubReasonCode } from '../../results/results/results.ts';
import { describeReviewReason } from './review-reason.ts';

const ReviewAction = z
  .enum(['accept', 'reject', 'unsure', 'accept_but_not_one_of_suggested_outcomes'])
  .meta({ id: 'MatchReviewResolutionAction' });

const ReviewCandidate = z
  .object({
    candidate_type: z
      .enum(['provenance_order', 'order_option'])
      .meta({ id: 'MatchCandidateType' })
      .describe('`provenance_order`: named by the report. `order_option`: found by the patient.'),
    order_id: z.guid().nullable(),
    order_transaction_id: z.guid().nullable(),
    last_status: z.enum(STEPS).meta({ id: 'OrderLowLevelStatus' }).nullable(),
    confidence_level: z.enum(['high', 'medium', 'low']).meta({ id: 'MatchCandidateConfidenceLevel' }),
    confidence_score: z.number().nullable().describe('0 to 1: how well the demographics match.'),
    reasons: z.array(z.string()),
    marker_overlap: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('`ordered` and `reported` tests, and `shared`: ordered tests that the report answers.'),
    status_context: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        '`status` of the order now, `status_at_arrival`, and the `hindrance` to automatic acceptance.',
      ),
  })
  .meta({ id: 'MatchReviewCandidate' });

export const UnmatchedResult = z
  .object({
    id: z.guid(),
    status: MatchReviewStatus,
    decision_code: MatchDecisionCode.describe('Extension, required by newer clients.'),
    sub_reason_codes: z.array(MatchSubReasonCode),
    reason: z.string(),
    patient: z
      .object({
        first_name: z.string().nullable(),
        last_name: z.string().nullable(),
        dob: Timestamp.nullable(),
      })
      .meta({ id: 'MatchReviewPatient' })
      .nullable(),
    lab: z.object({ id: z.int(), name: z.string(), slug: z.string() }).meta({ id: 'MatchReviewLab' }),
    tests: z.array(
      z
        .object({ provider_id: z.string().nullable(), name: z.string().nullable() })
        .meta({ id: 'MatchReviewTest' }),
    ),
    allowed_actions: z.array(ReviewAction),
    candidate_groups: z.array(
      z
        .object({ user_id: z.guid().nullable(), candidates: z.array(ReviewCandidate) })
        .meta({ id: 'MatchReviewCandidateGroup' }),
    ),
    created_at: Timestamp,
    updated_at: Timestamp,
    reviewed_at: Timestamp.nullable(),
  })
  .meta({ id: 'UnmatchedResult' });
export type UnmatchedResult = z.input<typeof UnmatchedResult>;

/** Results are counted to here, so that the cost of a page has a bound. */
export const COUNTED_MAX = 10_000;

export const UnmatchedResultPage = z
  .object({
    data: z.array(UnmatchedResult),
    next_cursor: z.string().nullable().describe('Pass it to get the next page; null on the last page.'),
    total: z
      .int()
      .describe(
        `Extension, required by newer clients. All that match the filters, counted to ${COUNTED_MAX}.`,
      ),
  })
  .meta({ id: 'ListUnmatchedResultResponse' });

export const UnmatchedResultQuery = z.object({
  limit: z.int().min(1).max(500).default(50),
  next_cursor: z.string().max(500).nullish(),
  decision_code: MatchDecisionCode.nullish(),
  status: MatchReviewStatus.nullish().describe('Extension. By default, results that wait for a review.'),
});

const ReviewNote = z
  .string()
  .max(5000)
  .nullish()
  .describe('A comment on the decision; at most 5000 characters.');

export const AcceptUnmatchedResult = z
  .object({
    acceptance_type: z
      .enum(['suggested_outcome', 'not_one_of_suggested_outcomes'])
      .meta({ id: 'AcceptUnmatchedResultType' })
      .default('suggested_outcome')
      .describe('Whether the match is one that the service suggested.'),
    user_id: z
      .guid()
      .nullish()
      .describe('The user whose result it is; without order_id, an order is created for this user.'),
    order_id: z.guid().nullish().describe('The order to attach the result to.'),
    note: ReviewNote,
  })
  .meta({ id: 'AcceptUnmatchedResultBody' });
export type AcceptUnmatchedResult = z.output<typeof AcceptUnmatchedResult>;

export const ResolveUnmatchedResult = z
  .object({
    action: z
      .enum(['reject', 'unsure'])
      .meta({ id: 'UnmatchedResultResolutionAction' })
      .describe('Reject the result, or put it back as unsure.'),
    note: ReviewNote,
  })
  .meta({ id: 'ResolveUnmatchedResultBody' });
export type ResolveUnmatchedResult = z.output<typeof ResolveUnmatchedResult>;

/** What a review is shown with: the laboratories, and the current steps of its candidate orders. */
interface ReviewContext {
  readonly labs: readonly Lab[];
  readonly steps: ReadonlyMap<string, OrderStep>;
}

export function viewUnmatched(review: IncomingResult, { labs, steps }: ReviewContext): UnmatchedResult {
  const { report } = review;
  const lab = labs.find(({ slug }) => slug === report.lab);
  const candidates = review.candidates.filter(({ order_id: id }) => steps.has(id));
  return {
    id: review.id,
    status: review.status,
    decision_code: review.decision_code,
    sub_reason_codes: review.sub_reason_codes,
    reason: describeReviewReason(review),
    patient: report.patient && {
      first_name: report.patient.firstName,
      last_name: report.patient.lastName,
      dob: report.patient.dob && `${report.patient.dob}T00:00:00+00:00`,
    },
    lab: { id: lab?.id ?? 0, name: lab?.name ?? report.lab, slug: report.lab },
    tests: testsOf(review),
    allowed_actions: actionsOf(review, candidates.length > 0),
    candidate_groups: groupsOf(candidates, steps),
    created_at: isoTimestamp(review.created_at),
    updated_at: isoTimestamp(review.updated_at),
    reviewed_at: review.reviewed_at && isoTimestamp(review.reviewed_at),
  };
}

/** The actions that are still possible: none after a decision, and no second escalation. */
function actionsOf({ status }: IncomingResult, hasCandidates: boolean): UnmatchedResult['allowed_actions'] {
  if (status === 'matched' || status === 'resolved') return [];
  return [
    ...(hasCandidates ? (['accept'] as const) : []),
    'accept_but_not_one_of_suggested_outcomes',
    'reject',
    ...(status === 'pending_customer_review' ? (['unsure'] as const) : []),
  ];
}

function testsOf({ report }: IncomingResult): UnmatchedResult['tests'] {
  const tests = report.observations.map(({ test }) => ({ provider_id: test.code, name: test.name }));
  return [...new Map(tests.map((test) => [JSON.stringify(test), test])).values()];
}

function groupsOf(
  candidates: readonly StoredMatchCandidate[],
  steps: ReviewContext['steps'],
): UnmatchedResult['candidate_groups'] {
  const users = [...new Set(candidates.map(({ user_id: id }) => id))];
  return users.map((userId) => ({
    user_id: userId,
    candidates: candidates
      .filter(({ user_id: id }) => id === userId)
      .map((candidate) => viewCandidate(candidate, steps.get(candidate.order_id) ?? null)),
  }));
}

const viewCandidate = (
  candidate: StoredMatchCandidate,
  step: OrderStep | null,
): z.input<typeof ReviewCandidate> => ({
  candidate_type: candidate.type,
  order_id: candidate.order_id,
  order_transaction_id: candidate.order_transaction_id,
  last_status: step,
  confidence_level: candidate.confidence,
  confidence_score: candidate.score / 100,
  reasons: [...candidate.reasons],
  marker_overlap: { ...candidate.overlap },
  status_context: {
    status: step && publicStatus(candidate.modality, step),
    status_at_arrival: publicStatus(candidate.modality, candidate.step),
    hindrance: candidate.hindrance,
  },
});
