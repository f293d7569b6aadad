import { sql } from 'kysely';
import type { Work } from '../../platform/work.ts';
import '../connections/table.ts';

interface PhoneHistoryRange {
  readonly provider: string;
  readonly resource: string;
  readonly from: Date;
  readonly to: Date;
}

/** Records a history that is being sent, for the connection of the user, unless it is recorded already. */
export async function insertHistory(
  { tx, tenant, now }: Work,
  userId: string,
  { provider, resource, from, to }: PhoneHistoryRange,
): Promise<void> {
  await sql`
    insert into historical_pull (team_id, environment, connection_id, resource, status, range_start, range_end,
      reached_at, scheduled_at, started_at)
    select c.team_id, c.environment, c.id, ${resource}, 'in_progress', ${from}, ${to}, ${to}, ${now}, ${now}
    from connection c
    where c.team_id = ${tenant.teamId} and c.environment = ${tenant.environment} and c.user_id = ${userId}
      and c.provider = ${provider} and c.removed_at is null
    on conflict do nothing`.execute(tx);
}

/** Ends a history that is being sent; undefined if there is none. */
export async function endHistory(
  { tx, tenant, now }: Work,
  userId: string,
  { provider, resource }: { provider: string; resource: string },
): Promise<{ range_start: Date; range_end: Date } | undefined> {
  const { rows } = await sql<{ range_start: Date; range_end: Date }>`
    update historical_pull h set status = 'success', reached_at = h.range_start, ended_at = ${now}
    from connection c
    where h.team_id = ${tenant.teamId} and h.environment = ${tenant.environment} and h.connection_id = c.id
      and h.resource = ${resource} and h.status <> 'success' and c.team_id = h.team_id
      and c.environment = h.environment and c.user_id = ${userId} and c.provider = ${provider}
      and c.removed_at is null
    returning h.range_start, h.range_end`.execute(tx);
  return rows[0];
}
