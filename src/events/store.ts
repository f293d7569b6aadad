import { sql, type Selectable } from 'kysely';
import type { Database, Tx } from '../platform/db/database.ts';
import type { Environment } from '../platform/tenant.ts';
import { ofDeletedUser } from './deleted-user-store.ts';
import type { PlacedEvent } from './events.ts';
import type { Work } from '../platform/work.ts';

type Row = Selectable<Database['event']>;

/** Placed events that may be shown. */
const shown = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('event')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where(({ not }) => not(ofDeletedUser('event')));

/** Placed events after a position, in the order of the log. */
export function listEvents(
  work: Work,
  page: { after: number; event_type?: string | undefined; limit: number },
): Promise<Row[]> {
  const type = page.event_type;
  return shown(work)
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
export async function latestPosition(work: Work): Promise<number> {
  const row = await shown(work)
    .select('position')
    .where('position', '>', 0)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.position ?? 0;
}

/** The sealed data of some events, for the check of payloads. */
export const readData = (
  { tx, tenant }: Work,
  ids: readonly string[],
): Promise<Pick<Row, 'id' | 'event_type' | 'data'>[]> =>
  tx
    .selectFrom('event')
    .select(['id', 'event_type', 'data'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', 'in', ids)
    .execute();

/**
 * The lock of the fan-out for this transaction; false while another process has it. Who stops in the middle, and does
 * not even close its connection, is put out: everybody's events would wait for it.
 */
export async function lockFanOut(tx: Tx): Promise<boolean> {
  const lock = await sql<{ locked: boolean }>`
    select set_config('idle_in_transaction_session_timeout', '10s', true),
      pg_try_advisory_xact_lock(hashtextextended('aliquot.fan-out', 0)) as locked`.execute(tx);
  return lock.rows[0]?.locked === true;
}

interface PlacedRow {
  team_id: string;
  environment: Environment;
  id: string;
  event_type: string;
  user_id: string | null;
  created_at: Date;
  position: number;
}

/** Gives up to `batch` waiting events their places; for the one who holds the lock of the fan-out. */
export async function placeEvents(tx: Tx, batch: number): Promise<PlacedEvent[]> {
  const { rows } = await sql<PlacedRow>`
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
      tenant: { teamId: row.team_id, environment: row.environment },
      id: row.id,
      type: row.event_type,
      position: row.position,
      userId: row.user_id,
      createdAt: row.created_at,
    }))
    .toSorted((a, b) => a.position - b.position);
}
