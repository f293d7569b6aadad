import { sql } from 'kysely';
import type { Work } from '../platform/work.ts';
import { openFileStore } from '../stored-files/stored-files.ts';
import './table.ts';

/** The rows of all files, with or without a job. */
export const fileRows = openFileStore('lab_report_file', 'job_id');

/** The ids of the tenant's files after `after`, in ascending order. */
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

export async function hasFile({ tx, tenant }: Work, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('lab_report_file')
    .select('id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}

/** Attaches the files to a job, in the given order. Returns how many were attached: those without a job. */
export async function attachFiles(
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

export interface JobFile {
  readonly id: string;
  readonly type: string;
}

/** The files of a job, in page order. */
export async function listFiles({ tx, tenant }: Work, jobId: string): Promise<JobFile[]> {
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
