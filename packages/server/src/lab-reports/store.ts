import { sql, type Selectable } from 'kysely';
import type { Database, Tx } from '../platform/db/database.ts';
import { precompileQuery } from '../platform/db/precompiled-query.ts';
import { tenantColumns } from '../platform/db/tenant-rows.ts';
import { openLeasedQueue } from '../platform/jobs/leased-queue.ts';
import type { TimedPosition } from '../platform/http/page.ts';
import type { Tenant } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';
import type { ReportJobStatus } from './status.ts';
import './table.ts';

export type ParsingJobRow = Omit<
  Selectable<Database['lab_report_job']>,
  'team_id' | 'environment' | 'lease_id' | 'leased_until' | 'tries'
> & { readonly client_user_id: string };

// prettier-ignore
const COLUMNS = [
  'j.id', 'j.user_id', 'j.status', 'j.failure_reason', 'j.needs_human_review', 'j.is_reviewed', 'j.pages', 'j.data',
  'j.created_at', 'j.updated_at', 'u.client_user_id',
] as const;

const withUser = (tx: Tx, { teamId, environment }: Tenant) =>
  tx
    .selectFrom('lab_report_job as j')
    .innerJoin('app_user as u', (join) =>
      join
        .onRef('u.team_id', '=', 'j.team_id')
        .onRef('u.environment', '=', 'j.environment')
        .onRef('u.id', '=', 'j.user_id'),
    )
    .select(COLUMNS)
    .where('j.team_id', '=', teamId)
    .where('j.environment', '=', environment);

const selectById = precompileQuery((tx, one: Tenant & { id: string }) =>
  withUser(tx, one).where('j.id', '=', one.id).where('u.deleted_at', 'is', null),
);

/** Finds a job, unless its user is deleted. */
export async function findJob({ tx, tenant }: Work, id: string): Promise<ParsingJobRow | undefined> {
  const [row] = await selectById(tx, { ...tenant, id });
  return row;
}

export interface InReviewRow {
  readonly id: string;
  readonly user_id: string;
  readonly client_user_id: string;
  readonly pages: number;
  readonly needs_human_review: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Jobs that wait for a review, the longest waiting first; answered by the index `lab_report_job_in_review`. */
export const listInReview = (
  { tx, tenant }: Work,
  { limit, after }: { limit: number; after: { updatedAt: Date; id: string } | undefined },
): Promise<InReviewRow[]> => {
  const query = withUser(tx, tenant)
    .clearSelect()
    .select(['j.id', 'j.user_id', 'u.client_user_id', 'j.pages', 'j.needs_human_review'])
    .select(['j.created_at', 'j.updated_at'])
    .where('j.status', '=', sql.lit('pending_review'))
    .where('u.deleted_at', 'is', null)
    .orderBy('j.updated_at')
    .orderBy('j.id')
    .limit(limit);
  const rest = after
    ? query.where(sql<boolean>`(j.updated_at, j.id) > (${after.updatedAt}, ${after.id})`)
    : query;
  return rest.execute();
};

export interface UserReportRow extends TimedPosition {
  readonly status: string;
  readonly failure_reason: string | null;
  readonly pages: number;
  readonly needs_human_review: boolean;
  readonly is_reviewed: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The jobs of a user, newest first; answered by the index `lab_report_job_by_user`. */
export async function listJobsOfUser(
  { tx, tenant }: Work,
  userId: string,
  { limit, after }: { limit: number; after: TimedPosition | undefined },
): Promise<UserReportRow[]> {
  const query = tx
    .selectFrom('lab_report_job')
    .select(['id', 'status', 'failure_reason', 'pages', 'needs_human_review', 'is_reviewed'])
    .select(['created_at', 'updated_at'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  const rows = await (
    after ? query.where(sql<boolean>`(created_at, id) < (${after.at}, ${after.id}::uuid)`) : query
  ).execute();
  return rows.map((row) => ({ ...row, at: row.created_at }));
}

/** Finds a job and locks it until the transaction ends. With `any`, also the job of a deleted user. */
export function lockJob(
  { tx, tenant }: Work,
  id: string,
  of: 'living' | 'any',
): Promise<ParsingJobRow | undefined> {
  const query = withUser(tx, tenant).where('j.id', '=', id).forUpdate('j');
  return (of === 'any' ? query : query.where('u.deleted_at', 'is', null)).executeTakeFirst();
}

interface NewParsingJob {
  readonly id: string;
  readonly userId: string;
  readonly needsHumanReview: boolean;
  readonly pages: number;
}

export async function insertJob({ tx, tenant, now }: Work, job: NewParsingJob): Promise<void> {
  await tx
    .insertInto('lab_report_job')
    .values({
      ...tenantColumns(tenant),
      id: job.id,
      user_id: job.userId,
      status: 'upload_pending',
      failure_reason: null,
      needs_human_review: job.needsHumanReview,
      is_reviewed: false,
      tries: 0,
      pages: job.pages,
      data: null,
      lease_id: null,
      leased_until: null,
      created_at: now,
      updated_at: now,
    })
    .execute();
}

export type ParsingJobUpdate = Partial<
  Pick<ParsingJobRow, 'failure_reason' | 'is_reviewed' | 'data' | 'pages'>
> & {
  readonly status: ReportJobStatus;
};

export async function updateJob(
  { tx, tenant, now }: Work,
  id: string,
  move: ParsingJobUpdate,
): Promise<void> {
  await tx
    .updateTable('lab_report_job')
    .set({ ...move, updated_at: now })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
}

/** The queue of reports that are waiting or being read. */
export const { countWaiting, claimNext, changeLease } = openLeasedQueue('lab_report_job', [
  'upload_pending',
  'started',
]);
