import type { z } from 'zod';
import type { App } from '../../app.ts';
import { readTenant } from '../../app.ts';
import { DomainError, found, invalidField } from '../../platform/errors.ts';
import { isoMoment } from '../../platform/clock.ts';
import type { UploadedFile } from '../../platform/http/multipart.ts';
import { newId } from '../../platform/ids.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { getUser } from '../../users/users.ts';
import { FILE_KINDS, HEAD_BYTES, kindOf, UnreadableFile, type FileKind } from '../files/files.ts';
import { headOf } from './files.ts';
import { giveFile } from './file-store.ts';
import { Outcome, type WearableFileView } from './schema.ts';
import * as store from './store.ts';
import { UPLOAD_STATUSES, type UploadStatus } from './status.ts';

const WAITING_MAX = 100;
const RETRY_AFTER_SECONDS = 60;

interface HandedIn {
  readonly userId: string;
  readonly file: UploadedFile;
}

/** What a file is that was handed in: 404 for the user, 422 for a file of none of the kinds, 429 for a long line. */
export async function checkHandIn(app: App, tenant: Tenant, { userId, file }: HandedIn): Promise<FileKind> {
  await readTenant(app, tenant, async (work) => {
    await getUser(work, userId);
    if ((await store.countWaiting(work, WAITING_MAX)) >= WAITING_MAX) {
      throw new DomainError('too_many', `${WAITING_MAX} files wait to be read already`, RETRY_AFTER_SECONDS);
    }
  });
  if (file.bytes === 0) throw invalidField(['body', 'file'], 'The file is empty');
  const kind = kindOrRefusal(await headOf(app, { tenant, id: file.key }, HEAD_BYTES));
  if (kind instanceof UnreadableFile) throw invalidField(['body', 'file'], kind.message);
  if (!kind) throw invalidField(['body', 'file'], 'Expected FIT, TCX, GPX or an export of Apple Health');
  return kind;
}

function kindOrRefusal(head: Buffer): FileKind | undefined | UnreadableFile {
  try {
    return kindOf(head);
  } catch (error) {
    if (error instanceof UnreadableFile) return error;
    throw error;
  }
}

/** Puts a file that was looked at into the line. */
export async function handIn(
  work: Work,
  { userId, file }: HandedIn,
  kind: FileKind,
): Promise<z.input<typeof WearableFileView>> {
  const user = await getUser(work, userId);
  const id = newId();
  await store.insertUpload(work, { id, userId: user.id, kind, bytes: file.bytes });
  if (!(await giveFile(work, file.key, id))) throw new Error('The file of the upload is gone');
  work.rings.add('uploads');
  return viewUpload(work, found(await store.lockUpload(work, id), 'Wearable file'));
}

export const PLACE = 'wearable_upload.outcome';

const NOTHING: Outcome = {
  failure_reason: null,
  failure_message: null,
  counts: {},
  skipped: {},
  faults: [],
  fault_count: 0,
};

export const statusOf = ({ status }: Pick<store.UploadRow, 'status'>): UploadStatus =>
  isStatus(status) ? status : 'failed';
const isStatus = (status: string): status is UploadStatus => status in UPLOAD_STATUSES;

export const kindOfRow = ({ kind }: Pick<store.UploadRow, 'kind'>): FileKind =>
  FILE_KINDS.find((one) => one === kind) ?? 'fit';

export function viewUpload({ cipher }: Work, row: store.UploadRow): z.input<typeof WearableFileView> {
  const outcome = row.outcome ? Outcome.parse(JSON.parse(cipher.open(row.outcome, PLACE))) : NOTHING;
  return {
    id: row.id,
    user_id: row.user_id,
    status: statusOf(row),
    kind: kindOfRow(row),
    bytes: Number(row.bytes),
    progress: row.progress / 1000,
    ...outcome,
    created_at: isoMoment(row.created_at),
    updated_at: isoMoment(row.updated_at),
  };
}
