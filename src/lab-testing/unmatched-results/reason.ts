import type { Incoming } from '../incoming-results/incoming-results.ts';

// prettier-ignore
const REASONS: Readonly<Record<Incoming['decision_code'], string>> = {
  match_sample_id:               'The report names an order and its patient agrees.',
  match_completed:               'The report names an order that has its results already, or is over without any.',
  match_cancelled:               'The report names an order that was cancelled.',
  wrong_collection:              'The patient agrees, but the sample cannot have been collected in the way that was ordered.',
  wrong_lab:                     'The report fits an order that was placed with another laboratory.',
  multiple_demo_match:           'The report fits several orders.',
  match_sample_id_mismatch_demo: 'The report names an order, but its patient does not agree safely with the patient of the order.',
  match_demo:                    'The report names no order; its patient agrees with the patient of one order.',
  no_match:                      'The report names no order, and its patient agrees with the patient of none.',
};

/** Why a person was asked, in a sentence. */
export function reasonOf({
  decision_code: code,
  sub_reason_codes: subReasons,
  candidates,
}: Incoming): string {
  if (candidates.some(({ hindrance }) => hindrance === 'not_registered')) {
    return 'The report names a test kit that nobody has registered: whose sample it is is not known.';
  }
  if (code === 'match_sample_id' && subReasons.includes('lab_account_mismatch')) {
    return 'The report names an order and its patient agrees, but it came for another account with the laboratory.';
  }
  return REASONS[code];
}
