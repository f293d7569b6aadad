import { tenantColumns } from '../platform/db/tenant-rows.ts';
import type { Work } from '../platform/work.ts';
import './table.ts';

interface ReviewRow {
  readonly job_id: string;
  readonly key_id: string;
  readonly reviewer: Buffer | null;
  readonly changes: Buffer;
  readonly reviewed_at: Date;
}

export async function insertReview({ tx, tenant }: Work, review: ReviewRow): Promise<void> {
  await tx
    .insertInto('lab_report_review')
    .values({ ...tenantColumns(tenant), ...review })
    .execute();
}

export const findReview = ({ tx, tenant }: Work, jobId: string): Promise<ReviewRow | undefined> =>
  tx
    .selectFrom('lab_report_review')
    .select(['job_id', 'key_id', 'reviewer', 'changes', 'reviewed_at'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('job_id', '=', jobId)
    .executeTakeFirst();
