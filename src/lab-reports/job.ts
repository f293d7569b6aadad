import type { z } from 'zod';
import { emit } from '../events/events.ts';
import type { Work } from '../platform/work.ts';
import { parsingJobUpdated } from './events.ts';
import { Extraction, reportOf } from './extraction.ts';
import type { ParsingJobView } from './schema.ts';
import { ParsingJobFailureReason, ParsingJobStatus } from './schema.ts';
import { canMove, type Status } from './status.ts';
import * as store from './store.ts';

const PLACE = 'lab_report_job.data';

export const sealExtraction = ({ cipher }: Pick<Work, 'cipher'>, extraction: Extraction): Buffer =>
  cipher.seal(JSON.stringify(extraction), PLACE);

/** What was read of a report; null as long as nothing was. */
export const extractionOf = (
  { cipher }: Pick<Work, 'cipher'>,
  { data }: Pick<store.JobRow, 'data'>,
): Extraction | null => (data === null ? null : Extraction.parse(JSON.parse(cipher.open(data, PLACE))));

export const statusOf = ({ status }: Pick<store.JobRow, 'status'>): Status => ParsingJobStatus.parse(status);

export function viewJob(work: Pick<Work, 'cipher'>, job: store.JobRow): z.input<typeof ParsingJobView> {
  const extraction = extractionOf(work, job);
  return {
    id: job.id,
    job_id: job.id,
    status: statusOf(job),
    failure_reason: ParsingJobFailureReason.nullable().parse(job.failure_reason),
    data: extraction && reportOf(extraction),
    needs_human_review: job.needs_human_review,
    is_reviewed: job.is_reviewed,
  };
}

export const subjectOfJob = (job: store.JobRow) => ({
  userId: job.user_id,
  clientUserId: job.client_user_id,
});

/** The only way a job, which the work holds, comes to another status: with its event. */
export async function advance(work: Work, job: store.JobRow, move: store.Move): Promise<store.JobRow> {
  const from = statusOf(job);
  if (!canMove(from, move.status)) throw new Error(`A parsing job cannot go from ${from} to ${move.status}`);
  await store.moveJob(work, job.id, move);
  const moved = { ...job, ...move, updated_at: work.now };
  await emit(work, parsingJobUpdated, { subject: subjectOfJob(moved), data: viewJob(work, moved) });
  return moved;
}
