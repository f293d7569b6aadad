import { sql, type Selectable } from 'kysely';
import type { Database, Tx } from '../platform/db/database.ts';
import type { RemovedCount } from '../platform/db/removal.ts';
import { tenantColumns, type TenantColumns } from '../platform/db/tenant-rows.ts';
import type { Tenant } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';
import type { RetentionKind, RetentionPolicies } from './kinds.ts';
import './table.ts';

/** The periods that the team has set. `lock` serializes changes until the transaction ends. */
export async function readPolicies({ tx, tenant }: Work, lock = false): Promise<RetentionPolicies> {
  if (lock) {
    const name = `retention/${tenant.teamId}/${tenant.environment}`;
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
  }
  const rows = await tx
    .selectFrom('retention_policy')
    .select(['kind', 'keep_days'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .execute();
  return Object.fromEntries(rows.map(({ kind, keep_days: days }) => [kind, days]));
}

export async function putPolicy(
  { tx, tenant }: Work,
  kind: RetentionKind,
  keepDays: number | null,
): Promise<void> {
  await tx
    .insertInto('retention_policy')
    .values({ ...tenantColumns(tenant), kind, keep_days: keepDays })
    .onConflict((conflict) =>
      conflict.columns(['team_id', 'environment', 'kind']).doUpdateSet({ keep_days: keepDays }),
    )
    .execute();
}

export async function deletePolicy({ tx, tenant }: Work, kind: RetentionKind): Promise<void> {
  await tx
    .deleteFrom('retention_policy')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('kind', '=', kind)
    .execute();
}

export type RetentionSweepRow = Selectable<Database['retention_sweep']>;

/** Sweeps that deleted something, newest first. */
export const listSweeps = (
  { tx, tenant }: Work,
  filter: { kind: RetentionKind | undefined; after: string | undefined; limit: number },
): Promise<RetentionSweepRow[]> =>
  tx
    .selectFrom('retention_sweep')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('deleted', '>', 0)
    .$if(filter.kind !== undefined, (q) => q.where('kind', '=', filter.kind ?? 'events'))
    .$if(filter.after !== undefined, (q) => q.where('id', '<', filter.after ?? ''))
    .orderBy('id', 'desc')
    .limit(filter.limit)
    .execute();

/** A tenant, with what decides about its sweeps. */
export interface TenantToSweep extends TenantColumns {
  readonly clock_offset_ms: number;
  readonly policies: RetentionPolicies;
  /** The kinds that were completely swept today, on the tenant's clock. */
  readonly swept: RetentionKind[];
}

export async function listTenantsToSweep(
  tx: Tx,
  { after, now, limit }: { after: Tenant | undefined; now: Date; limit: number },
): Promise<TenantToSweep[]> {
  const { rows } = await sql<TenantToSweep>`
    select t.team_id, t.environment, t.clock_offset_ms,
      coalesce((select jsonb_object_agg(p.kind, p.keep_days) from retention_policy p
        where p.team_id = t.team_id and p.environment = t.environment), '{}') as policies,
      array(select s.kind from retention_sweep s
        where s.team_id = t.team_id and s.environment = t.environment and s.finished_at is not null
          and s.day = ((${now}::timestamptz + t.clock_offset_ms * interval '1 millisecond') at time zone 'UTC')::date
      ) as swept
    from team_environment t
    where (t.team_id, t.environment) > (${after?.teamId ?? '00000000-0000-0000-0000-000000000000'}::uuid,
      ${after?.environment ?? ''})
    order by t.team_id, t.environment limit ${limit}`.execute(tx);
  return rows;
}

/** A sweep that this transaction has locked. */
interface OpenSweep {
  readonly id: string;
  readonly org_id: string;
}

interface NewSweep {
  readonly kind: RetentionKind;
  readonly day: string;
  readonly id: string;
  readonly keep_days: number;
  readonly deleted_before: Date;
}

/** Opens the sweep of the day, or continues the one of another process. Undefined if it is finished. */
export async function openSweep(
  tx: Tx,
  tenant: Tenant,
  { kind, day, id, keep_days, deleted_before }: NewSweep,
): Promise<OpenSweep | undefined> {
  const { rows } = await sql<OpenSweep>`
    insert into retention_sweep as s (team_id, environment, kind, day, id, keep_days, deleted_before)
    values (${tenant.teamId}, ${tenant.environment}, ${kind}, ${day}, ${id}, ${keep_days}, ${deleted_before})
    on conflict (team_id, environment, kind, day) do update set keep_days = excluded.keep_days,
      deleted_before = excluded.deleted_before
      where s.finished_at is null
    returning s.id, (select t.org_id from team t where t.id = s.team_id) as org_id`.execute(tx);
  return rows[0];
}

export async function countRemoved(
  tx: Tx,
  tenant: Tenant,
  { id, removed, finishedAt }: { id: string; removed: RemovedCount; finishedAt: Date | null },
): Promise<RetentionSweepRow> {
  const { rows } = await sql<RetentionSweepRow>`
    update retention_sweep set deleted = deleted + ${removed.deleted}::bigint,
      oldest = least(oldest, ${removed.oldest}::timestamptz), newest = greatest(newest, ${removed.newest}::timestamptz),
      finished_at = ${finishedAt}::timestamptz
    where team_id = ${tenant.teamId} and environment = ${tenant.environment} and id = ${id}
    returning *`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('The row of the sweep is missing');
  return row;
}

/** Closes sweeps of earlier days that a killed process left open, and forgets those that deleted nothing. */
export async function closeEarlierSweeps(
  tx: Tx,
  tenant: Tenant,
  { kind, day, now }: { kind: RetentionKind; day: string; now: Date },
): Promise<RetentionSweepRow[]> {
  await sql`delete from retention_sweep
    where team_id = ${tenant.teamId} and environment = ${tenant.environment} and kind = ${kind} and day < ${day}
      and deleted = 0`.execute(tx);
  const { rows } = await sql<RetentionSweepRow>`
    update retention_sweep set finished_at = ${now}
    where team_id = ${tenant.teamId} and environment = ${tenant.environment} and kind = ${kind} and day < ${day}
      and finished_at is null
    returning *`.execute(tx);
  return rows;
}
