import type { Selectable } from 'kysely';
import type { Database, Tx } from '../platform/db/database.ts';
import { readyQuery } from '../platform/db/ready-query.ts';
import { tenantColumns } from '../platform/db/tenant-rows.ts';
import { openLine } from '../platform/jobs/line.ts';
import type { Tenant } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';
import type { Status } from './status.ts';
import './table.ts';

export type JobRow = Omit<
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

const byId = readyQuery((tx, one: Tenant & { id: string }) =>
  withUser(tx, one).where('j.id', '=', one.id).where('u.deleted_at', 'is', null),
);

/** A job whose user is not deleted. */
export async function findJob({ tx, tenant }: Work, id: string): Promise<JobRow | undefined> {
  const [row] = await byId(tx, { ...tenant, id });
  return row;
}

/** The same, held until the work is over: nobody else moves it meanwhile. With `any`, of a deleted user too. */
export function lockJob({ tx, tenant }: Work, id: string, of: 'living' | 'any'): Promise<JobRow | undefined> {
  const query = withUser(tx, tenant).where('j.id', '=', id).forUpdate('j');
  return (of === 'any' ? query : query.where('u.deleted_at', 'is', null)).executeTakeFirst();
}

export interface NewJob {
  readonly id: string;
  readonly userId: string;
  readonly needsHumanReview: boolean;
  readonly pages: number;
}

export async function insertJob({ tx, tenant, now }: Work, job: NewJob): Promise<void> {
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

export type Move = Partial<Pick<JobRow, 'failure_reason' | 'is_reviewed' | 'data'>> & {
  readonly status: Status;
};

export async function moveJob({ tx, tenant, now }: Work, id: string, move: Move): Promise<void> {
  await tx
    .updateTable('lab_report_job')
    .set({ ...move, updated_at: now })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
}

/** Reports that wait to be read, and those that are. */
export const { countWaiting, takeNext, changeLease } = openLine('lab_report_job', [
  'upload_pending',
  'started',
]);
