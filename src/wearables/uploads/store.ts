import { sql, type Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { ENVIRONMENTS, type Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import type { FileKind } from '../files/files.ts';
import type { UploadStatus } from './status.ts';
import './table.ts';

export type UploadRow = Omit<
  Selectable<Database['wearable_upload']>,
  'team_id' | 'environment' | 'lease_id' | 'leased_until' | 'tries'
>;

// prettier-ignore
const COLUMNS = [
  'w.id', 'w.user_id', 'w.status', 'w.kind', 'w.bytes', 'w.progress', 'w.outcome', 'w.created_at', 'w.updated_at',
] as const;

/** An upload of a user who is not deleted. */
export const findUpload = (
  { tx, tenant }: Work,
  { userId, id }: { userId: string; id: string },
): Promise<UploadRow | undefined> =>
  tx
    .selectFrom('wearable_upload as w')
    .innerJoin('app_user as u', (join) =>
      join
        .onRef('u.team_id', '=', 'w.team_id')
        .onRef('u.environment', '=', 'w.environment')
        .onRef('u.id', '=', 'w.user_id'),
    )
    .select(COLUMNS)
    .where('w.team_id', '=', tenant.teamId)
    .where('w.environment', '=', tenant.environment)
    .where('w.id', '=', id)
    .where('w.user_id', '=', userId)
    .where('u.deleted_at', 'is', null)
    .executeTakeFirst();

/** The upload, held until the work is over. */
export const lockUpload = ({ tx, tenant }: Work, id: string): Promise<UploadRow | undefined> =>
  tx
    .selectFrom('wearable_upload as w')
    .select(COLUMNS)
    .where('w.team_id', '=', tenant.teamId)
    .where('w.environment', '=', tenant.environment)
    .where('w.id', '=', id)
    .forUpdate()
    .executeTakeFirst();

export interface NewUpload {
  readonly id: string;
  readonly userId: string;
  readonly kind: FileKind;
  readonly bytes: number;
}

export async function insertUpload({ tx, tenant, now }: Work, upload: NewUpload): Promise<void> {
  await tx
    .insertInto('wearable_upload')
    .values({
      ...tenantColumns(tenant),
      id: upload.id,
      user_id: upload.userId,
      status: 'received',
      kind: upload.kind,
      bytes: upload.bytes,
      progress: 0,
      outcome: null,
      lease_id: null,
      leased_until: null,
      tries: 0,
      created_at: now,
      updated_at: now,
    })
    .execute();
}

export interface Move {
  readonly status: UploadStatus;
  readonly progress?: number;
  readonly outcome?: Buffer;
}

export async function moveUpload({ tx, tenant, now }: Work, id: string, move: Move): Promise<void> {
  await tx
    .updateTable('wearable_upload')
    .set({ ...move, updated_at: now })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
}

/** How many files of this tenant wait to be read, counted no further than `most`. */
export async function countWaiting({ tx, tenant }: Work, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from wearable_upload
      where team_id = ${tenant.teamId} and environment = ${tenant.environment}
        and status in ('received', 'reading') limit ${most}) as waiting`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** An upload that a worker has taken for itself, until its lease is over. */
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

/** Takes the next file that nobody reads. Tenants take turns, so that a long line of one holds nobody else up. */
export async function takeNext(
  tx: Tx,
  { now, until, leaseId, unbelievable }: Taking,
): Promise<Lease | undefined> {
  const { rows } = await sql<{ team_id: string; environment: string; id: string; tries: number }>`
    update wearable_upload set leased_until = ${until}, lease_id = ${leaseId}, tries = tries + 1
    where (team_id, environment, id) = (
      select w.team_id, w.environment, w.id from wearable_upload w join (
        select l.team_id, l.environment, l.id,
          row_number() over (partition by l.team_id, l.environment order by l.id) as turn
        from (select team_id, environment, id from wearable_upload
          where status in ('received', 'reading') order by id limit ${LINE}) as l
      ) as line on line.team_id = w.team_id and line.environment = w.environment and line.id = w.id
      where w.leased_until is null or w.leased_until <= ${now} or w.leased_until > ${unbelievable}
      order by line.turn, w.id limit 1 for update of w skip locked)
    returning team_id, environment, id, tries`.execute(tx);
  const [row] = rows;
  const environment = ENVIRONMENTS.find((name) => name === row?.environment);
  return (
    row &&
    environment && { tenant: { teamId: row.team_id, environment }, id: row.id, leaseId, tries: row.tries }
  );
}

export interface Hold {
  readonly leased_until: Date;
  readonly progress?: number;
  readonly lease_id?: null;
  readonly tries?: number;
}

/** Changes a lease that is still ours; answers whether it is. */
export async function changeLease(tx: Tx, { tenant, id, leaseId }: Lease, change: Hold): Promise<boolean> {
  const held = await tx
    .updateTable('wearable_upload')
    .set(change)
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('lease_id', '=', leaseId)
    .returning('id')
    .executeTakeFirst();
  return held !== undefined;
}

/** Whose user this is; ids of users are one of a kind over all tenants. */
export async function tenantOf(tx: Tx, userId: string): Promise<Tenant | undefined> {
  const row = await tx
    .selectFrom('app_user')
    .select(['team_id', 'environment'])
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  const environment = ENVIRONMENTS.find((name) => name === row?.environment);
  return row && environment && { teamId: row.team_id, environment };
}
