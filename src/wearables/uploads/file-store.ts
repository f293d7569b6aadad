import type { Tx } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { ENVIRONMENTS } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import type { StrayFile } from '../../stored-files/stored-files.ts';
import './table.ts';

/** Notes a file that is about to be written. */
export async function insertFile({ tx, tenant }: Work, id: string, madeAt: Date): Promise<void> {
  await tx
    .insertInto('wearable_file')
    .values({ ...tenantColumns(tenant), id, upload_id: null, made_at: madeAt })
    .execute();
}

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

/** Of these files, those that belong to no upload; waits for who is giving them to one. */
export async function listNobodys({ tx, tenant }: Work, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await tx
    .selectFrom('wearable_file')
    .select('id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', 'in', [...ids])
    .where('upload_id', 'is', null)
    .forUpdate()
    .execute();
  return rows.map(({ id }) => id);
}

/** Files of all tenants that belong to no upload, made before a moment; oldest first. */
export async function listStrays(tx: Tx, before: Date, most: number): Promise<StrayFile[]> {
  const rows = await tx
    .selectFrom('wearable_file')
    .select(['team_id', 'environment', 'id'])
    .where('upload_id', 'is', null)
    .where('made_at', '<=', before)
    .orderBy('made_at')
    .limit(most)
    .execute();
  return rows.map((row) => ({
    tenant: {
      teamId: row.team_id,
      environment: ENVIRONMENTS.find((name) => name === row.environment) ?? 'sandbox',
    },
    id: row.id,
  }));
}

/** Forgets a file that is gone from the storage. */
export async function deleteFile(tx: Tx, { tenant, id }: StrayFile): Promise<void> {
  await tx
    .deleteFrom('wearable_file')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('upload_id', 'is', null)
    .execute();
}
