import { sql } from 'kysely';
import { toSystemTime } from '../../platform/jobs/timers.ts';
import type { Work } from '../../platform/work.ts';
import './table.ts';

/** The position of the newest event; 0 for an empty log. */
export async function newestPosition({ tx, tenant }: Work): Promise<number> {
  const { rows } = await sql<{ position: number }>`
    select position from event
    where team_id = ${tenant.teamId} and environment = ${tenant.environment} and position > 0
    order by position desc limit 1`.execute(tx);
  return rows[0]?.position ?? 0;
}

/** The position and the creation time of the first event after a position. */
export async function eventAfter(
  { tx, tenant }: Work,
  position: number,
): Promise<{ position: number; created_at: Date } | undefined> {
  const { rows } = await sql<{ position: number; created_at: Date }>`
    select position, created_at from event
    where team_id = ${tenant.teamId} and environment = ${tenant.environment} and position > ${position}
    order by position limit 1`.execute(tx);
  return rows[0];
}

interface ReplayRange {
  readonly endpointId: string;
  readonly filter: readonly string[] | null;
  /** Types that are never replayed. */
  readonly excludedTypes: readonly string[];
  /** Events after `after`, up to `upTo`, created from `since` on and before `until`. */
  readonly after: number;
  readonly upTo: number;
  readonly since: Date;
  readonly until: Date;
  readonly limit: number;
}

/**
 * Enqueues events of the next batch of a range that were never enqueued, for any reason. Returns how many, and the
 * position of the last event in the batch; undefined if there was none.
 */
export async function enqueueMissing(
  work: Work,
  stretch: ReplayRange,
): Promise<{ owed: number; last: number | undefined }> {
  const { tx, tenant, now } = work;
  const { endpointId, filter, excludedTypes } = stretch;
  const exact = filter?.filter((entry) => !entry.endsWith('.*')) ?? [];
  const prefixes = filter?.filter((entry) => entry.endsWith('.*')).map((entry) => entry.slice(0, -1)) ?? [];
  const { rows } = await sql<{ owed: number; last: number | null }>`
    with next as materialized (
      select id, event_type, created_at, position from event
      where team_id = ${tenant.teamId} and environment = ${tenant.environment}
        and position > ${stretch.after} and position <= ${stretch.upTo}
      order by position limit ${stretch.limit}),
    taken as materialized (
      select unnest(b.event_ids) as id from webhook_attempt_block b
      where b.team_id = ${tenant.teamId} and b.environment = ${tenant.environment}
        and b.endpoint_id = ${endpointId}::uuid
        and b.id = any(array(select aliquot_blocks_of_events(array(select id from next))))
      union all
      select unnest(b.event_ids) from webhook_bundle b
      where b.team_id = ${tenant.teamId} and b.environment = ${tenant.environment}
        and b.endpoint_id = ${endpointId}::uuid),
    owed as (
      insert into webhook_delivery (team_id, environment, id, endpoint_id, event_id, due_at, due_wall, created_at)
      select ${tenant.teamId}, ${tenant.environment}, gen_random_uuid(), ${endpointId}::uuid, id,
        ${now}, ${toSystemTime(work, now)}, ${now} from next
      where created_at >= ${stretch.since} and created_at < ${stretch.until} and event_type <> all(${excludedTypes}::text[])
        and (${filter === null}::boolean or event_type = any(${exact}::text[])
          or exists (select from unnest(${prefixes}::text[]) as prefix where starts_with(event_type, prefix)))
        and not exists (select from webhook_attempt a where a.team_id = ${tenant.teamId}
          and a.environment = ${tenant.environment} and a.endpoint_id = ${endpointId}::uuid and a.event_id = next.id)
        and id not in (select id from taken)
        and not exists (select from webhook_delivery d where d.team_id = ${tenant.teamId}
          and d.environment = ${tenant.environment} and d.endpoint_id = ${endpointId}::uuid and d.event_id = next.id)
      order by position
      on conflict (team_id, environment, endpoint_id, event_id) do nothing
      returning 1)
    select (select count(*) from owed) as owed, (select max(position) from next) as last`.execute(tx);
  return { owed: rows[0]?.owed ?? 0, last: rows[0]?.last ?? undefined };
}
