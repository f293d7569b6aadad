import { defineEvent } from '../../events/events.ts';
import { MatchReview } from './match-review.ts';

export const matchReviewCreated = defineEvent({
  type: 'labtest.match_review.created',
  when: 'A result arrived that matches no order with certainty. It waits to be accepted or resolved.',
  data: MatchReview,
});
