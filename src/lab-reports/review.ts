import { z } from 'zod';
import { isoMoment } from '../platform/clock.ts';
import { DomainError, found, invalidField } from '../platform/errors.ts';
import type { Work } from '../platform/work.ts';
import { correct } from './correct.ts';
import { advance, extractionOf, sealExtraction, statusOf } from './job.ts';
import { Change, ReviewParsingJob, type ReviewView } from './review-schema.ts';
import { findReview, insertReview } from './review-store.ts';
import * as store from './store.ts';

const CHANGES = 'lab_report_review.changes';
const REVIEWER = 'lab_report_review.reviewer';

/**
 * Completes a job that waits for a person, with that person's corrections. 409 for a job that does not wait: of two
 * reviewers at once the second one is told that the first was there.
 */
export async function reviewJob(
  work: Work,
  { jobId, review, keyId }: { jobId: string; review: ReviewParsingJob; keyId: string },
): Promise<store.JobRow> {
  const job = found(await store.lockJob(work, jobId, 'living'), 'Parsing job');
  const read = extractionOf(work, job);
  if (statusOf(job) !== 'pending_review' || !read) {
    const why = job.is_reviewed ? 'it was reviewed already' : `its status is ${job.status}`;
    throw new DomainError('conflict', `The parsing job does not wait for a review: ${why}`);
  }
  requireKnown(review);
  const { extraction, changes } = correct(read, review);
  await insertReview(work, {
    job_id: job.id,
    key_id: keyId,
    reviewer: review.reviewer === null ? null : work.cipher.seal(review.reviewer, REVIEWER),
    changes: work.cipher.seal(JSON.stringify(changes), CHANGES),
    reviewed_at: work.now,
  });
  return advance(work, job, {
    status: 'completed',
    is_reviewed: true,
    data: sealExtraction(work, extraction),
  });
}

function requireKnown(review: ReviewParsingJob): void {
  const unknown = Object.keys(review).find((key) => !Object.hasOwn(ReviewParsingJob.shape, key));
  if (unknown === undefined) return;
  throw invalidField(['body', unknown], `expected ${Object.keys(ReviewParsingJob.shape).join(', ')}`);
}

/** Who reviewed a report, when, and what that changed. */
export async function viewReview(work: Work, jobId: string): Promise<z.input<typeof ReviewView>> {
  const job = found(await store.findJob(work, jobId), 'Parsing job');
  const review = found(await findReview(work, job.id), 'Review');
  return {
    job_id: job.id,
    reviewed_at: isoMoment(review.reviewed_at),
    key_id: review.key_id,
    reviewer: review.reviewer && work.cipher.open(review.reviewer, REVIEWER),
    changes: z.array(Change).parse(JSON.parse(work.cipher.open(review.changes, CHANGES))),
  };
}
