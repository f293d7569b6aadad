import { sql } from 'kysely';
import { asSystem } from '../platform/db/transact.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Environment } from '../platform/tenant.ts';
import type { Platform } from '../platform/work.ts';
import type { PlacedEvent, Reaction } from './events.ts';

export const FAN_OUT_BATCH = 500;

/**
 * Gives the waiting events their places in the log and hands them to every reaction, in one transaction:
 * an event is either placed and handed to all, or still waiting. One fan-out at a time, over all processes,
 * so that places follow commits: who reads the log by position never misses an event that committed late.
 * Answers how many were placed; a full batch means that there may be more.
 */
export function fanOut<A extends Platform>(app: A, reactions: readonly Reaction<A>[]): Promise<number> {
  return asSystem(app.db, async (tx) => {
    const lock = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended('aliquot.fan-out', 0)) as locked`.execute(tx);
    if (lock.rows[0]?.locked !== true) return 0;
    const events = await place(tx);
    if (events.length > 0) {
      for (const reaction of reactions) await reaction.take(app, tx, events);
    }
    return events.length;
  });
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

async function place(tx: Tx): Promise<PlacedEvent[]> {
  const { rows } = await sql<PlacedRow>`
    with waiting as materialized (
      select team_id, environment, id from event where position is null order by id limit ${FAN_OUT_BATCH}),
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
