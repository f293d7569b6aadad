import { sql } from 'kysely';
import {
  NOTHING_REMOVED,
  type Removal,
  type RemovalStep,
  type RemovedCount,
} from '../platform/db/removal.ts';
import type { Work } from '../platform/work.ts';
import './table.ts';

/**
 * Detaches the files of old jobs; the cleaner of files then deletes them within a minute. Files of a job that is not
 * read yet, or waits for a review, stay.
 */
export async function expireReportFiles(
  { tx, tenant: { teamId, environment } }: Work,
  { before, limit }: RemovalStep,
): Promise<Removal> {
  const { rows } = await sql<RemovedCount>`
    with old as (
      select f.id, j.created_at from lab_report_file f
      join lab_report_job j on j.team_id = f.team_id and j.environment = f.environment and j.id = f.job_id
      where f.team_id = ${teamId} and f.environment = ${environment} and j.status in ('completed', 'failed')
        and j.created_at < ${before}
      order by f.id limit ${limit}),
    gone as (
      update lab_report_file f set job_id = null from old
      where f.team_id = ${teamId} and f.environment = ${environment} and f.id = old.id
      returning old.created_at)
    select count(*)::int as deleted, min(created_at) as oldest, max(created_at) as newest from gone`.execute(
    tx,
  );
  const removed = rows[0] ?? NOTHING_REMOVED;
  return { ...removed, next: removed.deleted === limit ? 'more' : null };
}
