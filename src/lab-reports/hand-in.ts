import type { z } from 'zod';
import { readTenant, type App } from '../app.ts';
import { emit } from '../events/events.ts';
import { teamSettings } from '../management/management.ts';
import { DomainError } from '../platform/errors.ts';
import type { UploadedFile } from '../platform/http/multipart.ts';
import { newId } from '../platform/ids.ts';
import type { Tenant } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';
import { getUser } from '../users/users.ts';
import { parsingJobCreated } from './events.ts';
import { giveFiles } from './file-store.ts';
import { subjectOfJob, viewJob } from './job.ts';
import type { CreateParsingJob } from './schema.ts';
import * as store from './store.ts';
import type { CheckedFiles, Workshop } from './workshop.ts';

export type HandIn = z.output<typeof CreateParsingJob>;

const RETRY_AFTER_SECONDS = 60;

/**
 * Everything that may be wrong with an upload, before anything of it counts: 404 for the user, 400 for a review that
 * the team has off and for files that are not one report, 429 for a line that is too long. The files are opened by a
 * process of their own.
 */
export async function checkHandIn(
  app: App,
  workshop: Workshop,
  { tenant, body }: { tenant: Tenant; body: HandIn },
): Promise<CheckedFiles> {
  const { LAB_REPORT_QUEUE: most } = app.config;
  await readTenant(app, tenant, (work) => requirePlace(work, body, most));
  return workshop.check(tenant, body.file);
}

async function requirePlace(work: Work, body: HandIn, most: number): Promise<void> {
  await getUser(work, body.user_id);
  if (body.needs_human_review && !(await teamSettings(work)).lab_report_review_enabled) {
    throw new DomainError(
      'bad_request',
      'The review of lab reports is not enabled for this team (lab_report_review_enabled)',
    );
  }
  if ((await store.countWaiting(work, most)) >= most) {
    throw new DomainError('too_many', `${most} lab reports wait to be read already`, RETRY_AFTER_SECONDS);
  }
}

/** Begins the reading of a report whose files were checked. */
export async function handIn(work: Work, body: HandIn, checked: CheckedFiles): Promise<store.JobRow> {
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
  const given = await giveFiles(work, id, files);
  if (given < files.length) throw new Error('The files of the upload are gone');
  const job: store.JobRow = {
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
  work.rings.add('reports');
  return job;
}
