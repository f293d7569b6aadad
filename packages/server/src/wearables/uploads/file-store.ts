import type { Work } from '../../platform/work.ts';
import { openFileStore } from '../../stored-files/stored-files.ts';
import './table.ts';

/** The rows of all files, attached to an upload or not. */
export const fileRows = openFileStore('wearable_file', 'upload_id');

/** Attaches a file to an upload. Returns false if it does not exist or is already attached. */
export async function attachFile({ tx, tenant }: Work, id: string, uploadId: string): Promise<boolean> {
  const given = await tx
    .updateTable('wearable_file')
    .set({ upload_id: uploadId })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('upload_id', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return given !== undefined;
}

/** Detaches the file of an upload, so that the next cleanup deletes it. */
export async function detachFile({ tx, tenant }: Work, uploadId: string): Promise<void> {
  await tx
    .updateTable('wearable_file')
    .set({ upload_id: null })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('upload_id', '=', uploadId)
    .execute();
}

export async function findFileId({ tx, tenant }: Work, uploadId: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('wearable_file')
    .select('id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('upload_id', '=', uploadId)
    .executeTakeFirst();
  return row?.id;
}
