import { sql } from 'kysely';
import type { PlacedEvent } from '../events/events.ts';
import type { Tx } from '../platform/db/database.ts';
import './table.ts';

/** The events whose tenants have not switched webhooks off by their preferences. */
export async function withWebhooks(tx: Tx, events: readonly PlacedEvent[]): Promise<readonly PlacedEvent[]> {
  const tenants = [
    ...new Map(events.map(({ tenant }) => [`${tenant.teamId}/${tenant.environment}`, tenant])).values(),
  ];
  const { rows } = await sql<{ name: string }>`
    select p.team_id || '/' || p.environment as name
    from unnest(${tenants.map(({ teamId }) => teamId)}::uuid[], ${tenants.map(({ environment }) => environment)}::text[])
      as t (team_id, environment)
    join event_pipeline p on p.team_id = t.team_id and p.environment = t.environment
    where not ('svix' = any(p.enabled))`.execute(tx);
  if (rows.length === 0) return events;
  const without = new Set(rows.map(({ name }) => name));
  return events.filter(({ tenant }) => !without.has(`${tenant.teamId}/${tenant.environment}`));
}
