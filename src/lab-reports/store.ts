import { sql, type Selectable } from 'kysely';
import type { Database, Tx } from '../platform/db/database.ts';
import { readyQuery } from '../platform/db/ready-query.ts';
import { tenantColumns } from '../platform/db/tenant-rows.ts';
import { ENVIRONMENTS, type Tenant } from '../platform/tenant.ts';
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

/** How many reports of this tenant wait to be read, counted no further than `most`. */
export async function countWaiting({ tx, tenant }: Work, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from lab_report_job
      where team_id = ${tenant.teamId} and environment = ${tenant.environment}
        and status in ('upload_pending', 'started') limit ${most}) as waiting`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** A job that a worker has taken for itself, until its lease is over. */
export interface Lease {
  readonly tenant: Tenant;
  readonly id: string;
  readonly leaseId: string;
  /** This one included. */
  readonly tries: number;
}

export interface Taking {
  readonly now: Date;
  readonly until: Date;
  readonly leaseId: string;
  /** A lease that ends later than this was given by a clock that was set back since, and counts for nothing. */
  readonly unbelievable: Date;
}

/** How far down the line one looks for whose turn it is. */
const LINE = 2000;

/**
 * Takes the next report that nobody reads. Tenants take turns: the first report of each goes before the second of
 * any, so that a long line of one team holds nobody else up.
 */
export async function takeNext(
  tx: Tx,
  { now, until, leaseId, unbelievable }: Taking,
): Promise<Lease | undefined> {
  const { rows } = await sql<{ team_id: string; environment: string; id: string; tries: number }>`
    update lab_report_job set leased_until = ${until}, lease_id = ${leaseId}, tries = tries + 1
    where (team_id, environment, id) = (
      select j.team_id, j.environment, j.id from lab_report_job j join (
        select l.team_id, l.environment, l.id,
          row_number() over (partition by l.team_id, l.environment order by l.id) as turn
        from (select team_id, environment, id from lab_report_job
          where status in ('upload_pending', 'started') order by id limit ${LINE}) as l
      ) as line on line.team_id = j.team_id and line.environment = j.environment and line.id = j.id
      where j.leased_until is null or j.leased_until <= ${now} or j.leased_until > ${unbelievable}
      order by line.turn, j.id limit 1 for update of j skip locked)
    returning team_id, environment, id, tries`.execute(tx);
  const [row] = rows;
  const environment = ENVIRONMENTS.find((name) => name === row?.environment);
  return (
    row &&
    environment && { tenant: { teamId: row.team_id, environment }, id: row.id, leaseId, tries: row.tries }
  );
}

/** Whether the lease is still ours; it then lasts until `until`. */
export const holdLease = (tx: Tx, lease: Lease, until: Date): Promise<boolean> =>
  changeLease(tx, lease, { leased_until: until });

/** Lets others take the job from `when` on; `tries` is how many this and earlier ones count for. */
export const giveBack = (
  tx: Tx,
  lease: Lease,
  { when, tries }: { when: Date; tries: number },
): Promise<boolean> => changeLease(tx, lease, { leased_until: when, lease_id: null, tries });

async function changeLease(
  tx: Tx,
  { tenant, id, leaseId }: Lease,
  change: { leased_until: Date; lease_id?: null; tries?: number },
): Promise<boolean> {
  const held = await tx
    .updateTable('lab_report_job')
    .set(change)
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('lease_id', '=', leaseId)
    .returning('id')
    .executeTakeFirst();
  return held !== undefined;
}
