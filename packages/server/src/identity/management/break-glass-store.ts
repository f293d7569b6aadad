import type { Insertable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { findPrivileges } from './actor-store.ts';
import './table.ts';

export async function insertOpening(tx: Tx, row: Insertable<Database['break_glass']>): Promise<void> {
  await tx.insertInto('break_glass').values(row).execute();
}

/**
 * An opening that was not ended, of an existing team, whose key or member still has the privileges with which it was
 * opened. With the features of its tenant. The caller checks `ends_at`.
 */
export async function findOpening(tx: Tx, digest: Buffer, now: Date) {
  const opening = await findStoredOpening(tx, digest);
  if (!opening) return undefined;
  const { org_id: orgId, opened_by: actor, opener_privileges: before } = opening;
  const privileges = await findPrivileges(tx, { orgId, actor, now });
  return privileges === undefined || privileges !== (before ?? privileges) ? undefined : opening;
}

const findStoredOpening = (tx: Tx, digest: Buffer) =>
  tx
    .selectFrom('break_glass as g')
    .innerJoin('team as t', 't.id', 'g.team_id')
    .innerJoin('team_environment as e', (join) =>
      join.onRef('e.team_id', '=', 'g.team_id').onRef('e.environment', '=', 'g.environment'),
    )
    .select(['g.id', 'g.team_id', 'g.environment', 'g.ends_at', 'e.features'])
    .select(['t.org_id', 'g.opened_by', 'g.opener_privileges'])
    .where('g.digest', '=', digest)
    .where('g.ended_at', 'is', null)
    .where('t.deleted_at', 'is', null)
    .executeTakeFirst();

/** Openings after a cursor id, newest first. */
export function listOpenings(
  tx: Tx,
  { tenant, after, limit }: { tenant: Tenant; after: string | undefined; limit: number },
) {
  let query = tx
    .selectFrom('break_glass')
    .select(['id', 'reason', 'opened_by', 'opened_at', 'ends_at', 'ended_at'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);
  if (after !== undefined) query = query.where('id', '<', after);
  return query.orderBy('id', 'desc').limit(limit).execute();
}

/** Ends an open opening and returns it; undefined where it is not open. */
export const endOpening = (tx: Tx, { tenant, id, at }: { tenant: Tenant; id: string; at: Date }) =>
  tx
    .updateTable('break_glass')
    .set({ ended_at: at })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .where('ends_at', '>', at)
    .returning(['id', 'reason', 'opened_at', 'ends_at', 'ended_at'])
    .executeTakeFirst();
