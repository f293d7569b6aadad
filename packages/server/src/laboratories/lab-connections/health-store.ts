import { sql } from 'kysely';
import { DAY, later } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import type { LabMessageStatus } from './status.ts';
import './table.ts';

/** The messages of one connection, counted up to COUNT_MAX + 1. */
export interface CountedLabMessages {
  readonly connection_id: string;
  readonly last_in_at: Date | null;
  readonly last_out_at: Date | null;
  /** Dead and refused messages of the last day, among the newest of each. */
  readonly errors: number;
  readonly dead: number;
  readonly waiting: number;
  readonly oldest_waiting_at: Date | null;
  /** The most attempts of one of the oldest messages that wait to be sent. */
  readonly attempts: number;
}

/** What a count reads at most, so that a connection with many messages costs no more than one with few. */
export const COUNT_MAX = 1000;

/** Each column is answered by an index, up to the limit of its count. */
export async function countMessages(
  work: Work,
  connectionIds: readonly string[],
): Promise<CountedLabMessages[]> {
  const { tx, tenant, now } = work;
  const own = sql`m.team_id = ${tenant.teamId} and m.environment = ${tenant.environment} and m.connection_id = c.id`;
  const newest = (direction: 'in' | 'out') => sql`
    (select created_at from lab_message m where ${own} and m.direction = ${direction} order by m.id desc limit 1)`;
  const some = (status: LabMessageStatus, order: 'asc' | 'desc') => sql`
    (select m.created_at, m.attempts from lab_message m where ${own} and m.status = ${status}
      order by m.id ${sql.raw(order)} limit ${COUNT_MAX + 1})`;
  const { rows } = await sql<CountedLabMessages>`
    select c.id as connection_id, ${newest('in')} as last_in_at, ${newest('out')} as last_out_at,
      (select count(*)::int from (${some('dead', 'desc')} union all ${some('refused', 'desc')}) as failed
        where failed.created_at > ${later(now, -DAY)}) as errors,
      (select count(*)::int from ${some('dead', 'desc')} as dead) as dead,
      queue.waiting, queue.oldest as oldest_waiting_at, queue.attempts
    from unnest(${[...connectionIds]}::uuid[]) as c (id)
    cross join lateral (
      select count(*)::int as waiting, min(w.created_at) as oldest, coalesce(max(w.attempts), 0)::int as attempts
      from (${some('queued', 'asc')} union all ${some('stored', 'asc')}) as w) as queue`.execute(tx);
  return rows;
}
