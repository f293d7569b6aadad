import { sql } from 'kysely';
import {
  NOTHING_REMOVED,
  type Removal,
  type RemovalStep,
  type RemovedCount,
} from '../../platform/db/removal.ts';
import type { Work } from '../../platform/work.ts';
import './table.ts';

/** Removes the original payloads of old summaries. The summaries stay, and are returned in their place. */
export async function expireRawPayloads(
  { tx, tenant: { teamId, environment } }: Work,
  { before, limit }: RemovalStep,
): Promise<Removal> {
  const { rows } = await sql<RemovedCount>`
    with old as (
      select id from wearable_summary
      where team_id = ${teamId} and environment = ${environment} and raw is not null and updated_at < ${before}
      order by updated_at, id limit ${limit}),
    gone as (
      update wearable_summary s set raw = null from old
      where s.team_id = ${teamId} and s.environment = ${environment} and s.id = old.id
      returning s.updated_at)
    select count(*)::int as deleted, min(updated_at) as oldest, max(updated_at) as newest from gone`.execute(
    tx,
  );
  const removed = rows[0] ?? NOTHING_REMOVED;
  return { ...removed, next: removed.deleted === limit ? 'more' : null };
}
