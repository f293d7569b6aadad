import { z } from 'zod';
import { isoTimestamp } from '../platform/clock.ts';
import { DomainError, requireFound, invalidField } from '../platform/errors.ts';
import type { Work } from '../platform/work.ts';
import { applyCorrections } from './apply-corrections.ts';
import { advanceJob, openExtraction, sealExtraction, statusOf } from './job.ts';
import { ReviewChange, ReviewParsingJobBody, type LabReportReviewView } from './review-schema.ts';
import { findReview, insertReview } from './review-store.ts';
import * as store from './store.ts';

const CHANGES = 'lab_report_review.changes';
const REVIEWER = 'lab_report_review.reviewer';

/**
 * Applies a review to a job in `pending_review` and completes it. 409 for a job in another status: of two concurrent
 * reviews, the second gets that error.
 */
export async function reviewJob(
  work: Work,
  { jobId, review, keyId }: { jobId: string; review: ReviewParsingJobBody; keyId: string },
): Promise<store.ParsingJobRow> {
  const job = requireFound(await store.lockJob(work, jobId, 'living'), 'Parsing job');
  const read = openExtraction(work, job);
  if (statusOf(job) !== 'pending_review' || !read) {
    const why = job.is_reviewed ? 'it is already reviewed' : `its status is ${job.status}`;
    throw new DomainError('conflict', `The parsing job is not pending review: ${why}`);
  }
  rejectUnknownFields(review);
  const { extraction, changes } = applyCorrections(read, review);
  await insertReview(work, {
    job_id: job.id,
    key_id: keyId,
    reviewer: review.reviewer === null ? null : work.cipher.seal(review.reviewer, REVIEWER),
    changes: work.cipher.seal(JSON.stringify(changes), CHANGES),
    reviewed_at: work.now,
  });
  return advanceJob(work, job, {
    status: 'completed',
    is_reviewed: true,
    data: sealExtraction(work, extraction),
  });
}

function rejectUnknownFields(review: ReviewParsingJobBody): void {
  const unknown = Object.keys(review).find((key) => !Object.hasOwn(ReviewParsingJobBody.shape, key));
  if (unknown === undefined) return;
  throw invalidField(
    ['body', unknown],
    `unknown field: expected one of ${Object.keys(ReviewParsingJobBody.shape).join(', ')}`,
  );
}

/** The review of a job: reviewer, time, and changes. */
export async function viewReview(work: Work, jobId: string): Promise<z.input<typeof LabReportReviewView>> {
  const job = requireFound(await store.findJob(work, jobId), 'Parsing job');
  const review = requireFound(await findReview(work, job.id), 'Review');
  return {
    job_id: job.id,
    reviewed_at: isoTimestamp(review.reviewed_at),
    key_id: review.key_id,
    reviewer: review.reviewer && work.cipher.open(review.reviewer, REVIEWER),
    changes: z.array(ReviewChange).parse(JSON.parse(work.cipher.open(review.changes, CHANGES))),
  };
}
