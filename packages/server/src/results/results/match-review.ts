import { z } from 'zod';

export const MatchReviewStatus = z
  .enum(['matched', 'pending_customer_review', 'pending_ops_review', 'resolved'])
  .meta({ id: 'MatchReviewStatus' });

/** How a result was matched to an order, or why it was not. */
// prettier-ignore
export const MatchDecisionCode = z
  .enum([
    'match_sample_id', 'match_completed', 'match_cancelled', 'wrong_collection', 'wrong_lab',
    'multiple_demo_match', 'match_sample_id_mismatch_demo', 'match_demo', 'no_match',
  ])
  .meta({ id: 'MatchDecisionCode' });

export const MatchSubReasonCode = z.enum(['lab_account_mismatch']).meta({ id: 'MatchSubReasonCode' });

/** The event payload for an unmatched result. The result itself is read from the API. */
export const MatchReview = z
  .object({
    id: z.guid().describe('The id of the unmatched result.'),
    status: MatchReviewStatus,
    decision_code: MatchDecisionCode,
    sub_reason_codes: z.array(MatchSubReasonCode),
  })
  .meta({ id: 'MatchReviewWebhookPayload' });
