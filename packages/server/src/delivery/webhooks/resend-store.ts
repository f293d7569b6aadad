import { sql } from 'kysely';
import { isOfDeletedUser } from '../../events/events.ts';
import { toSystemTime } from '../../platform/jobs/timers.ts';
import type { Work } from '../../platform/work.ts';
import './table.ts';

/** Enqueues a message again, from the first step of the schedule. Returns whether the event exists. */
export async function requeueMessage(
  work: Work,
  owed: { id: string; endpointId: string; eventId: string },
): Promise<boolean> {
  const { tx, tenant, now } = work;
  const wall = toSystemTime(work, now);
  const { rows } = await sql<{ event_id: string }>`
    insert into webhook_delivery as d (team_id, environment, id, endpoint_id, event_id, due_at, due_wall, created_at)
    select team_id, environment, ${owed.id}::uuid, ${owed.endpointId}::uuid, id, ${now}, ${wall}, ${now} from event
    where team_id = ${tenant.teamId} and environment = ${tenant.environment} and id = ${owed.eventId}
      and not ${isOfDeletedUser('event')}
    on conflict (team_id, environment, endpoint_id, event_id) do update
      set status = 'pending', due_at = excluded.due_at, due_wall = excluded.due_wall, finished_at = null,
        attempts = case when d.status in ('pending', 'held') then d.attempts else 0 end
    returning event_id`.execute(tx);
  return rows.length > 0;
}

/**
 * Enqueues exhausted messages created since a timestamp again, oldest first, from the first step of the schedule.
 * Returns how many.
 */
export async function requeueFailed(
  work: Work,
  { endpointId, since, limit }: { endpointId: string; since: Date; limit: number },
): Promise<number> {
  const { tx, tenant, now } = work;
  const { rows } = await sql<{ count: number }>`
    with failed as materialized (
      select d.id from webhook_delivery d
      where d.team_id = ${tenant.teamId} and d.environment = ${tenant.environment}
        and d.endpoint_id = ${endpointId}::uuid and d.status = 'failed' and d.created_at >= ${since}
        and not exists (select from event v where v.team_id = d.team_id and v.environment = d.environment
          and v.id = d.event_id and v.position < 0)
      order by d.created_at limit ${limit} for update),
    owed as (
      update webhook_delivery d set status = 'pending', attempts = 0, due_at = ${now}, due_wall = ${toSystemTime(work, now)},
        finished_at = null
      from failed where d.team_id = ${tenant.teamId} and d.environment = ${tenant.environment} and d.id = failed.id
      returning 1)
    select count(*) from owed`.execute(tx);
  return rows[0]?.count ?? 0;
}
