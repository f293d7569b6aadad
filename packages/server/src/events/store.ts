import { sql, type Selectable } from 'kysely';
import type { Database, Tx } from '../platform/db/database.ts';
import type { Environment } from '../platform/tenant.ts';
import { isOfDeletedUser } from './deleted-user-store.ts';
import type { SequencedEvent } from './events.ts';
import type { Work } from '../platform/work.ts';
import { toTenant } from '../platform/db/tenant-rows.ts';

type StoredEventRow = Selectable<Database['event']>;

/** Events with a position, except those of deleted users. */
const visibleEvents = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('event')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where(({ not }) => not(isOfDeletedUser('event')));

/** Events after a position, in log order. */
export function listEvents(
  work: Work,
  page: { after: number; event_type?: string | undefined; limit: number },
): Promise<StoredEventRow[]> {
  const type = page.event_type;
  return visibleEvents(work)
    .selectAll()
    .where('position', '>', page.after)
    .$if(type !== undefined && !type.endsWith('.*'), (q) => q.where('event_type', '=', type ?? ''))
    .$if(type?.endsWith('.*') === true, (q) =>
      q.where('event_type', '^@' as 'like', (type ?? '').slice(0, -1)),
    )
    .orderBy('position')
    .limit(page.limit)
    .execute();
}

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

/**
 * Takes the fan-out lock for this transaction; false while another process holds it. The idle timeout ends the
 * session of a process that hangs without closing its connection, because the events of all tenants would wait for
 * it.
 */
export async function tryLockFanOut(tx: Tx): Promise<boolean> {
  const lock = await sql<{ locked: boolean }>`
    select set_config('idle_in_transaction_session_timeout', '10s', true),
      pg_try_advisory_xact_lock(hashtextextended('aliquot.fan-out', 0)) as locked`.execute(tx);
  return lock.rows[0]?.locked === true;
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

/** Assigns positions to up to `batch` waiting events. The caller must hold the fan-out lock. */
export async function assignPositions(tx: Tx, batch: number): Promise<SequencedEvent[]> {
  const { rows } = await sql<SequencedEventRow>`
    with waiting as materialized (
      select team_id, environment, id from event where position is null order by id limit ${batch}),
    numbered as materialized (
      select team_id, environment, id, nextval('event_position_seq') as position
      from (select * from waiting order by id) as ordered)
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
    .toSorted((a, b) => a.position - b.position);
}
