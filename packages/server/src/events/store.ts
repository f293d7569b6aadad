import { sql, type Selectable } from 'kysely';
import type { Database, Tx } from '../platform/db/database.ts';
import type { Environment, Tenant } from '../platform/tenant.ts';
import { isOfDeletedUser } from './deleted-user-store.ts';
import type { SequencedEvent } from './events.ts';
import type { Work } from '../platform/work.ts';
import { toTenant } from '../platform/db/tenant-rows.ts';

export type StoredEventRow = Selectable<Database['event']>;

/** Events with a position, except those of deleted users. */
const visibleEvents = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('event')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where(({ not }) => not(isOfDeletedUser('event')));

/** Which events of the log. */
interface EventFilter {
  readonly event_type?: string | undefined;
  readonly user_id?: string | undefined;
  readonly request_id?: string | undefined;
  readonly id?: string | undefined;
}

/** Events after a position, in log order; at most those up to `upTo`. */
export function listEvents(
  work: Work,
  page: EventFilter & { after: number; upTo?: number; limit: number },
): Promise<StoredEventRow[]> {
  return chosenEvents(work, page)
    .selectAll()
    .where('position', '>', page.after)
    .$if(page.upTo !== undefined, (q) => q.where('position', '<=', page.upTo ?? 0))
    .orderBy('position')
    .limit(page.limit)
    .execute();
}

/** Events before a position, newest first; 0 is behind the newest. */
export function listEventsBackwards(
  work: Work,
  page: EventFilter & { before: number; limit: number },
): Promise<StoredEventRow[]> {
  return chosenEvents(work, page)
    .selectAll()
    .where('position', '>', 0)
    .$if(page.before > 0, (q) => q.where('position', '<', page.before))
    .orderBy('position', 'desc')
    .limit(page.limit)
    .execute();
}

/** Of one type, or of every type that a prefix such as `labtest.*` names; of one user; of one request; with one id. */
const chosenEvents = (
  work: Work,
  { event_type: type, user_id: userId, request_id: requestId, id }: EventFilter,
) =>
  visibleEvents(work)
    .$if(userId !== undefined, (q) => q.where('user_id', '=', userId ?? ''))
    .$if(requestId !== undefined, (q) => q.where('request_id', '=', requestId ?? ''))
    .$if(id !== undefined, (q) => q.where('id', '=', id ?? ''))
    .$if(type !== undefined && !type.endsWith('.*'), (q) => q.where('event_type', '=', type ?? ''))
    .$if(type?.endsWith('.*') === true, (q) =>
      q.where('event_type', '^@' as 'like', (type ?? '').slice(0, -1)),
    );

/** The position of the newest event; 0 for an empty log. */
export async function getLatestPosition(work: Work): Promise<number> {
  const row = await visibleEvents(work)
    .select('position')
    .where('position', '>', 0)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.position ?? 0;
}

/** The sealed data of some events, for the payload check. */
export const listSealedData = (
  { tx, tenant }: Work,
  ids: readonly string[],
): Promise<Pick<StoredEventRow, 'id' | 'event_type' | 'data'>[]> =>
  tx
    .selectFrom('event')
    .select(['id', 'event_type', 'data'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', 'in', ids)
    .execute();

/** The ends of a log: both positions count events that are hidden or erased, too. */
export interface LogBounds {
  /** The newest position that was assigned; 0 before the first event. */
  readonly newest: number;
  /** The highest position that the retention removed; 0 if it removed none. */
  readonly removedTo: number;
}

export async function getLogBounds({ tx, tenant }: Work): Promise<LogBounds> {
  const row = await tx
    .selectFrom('event_log_head')
    .select(['last_position', 'removed_to'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .executeTakeFirst();
  return { newest: row?.last_position ?? 0, removedTo: row?.removed_to ?? 0 };
}

/** The newest positions of several logs, by `team/environment`. Deleted teams have none. */
export async function listLogHeads(tx: Tx, tenants: readonly Tenant[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ name: string; newest: number }>`
    select asked.team_id || '/' || asked.environment as name, coalesce(head.last_position, 0) as newest
    from unnest(
        ${tenants.map(({ teamId }) => teamId)}::uuid[], ${tenants.map(({ environment }) => environment)}::text[]
      ) as asked (team_id, environment)
    join team on team.id = asked.team_id and team.deleted_at is null
    left join event_log_head head on head.team_id = asked.team_id and head.environment = asked.environment`.execute(
    tx,
  );
  return new Map(rows.map(({ name, newest }) => [name, newest]));
}

/** The log of a tenant that this transaction has locked to assign positions. */
interface LockedLog {
  readonly team_id: string;
  readonly environment: Environment;
  /** The newest position that was assigned. */
  readonly newest: number;
  /** How many waiting events get a position now. */
  readonly waiting: number;
}

/**
 * Locks the logs of the tenants whose events wait longest, with up to `batch` events together, and skips those that
 * another fan-out has locked. The idle timeout ends the session of a process that hangs without closing its
 * connection, because the events of these tenants would wait for it.
 */
export async function lockWaitingLogs(tx: Tx, batch: number): Promise<LockedLog[]> {
  const { rows } = await sql<LockedLog>`
    select tenant as team_id, env as environment, newest, waiting
    from set_config('idle_in_transaction_session_timeout', '10s', true), aliquot_lock_event_logs(${batch})`.execute(
    tx,
  );
  return rows;
}

interface SequencedEventRow {
  team_id: string;
  environment: Environment;
  id: string;
  event_type: string;
  user_id: string | null;
  created_at: Date;
  position: number;
}

/** Assigns the next positions of locked logs to their oldest waiting events. Returns them oldest first. */
export async function assignPositions(tx: Tx, logs: readonly LockedLog[]): Promise<SequencedEvent[]> {
  const { rows } = await sql<SequencedEventRow>`
    with log as materialized (
      select * from unnest(
        ${logs.map((log) => log.team_id)}::uuid[], ${logs.map(({ environment }) => environment)}::text[],
        ${logs.map(({ newest }) => newest)}::bigint[], ${logs.map(({ waiting }) => waiting)}::int[]
      ) as l (team_id, environment, newest, waiting)),
    numbered as materialized (
      select log.team_id, log.environment, w.id,
        log.newest + row_number() over (partition by log.team_id, log.environment order by w.id) as position
      from log cross join lateral (
        select e.id from event e
        where e.position is null and e.environment || e.team_id::text = log.environment || log.team_id::text
        order by e.id limit log.waiting) w),
    moved as (
      update event_log_head h set last_position = n.newest
      from (select team_id, environment, max(position) as newest from numbered group by 1, 2) n
      where h.team_id = n.team_id and h.environment = n.environment)
    update event set position = numbered.position from numbered
    where event.team_id = numbered.team_id and event.environment = numbered.environment and event.id = numbered.id
    returning event.team_id, event.environment, event.id, event.event_type, event.user_id, event.created_at,
      event.position`.execute(tx);
  return rows
    .map((row) => ({
      tenant: toTenant(row),
      id: row.id,
      type: row.event_type,
      position: row.position,
      userId: row.user_id,
      createdAt: row.created_at,
    }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
