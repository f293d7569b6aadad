import { sql } from 'kysely';
import type { Removal, RemovalStep, RemovedCount } from '../platform/db/removal.ts';
import type { Work } from '../platform/work.ts';

interface RemovedEvents extends RemovedCount {
  readonly last: number | null;
  /** The last position that was looked at, and how many events that were. */
  readonly page_end: number | null;
  readonly looked_at: number;
  readonly are_older: number;
}

/**
 * Removes old events in log order. Events without a position, events that an endpoint or broker has not received yet,
 * and events with an attempt that is still kept stay. Records the highest removed position, so that a cursor before it
 * is refused.
 */
export async function removeOldEvents(
  { tx, tenant }: Work,
  { before, limit, after }: RemovalStep,
): Promise<Removal> {
  const { teamId, environment } = tenant;
  const { rows } = await sql<RemovedEvents>`
    with page as materialized (
      select id, position, created_at from event
      where team_id = ${teamId} and environment = ${environment} and position > ${after ?? '0'}::bigint
      order by position limit ${limit}),
    bundled as materialized (
      select unnest(event_ids) as id from webhook_bundle
      where team_id = ${teamId} and environment = ${environment}),
    old as materialized (
      select p.id from page p
      where p.created_at < ${before}
        and not exists (select from webhook_delivery d where d.event_id = p.id)
        and not exists (select from pipeline_delivery d where d.event_id = p.id)
        and not exists (select from webhook_attempt a where a.event_id = p.id)
        and not exists (select from bundled b where b.id = p.id)
        and not exists (select from aliquot_blocks_of_events(array[p.id]))),
    gone as (
      delete from event e using old
      where e.team_id = ${teamId} and e.environment = ${environment} and e.id = old.id
      returning e.created_at, e.position)
    select count(*)::int as deleted, min(created_at) as oldest, max(created_at) as newest, max(position) as last,
      (select max(position) from page) as page_end, (select count(*)::int from page) as looked_at,
      (select count(*)::int from page where created_at < ${before}) as are_older
    from gone`.execute(tx);
  const [removed] = rows;
  if (!removed) throw new Error('The removal of old events returned no count');
  if (removed.last !== null) await raiseRemovedPosition({ tx, tenant }, removed.last);
  const isMore = removed.looked_at === limit && removed.are_older > 0;
  const { deleted, oldest, newest } = removed;
  return { deleted, oldest, newest, next: isMore ? String(removed.page_end) : null };
}

const raiseRemovedPosition = async (
  { tx, tenant }: Pick<Work, 'tx' | 'tenant'>,
  position: number,
): Promise<void> =>
  void (await tx
    .updateTable('event_log_head')
    .set({ removed_to: position })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('removed_to', '<', position)
    .execute());
