import type { IncomingResult } from '../incoming-results/incoming-results.ts';

// prettier-ignore
const REASONS: Readonly<Record<IncomingResult['decision_code'], string>> = {
  match_sample_id:               'The report names an order, and the patient matches.',
  match_completed:               'The report names an order that already has results, or ended without results.',
  match_cancelled:               'The report names an order that was cancelled.',
  wrong_collection:              'The patient matches, but the collection method differs from the order.',
  wrong_lab:                     'The report matches an order that was placed with another laboratory.',
  multiple_demo_match:           'The report matches several orders.',
  match_sample_id_mismatch_demo: 'The report names an order, but the patient does not match with certainty.',
  match_demo:                    'The report names no order; the patient matches one order.',
  no_match:                      'The report names no order, and the patient matches none.',
};

/** Why the result needs a review, in a sentence. */
export function describeReviewReason({
  decision_code: code,
  sub_reason_codes: subReasons,
  candidates,
}: IncomingResult): string {
  if (candidates.some(({ hindrance }) => hindrance === 'not_registered')) {
    return 'The report names a test kit that is not registered, so the patient is unknown.';
  }
  if (code === 'match_sample_id' && subReasons.includes('lab_account_mismatch')) {
    return 'The report names an order and the patient matches, but it was sent for another laboratory account.';
  }
  return REASONS[code];
}
