import { sql } from 'kysely';
import type { Tx } from '../platform/db/database.ts';
import { tenantColumns } from '../platform/db/tenant-rows.ts';
import { ENVIRONMENTS } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';
import type { StrayFile } from '../stored-files/stored-files.ts';
import './table.ts';

/** Notes a file that is about to be written. */
export async function insertFile({ tx, tenant }: Work, id: string, madeAt: Date): Promise<void> {
  await tx
    .insertInto('lab_report_file')
    .values({ ...tenantColumns(tenant), id, job_id: null, place: null, media_type: null, made_at: madeAt })
    .execute();
}

/** The ids of the tenant's files behind one, in their order. */
export async function listFileIds(
  { tx, tenant }: Work,
  { after, limit }: { after: string | null; limit: number },
): Promise<string[]> {
  let query = tx
    .selectFrom('lab_report_file')
    .select('id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);
  if (after !== null) query = query.where('id', '>', after);
  return (await query.orderBy('id').limit(limit).execute()).map(({ id }) => id);
}

export async function isFile({ tx, tenant }: Work, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('lab_report_file')
    .select('id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}

/** Gives the files to a job, in their order. Answers how many there were to give. */
export async function giveFiles(
  { tx, tenant }: Work,
  jobId: string,
  files: readonly { id: string; type: string }[],
): Promise<number> {
  const ids = files.map(({ id }) => id);
  const types = files.map(({ type }) => type);
  const { rows } = await sql`
    update lab_report_file f set job_id = ${jobId}, place = given.place, media_type = given.media_type
    from unnest(${ids}::uuid[], ${types}::text[]) with ordinality as given (id, media_type, place)
    where f.team_id = ${tenant.teamId} and f.environment = ${tenant.environment}
      and f.id = given.id and f.job_id is null
    returning f.id`.execute(tx);
  return rows.length;
}

export interface FileOfJob {
  readonly id: string;
  readonly type: string;
}

/** The files of a job, in their order. */
export async function listFiles({ tx, tenant }: Work, jobId: string): Promise<FileOfJob[]> {
  const rows = await tx
    .selectFrom('lab_report_file')
    .select(['id', 'media_type'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('job_id', '=', jobId)
    .orderBy('place')
    .execute();
  return rows.map(({ id, media_type: type }) => ({ id, type: type ?? '' }));
}

/** Of these files, those that belong to no job; waits for who is giving them to one. */
export async function listNobodys({ tx, tenant }: Work, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await tx
    .selectFrom('lab_report_file')
    .select('id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', 'in', [...ids])
    .where('job_id', 'is', null)
    .forUpdate()
    .execute();
  return rows.map(({ id }) => id);
}

/** Files of all tenants that belong to no job, made before a moment; oldest first. */
export async function listStrays(tx: Tx, before: Date, most: number): Promise<StrayFile[]> {
  const rows = await tx
    .selectFrom('lab_report_file')
    .select(['team_id', 'environment', 'id'])
    .where('job_id', 'is', null)
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

/** Forgets files that are gone from the storage. */
export async function deleteFile(tx: Tx, { tenant, id }: StrayFile): Promise<void> {
  await tx
    .deleteFrom('lab_report_file')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('job_id', 'is', null)
    .execute();
}
