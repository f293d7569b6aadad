import type pg from 'pg';
import type { Tenant } from '../src/platform/tenant.ts';

/**
 * Takes the next positions of a tenant's event log, for events that a test inserts itself. Returns the position before
 * the first.
 */
export async function reservePositions(
  ownerPool: pg.Pool,
  { teamId, environment }: Tenant,
  count: number,
): Promise<number> {
  const { rows } = await ownerPool.query<{ newest: number }>(
    `insert into event_log_head as h values ($1, $2, $3)
     on conflict (team_id, environment) do update set last_position = h.last_position + $3
     returning last_position - $3 as newest`,
    [teamId, environment, count],
  );
  const [row] = rows;
  if (!row) throw new Error('The log of the tenant has no head');
  return row.newest;
}
