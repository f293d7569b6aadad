import { sql, type Insertable, type Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Work } from '../../platform/work.ts';
import './table.ts';

type BulkOpRow = Selectable<Database['bulk_op']>;

export async function insertBulkOp(
  work: Work,
  row: Omit<Insertable<Database['bulk_op']>, 'team_id' | 'environment'>,
): Promise<void> {
  await work.tx
    .insertInto('bulk_op')
    .values({ ...tenantColumns(work.tenant), ...row })
    .execute();
}

/** An operation with the progress of its pulls. Pulls that a later operation took over do not count. */
export interface BulkOpProgress extends BulkOpRow {
  /** Connections whose pulls have not ended. */
  readonly pending: number;
  /** Connections with at least one failed pull. */
  readonly broken: number;
  readonly ended_at: Date | null;
}

/** Newest first. */
export async function listBulkOps(
  { tx, tenant }: Work,
  page: { after: string | undefined; limit: number },
): Promise<BulkOpProgress[]> {
  const { rows } = await sql<BulkOpProgress>`
    select o.*, coalesce(p.pending, 0)::int as pending, coalesce(p.broken, 0)::int as broken, p.ended_at
    from (
      select * from bulk_op where team_id = ${tenant.teamId} and environment = ${tenant.environment}
        and (${page.after ?? null}::uuid is null or id < ${page.after ?? null}::uuid)
      order by id desc limit ${page.limit}
    ) o left join lateral (
      select count(distinct connection_id) filter (where h.ended_at is null) as pending,
        count(distinct connection_id) filter (where h.status = 'failure') as broken, max(h.ended_at) as ended_at
      from historical_pull h
      where h.team_id = o.team_id and h.environment = o.environment and h.bulk_op_id = o.id
    ) p on true
    order by o.id desc`.execute(tx);
  return rows;
}

/** The number of pulls of an operation that have not ended. */
export async function countPending({ tx, tenant }: Work, opId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('historical_pull')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('bulk_op_id', '=', opId)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Those of the given users who have demo connections. */
export async function findDemoUserIds(
  { tx, tenant }: Work,
  userIds: readonly string[],
): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('connection')
    .select('user_id')
    .distinct()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('removed_at', 'is', null)
    .where('kind', '=', 'demo')
    .where('user_id', '=', sql<string>`any(${[...userIds]}::uuid[])`)
    .execute();
  return new Set(rows.map(({ user_id }) => user_id));
}
