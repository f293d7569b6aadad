import type { z } from 'zod';
import { emit } from '../events/events.ts';
import type { Work } from '../platform/work.ts';
import { parsingJobUpdated } from './events.ts';
import { ReportExtraction, toReportView } from './extraction.ts';
import type { ParsingJobView } from './schema.ts';
import { ParsingJobFailureReason, ParsingJobStatus } from './schema.ts';
import { canMove, type ReportJobStatus } from './status.ts';
import * as store from './store.ts';

const EXTRACTION_CIPHER_CONTEXT = 'lab_report_job.data';

export const sealExtraction = ({ cipher }: Pick<Work, 'cipher'>, extraction: ReportExtraction): Buffer =>
  cipher.seal(JSON.stringify(extraction), EXTRACTION_CIPHER_CONTEXT);

/** Decrypts the extraction of a job; null until the report was read. */
export const openExtraction = (
  { cipher }: Pick<Work, 'cipher'>,
  { data }: Pick<store.ParsingJobRow, 'data'>,
): ReportExtraction | null =>
  data === null ? null : ReportExtraction.parse(JSON.parse(cipher.open(data, EXTRACTION_CIPHER_CONTEXT)));

export const statusOf = ({ status }: Pick<store.ParsingJobRow, 'status'>): ReportJobStatus =>
  ParsingJobStatus.parse(status);

export function viewJob(
  work: Pick<Work, 'cipher'>,
  job: store.ParsingJobRow,
): z.input<typeof ParsingJobView> {
  const extraction = openExtraction(work, job);
  return {
    id: job.id,
    job_id: job.id,
    status: statusOf(job),
    failure_reason: ParsingJobFailureReason.nullable().parse(job.failure_reason),
    data: extraction && toReportView(extraction),
    needs_human_review: job.needs_human_review,
    is_reviewed: job.is_reviewed,
  };
}

export const subjectOfJob = (job: store.ParsingJobRow) => ({
  userId: job.user_id,
  clientUserId: job.client_user_id,
});

/** Moves a locked job to another status and emits its event. The only way that the status of a job changes. */
export async function advanceJob(
  work: Work,
  job: store.ParsingJobRow,
  move: store.ParsingJobUpdate,
): Promise<store.ParsingJobRow> {
  const from = statusOf(job);
  if (!canMove(from, move.status)) throw new Error(`A parsing job cannot go from ${from} to ${move.status}`);
  await store.updateJob(work, job.id, move);
  const moved = { ...job, ...move, updated_at: work.now };
  await emit(work, parsingJobUpdated, { subject: subjectOfJob(moved), data: viewJob(work, moved) });
  return moved;
}
