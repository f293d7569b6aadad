import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { Tenant } from '../../platform/tenant.ts';
import './table.ts';

/** Marks the backlog of a destination for transfer to the main one. Returns false if there is no backlog. */
export async function beginBacklogTransfer(tx: Tx, tenant: Tenant, id: string): Promise<boolean> {
  const { rows } = await sql<{ any: boolean }>`
    update event_destination d set hands_on_up_to = coalesce(d.hands_on_up_to, (
      select max(position) from pipeline_delivery where destination_id = d.id and position > d.handed_over_to))
    where d.team_id = ${tenant.teamId} and d.environment = ${tenant.environment} and d.id = ${id}
    returning d.hands_on_up_to is not null as any`.execute(tx);
  return rows[0]?.any === true;
}

/** A destination whose backlog is being transferred, and the main destination that receives it. */
interface BacklogTransfer {
  readonly id: string;
  readonly is_removed: boolean;
  readonly handed_over_to: number;
  readonly hands_on_up_to: number;
  readonly main_id: string;
}

export async function listBacklogTransfers(tx: Tx, tenant: Tenant): Promise<BacklogTransfer[]> {
  const { rows } = await sql<BacklogTransfer>`
    select d.id, d.role = 'removed' as is_removed, d.handed_over_to, d.hands_on_up_to, m.id as main_id
    from event_destination d
    join event_destination m on m.team_id = d.team_id and m.environment = d.environment and m.role = 'main'
    where d.team_id = ${tenant.teamId} and d.environment = ${tenant.environment} and d.hands_on_up_to is not null
    order by d.id`.execute(tx);
  return rows;
}

/**
 * Transfers the next batch of a backlog to the main destination, in log order and with the same due times, so that
 * nothing newer is sent first. A removed destination loses the batch; a reserve keeps it. Returns whether there is
 * more.
 */
export async function transferBacklogBatch(
  tx: Tx,
  from: BacklogTransfer,
  { now, limit }: { now: Date; limit: number },
): Promise<boolean> {
  const begin = from.is_removed ? 0 : from.handed_over_to;
  const { rows } = await sql<{ looked: number; first: number | null; last: number | null }>`
    with part as materialized (
      select ctid as place, team_id, environment, event_id, position, due_wall from pipeline_delivery
      where destination_id = ${from.id} and position > ${begin}::bigint and position <= ${from.hands_on_up_to}::bigint
      order by position limit ${limit}),
    given as (
      insert into pipeline_delivery (team_id, environment, destination_id, event_id, position, due_wall)
      select team_id, environment, ${from.main_id}::uuid, event_id, position, least(due_wall, ${now}::timestamptz)
      from part where position > ${from.handed_over_to}::bigint
      on conflict do nothing),
    gone as (
      delete from pipeline_delivery where ${from.is_removed}::boolean and ctid = any(array(select place from part)))
    select count(*)::int as looked, min(position) as first, max(position) as last from part`.execute(tx);
  const { looked, first, last } = rows[0] ?? { looked: 0, first: null, last: null };
  if (from.is_removed && first !== null) await resetHandedOver(tx, from.main_id, first);
  await recordTransferred(tx, from, { last, isDone: looked < limit });
  return looked === limit;
}

/**
 * Events that come back from a removed destination no longer count as handed over to it, so a later failover hands them
 * over again.
 */
async function resetHandedOver(tx: Tx, mainId: string, first: number): Promise<void> {
  await tx
    .updateTable('event_destination')
    .set({ handed_over_to: first - 1 })
    .where('id', '=', mainId)
    .where('handed_over_to', '>=', first)
    .execute();
}

async function recordTransferred(
  tx: Tx,
  { id, is_removed }: BacklogTransfer,
  { last, isDone }: { last: number | null; isDone: boolean },
): Promise<void> {
  if (isDone && is_removed)
    return void (await tx.deleteFrom('event_destination').where('id', '=', id).execute());
  await tx
    .updateTable('event_destination')
    .set({
      handed_over_to: sql<number>`greatest(handed_over_to, ${last}::bigint)`,
      ...(isDone ? { hands_on_up_to: null } : {}),
    })
    .where('id', '=', id)
    .execute();
}
