import { sql, type Insertable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { toSystemTime } from '../../platform/jobs/timers.ts';
import type { Work } from '../../platform/work.ts';
import './table.ts';

/** Stores a test event, with a negative position outside the log, and enqueues it for one endpoint. */
export async function insertTest(
  work: Work,
  { event, delivery }: { event: Insertable<Database['event']>; delivery: { id: string; endpointId: string } },
): Promise<void> {
  const { tx, tenant, now } = work;
  await sql`
    insert into event (team_id, environment, id, event_type, user_id, client_user_id, data, created_at, position)
    values (${event.team_id}, ${event.environment}, ${event.id}, ${event.event_type}, ${event.user_id},
      ${event.client_user_id}, ${event.data}, ${event.created_at}, nextval('event_test_position_seq'))`.execute(
    tx,
  );
  await sql`
    insert into webhook_delivery (team_id, environment, id, endpoint_id, event_id, due_at, due_wall, created_at)
    values (${tenant.teamId}, ${tenant.environment}, ${delivery.id}, ${delivery.endpointId}, ${event.id},
      ${now}, ${toSystemTime(work, now)}, ${now})`.execute(tx);
}
