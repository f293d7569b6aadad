import type { z } from 'zod';
import type { App } from '../../app.ts';
import { readTenant } from '../../app.ts';
import { DomainError, requireFound, invalidField } from '../../platform/errors.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import type { UploadedFile } from '../../platform/http/multipart.ts';
import { newId } from '../../platform/ids.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { getUser } from '../../users/users/users.ts';
import { FILE_KINDS, HEAD_BYTES, detectKind, UnreadableFile, type FileKind } from '../files/files.ts';
import { readHead } from './files.ts';
import { attachFile } from './file-store.ts';
import { UploadOutcome, type WearableFileView } from './schema.ts';
import * as store from './store.ts';
import { UPLOAD_STATUSES, type UploadStatus } from './status.ts';

const PENDING_MAX = 100;
const RETRY_AFTER_SECONDS = 60;

interface SubmittedFile {
  readonly userId: string;
  readonly file: UploadedFile;
}

/** Validates an upload and returns its kind. 404: no user, 422: unsupported format, 429: too many pending files. */
export async function validateUpload(
  app: App,
  tenant: Tenant,
  { userId, file }: SubmittedFile,
): Promise<FileKind> {
  await readTenant(app, tenant, async (work) => {
    await getUser(work, userId);
    if ((await store.countWaiting(work, PENDING_MAX)) >= PENDING_MAX) {
      throw new DomainError(
        'too_many',
        `${PENDING_MAX} files are already waiting to be read`,
        RETRY_AFTER_SECONDS,
      );
    }
  });
  if (file.bytes === 0) throw invalidField(['body', 'file'], 'The file is empty');
  const kind = tryDetectKind(await readHead(app, { tenant, id: file.key }, HEAD_BYTES));
  if (kind instanceof UnreadableFile) throw invalidField(['body', 'file'], kind.message);
  if (!kind) throw invalidField(['body', 'file'], 'Expected FIT, TCX, GPX or an Apple Health export');
  return kind;
}

function tryDetectKind(head: Buffer): FileKind | undefined | UnreadableFile {
  try {
    return detectKind(head);
  } catch (error) {
    if (error instanceof UnreadableFile) return error;
    throw error;
  }
}

/** Enqueues a validated file. */
export async function submitUpload(
  work: Work,
  { userId, file }: SubmittedFile,
  kind: FileKind,
): Promise<z.input<typeof WearableFileView>> {
  const user = await getUser(work, userId);
  const id = newId();
  await store.insertUpload(work, { id, userId: user.id, kind, bytes: file.bytes });
  if (!(await attachFile(work, file.key, id))) throw new Error('The file of the upload no longer exists');
  work.wakeups.add('uploads');
  return toUploadView(work, requireFound(await store.lockUpload(work, id), 'Wearable file'));
}

export const OUTCOME_CONTEXT = 'wearable_upload.outcome';

const EMPTY_OUTCOME: UploadOutcome = {
  failure_reason: null,
  failure_message: null,
  counts: {},
  skipped: {},
  faults: [],
  fault_count: 0,
};

export const getStatus = ({ status }: Pick<store.UploadRow, 'status'>): UploadStatus =>
  isUploadStatus(status) ? status : 'failed';
const isUploadStatus = (status: string): status is UploadStatus => status in UPLOAD_STATUSES;

export const getKind = ({ kind }: Pick<store.UploadRow, 'kind'>): FileKind =>
  FILE_KINDS.find((one) => one === kind) ?? 'fit';

export function toUploadView({ cipher }: Work, row: store.UploadRow): z.input<typeof WearableFileView> {
  const outcome = row.outcome
    ? UploadOutcome.parse(JSON.parse(cipher.open(row.outcome, OUTCOME_CONTEXT)))
    : EMPTY_OUTCOME;
  return {
    id: row.id,
    user_id: row.user_id,
    status: getStatus(row),
    kind: getKind(row),
    bytes: Number(row.bytes),
    progress: row.progress / 1000,
    ...outcome,
    created_at: isoTimestamp(row.created_at),
    updated_at: isoTimestamp(row.updated_at),
  };
}
