import { defineEvent } from '../../events/events.ts';
import { MatchReview } from './match-review.ts';

export const matchReviewCreated = defineEvent({
  type: 'labtest.match_review.created',
  when: 'A result came that fits no order safely; it waits for somebody to accept or resolve it.',
  data: MatchReview,
});
