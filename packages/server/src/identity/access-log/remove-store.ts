import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { RemovedCount } from '../../platform/db/removal.ts';
import './table.ts';

export interface RemovalPosition {
  readonly org_id: string;
  readonly removed_to: number;
  /** The position of the last seal whose lines were removed. */
  readonly removed_seal: number;
  readonly position_key: Buffer;
}

/** Serializes removals of the tenant's lines until the transaction ends. Undefined where nothing was ever sealed. */
export async function lockRemovalPosition(tx: Tx, tenant: Tenant): Promise<RemovalPosition | undefined> {
  const { rows } = await sql<RemovalPosition>`
    select t.org_id, s.removed_to, s.removed_seal, s.position_key from access_log_seal s join team t on t.id = s.team_id
    where s.team_id = ${tenant.teamId} and s.environment = ${tenant.environment} for update of s`.execute(tx);
  return rows[0];
}

/** A seal of the tenant, as it is written in the audit log. */
export interface OldSeal {
  /** The position of the seal in the audit log. */
  readonly position: number;
  readonly record: unknown;
}

/** The oldest seals that are not removed and were written before a time, and so after all of their lines. */
export async function listOldSeals(
  tx: Tx,
  tenant: Tenant,
  { orgId, position, before, limit }: { orgId: string; position: number; before: Date; limit: number },
): Promise<OldSeal[]> {
  const { rows } = await sql<OldSeal>`
    select position, after as record
    from audit_log
    where org_id = ${orgId} and team_id = ${tenant.teamId} and position > ${position}
      and action = 'access_log.sealed' and after->>'environment' = ${tenant.environment}
      and created_at < ${before}
    order by position limit ${limit}`.execute(tx);
  return rows;
}

/** Deletes the lines of a range. The database permits it only once the removal is recorded. */
export async function removeLines(
  tx: Tx,
  { teamId, environment }: Tenant,
  { after, to, seal }: { after: number; to: number; seal: number },
): Promise<RemovedCount> {
  await sql`update access_log_seal set removed_to = ${to}, removed_seal = ${seal}
    where team_id = ${teamId} and environment = ${environment}`.execute(tx);
  const { rows } = await sql<RemovedCount>`
    with gone as (
      delete from access_log
      where team_id = ${teamId} and environment = ${environment} and place > ${after} and place <= ${to}
      returning at)
    select count(*)::int as deleted, min(at) as oldest, max(at) as newest from gone`.execute(tx);
  const [removed] = rows;
  if (!removed) throw new Error('The removal of access log lines returned no count');
  return removed;
}

/** How far the lines of a tenant were removed; 0 where none were. */
export async function findRemovedPosition(
  tx: Tx,
  { teamId, environment }: { teamId: string; environment: string },
): Promise<number> {
  const { rows } = await sql<{ removed_to: number }>`select removed_to from access_log_seal
    where team_id = ${teamId} and environment = ${environment}`.execute(tx);
  return rows[0]?.removed_to ?? 0;
}

interface RemovalOfTenant {
  readonly team_id: string;
  readonly environment: string;
}

interface RecordedRemoval extends RemovalOfTenant {
  readonly removed_to: number | null;
  readonly position_key: Buffer | null;
  /** The end of the newest removal in the audit log, as it is written there. */
  readonly newest: unknown;
}

/** The stored removed positions of an organization, each with the newest removal. One of both may be missing. */
export async function listRemovalPositions(tx: Tx, orgId: string): Promise<RecordedRemoval[]> {
  const { rows } = await sql<RecordedRemoval>`
    with stored as (
      select s.team_id, s.environment, s.removed_to, s.position_key from access_log_seal s
      join team t on t.id = s.team_id where t.org_id = ${orgId} and s.removed_to > 0),
    newest as (
      select distinct on (1, 2) team_id, after->>'environment' as environment, after->'to' as newest
      from audit_log where org_id = ${orgId} and action = 'access_log.removed' order by 1, 2, position desc)
    select team_id, environment, stored.removed_to, stored.position_key, newest.newest
    from stored full join newest using (team_id, environment)`.execute(tx);
  return rows;
}

/** A removal of lines that were younger than it says. */
export async function findInvalidRemoval(tx: Tx, orgId: string): Promise<RemovalOfTenant | undefined> {
  const { rows } = await sql<RemovalOfTenant>`
    with removal as (
      select a.team_id, a.after->>'environment' as environment,
        (a.after->>'seal')::bigint as seal, (a.after->>'deleted_before')::timestamptz as before, a.created_at
      from audit_log a where a.org_id = ${orgId} and a.action = 'access_log.removed')
    select r.team_id, r.environment from removal r
    left join audit_log s on s.org_id = ${orgId} and s.position = r.seal and s.action = 'access_log.sealed'
    where s.id is null or s.created_at >= r.before or r.before > r.created_at
    limit 1`.execute(tx);
  return rows[0];
}
