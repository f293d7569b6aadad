import type { TestService } from './service.ts';

/** Number of sessions that wait for a lock in the service's database, with a statement like this. */
export async function countLockWaiters({ ownerPool }: TestService, like = '%'): Promise<number> {
  const { rows } = await ownerPool.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
    [like],
  );
  return rows[0]?.n ?? 0;
}
