import type { Work } from '../../platform/work.ts';
import { openFileRows } from '../../stored-files/stored-files.ts';
import './table.ts';

/** The rows of all files, of uploads and of none. */
export const fileRows = openFileRows('wearable_file', 'upload_id');

/** Gives a file to an upload; answers whether it was there to give. */
export async function giveFile({ tx, tenant }: Work, id: string, uploadId: string): Promise<boolean> {
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

/** Takes the file of an upload away from it: the next round of tidying up removes it. */
export async function letGo({ tx, tenant }: Work, uploadId: string): Promise<void> {
  await tx
    .updateTable('wearable_file')
    .set({ upload_id: null })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('upload_id', '=', uploadId)
    .execute();
}

export async function fileOf({ tx, tenant }: Work, uploadId: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('wearable_file')
    .select('id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('upload_id', '=', uploadId)
    .executeTakeFirst();
  return row?.id;
}
