import type { House } from './house.ts';

/** How many sessions of the house's database wait for what another one has locked, with a statement like this. */
export async function waitingForLocks({ owner }: House, like = '%'): Promise<number> {
  const { rows } = await owner.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
    [like],
  );
  return rows[0]?.n ?? 0;
}
