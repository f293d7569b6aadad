import type { z } from 'zod';
import { readTenant, type App } from '../app.ts';
import { emit } from '../events/events.ts';
import { readTeamSettings } from '../identity/management/management.ts';
import { DomainError } from '../platform/errors.ts';
import type { UploadedFile } from '../platform/http/multipart.ts';
import { newId } from '../platform/ids.ts';
import type { Tenant } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';
import { getUser } from '../users/users/users.ts';
import { parsingJobCreated } from './events.ts';
import { attachFiles } from './file-store.ts';
import { subjectOfJob, viewJob } from './job.ts';
import type { CreateParsingJobBody } from './schema.ts';
import * as store from './store.ts';
import type { CheckedFiles, ReaderPool } from './reader-pool.ts';

type ParsingJobRequest = z.output<typeof CreateParsingJobBody>;

const RETRY_AFTER_SECONDS = 60;

/**
 * Validates an upload before it has any effect: 404 for an unknown user, 400 if human review is off for the team or
 * the files are not one report, 429 if the queue is full. A separate process opens the files.
 */
export async function checkUpload(
  app: App,
  workshop: ReaderPool,
  { tenant, body }: { tenant: Tenant; body: ParsingJobRequest },
): Promise<CheckedFiles> {
  const { LAB_REPORT_QUEUE: most } = app.config;
  await readTenant(app, tenant, (work) => requireCapacity(work, body, most));
  return workshop.check(tenant, body.file);
}

async function requireCapacity(work: Work, body: ParsingJobRequest, most: number): Promise<void> {
  await getUser(work, body.user_id);
  if (body.needs_human_review && !(await readTeamSettings(work)).lab_report_review_enabled) {
    throw new DomainError(
      'bad_request',
      'Human review is off for this team: enable lab_report_review_enabled, or omit needs_human_review',
    );
  }
  if ((await store.countWaiting(work, most)) >= most) {
    throw new DomainError(
      'too_many',
      `The queue is full: ${most} lab reports of this team are waiting. Retry later`,
      RETRY_AFTER_SECONDS,
    );
  }
}

/** Creates the parsing job of a checked upload, and wakes the readers. */
export async function createParsingJob(
  work: Work,
  body: ParsingJobRequest,
  checked: CheckedFiles,
): Promise<store.ParsingJobRow> {
  const user = await getUser(work, body.user_id);
  const id = newId();
  await store.insertJob(work, {
    id,
    userId: user.id,
    needsHumanReview: body.needs_human_review,
    pages: checked.pages,
  });
  const files = body.file.map(({ key }: UploadedFile, index) => ({
    id: key,
    type: checked.types[index] ?? '',
  }));
  const given = await attachFiles(work, id, files);
  if (given < files.length) throw new Error('The files of the upload are gone');
  const job: store.ParsingJobRow = {
    id,
    user_id: user.id,
    client_user_id: user.clientUserId,
    status: 'upload_pending',
    failure_reason: null,
    needs_human_review: body.needs_human_review,
    is_reviewed: false,
    pages: checked.pages,
    data: null,
    created_at: work.now,
    updated_at: work.now,
  };
  await emit(work, parsingJobCreated, { subject: subjectOfJob(job), data: viewJob(work, job) });
  work.wakeups.add('reports');
  return job;
}
