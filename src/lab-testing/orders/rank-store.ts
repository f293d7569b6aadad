import { sql } from 'kysely';
import type { Work } from '../../platform/work.ts';
import { mine } from './list-filter-store.ts';

/** Ranks lie between 0 and this; a number holds them exactly. */
export const RANKS = 2 ** 52;

/** A stretch between two ranks, both outside of it. */
export interface Gap {
  readonly low: number;
  readonly high: number;
}

export interface SealedName {
  readonly id: string;
  readonly name: Buffer;
}

export async function hasUnranked({ tx, tenant }: Work): Promise<boolean> {
  const row = await tx
    .selectFrom('order_name')
    .select('id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('rank', 'is', null)
    .orderBy('rank')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Makes those who give ranks wait for each other until their work ends. */
export async function lockRanks({ tx, tenant }: Work): Promise<void> {
  const lock = `order-name-rank/${tenant.teamId}/${tenant.environment}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx);
}

export const listUnranked = ({ tx, tenant }: Work, limit: number): Promise<SealedName[]> =>
  tx
    .selectFrom('order_name')
    .select(['id', 'name'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('rank', 'is', null)
    .orderBy('rank')
    .limit(limit)
    .execute();

/** A name within a gap, by which the gap is divided. */
export interface Pivot {
  /** The place of its gap among those asked for, from 1 on. */
  readonly gap: number;
  readonly rank: number;
  readonly name: Buffer;
}

/**
 * Of each gap up to `fan` of its names, spread over it, in their order; its first name is always among them.
 *
 * The start is reckoned apart (`offset 0`): a sum may fail, and a condition that may fail is not asked of an index
 * under row-level security, so that each look would read all ranks below it.
 */
export async function listPivots(work: Work, gaps: readonly Gap[], fan: number): Promise<Pivot[]> {
  const { rows } = await sql<Pivot>`
    select g.gap, p.rank, p.name
    from unnest(${gaps.map(({ low }) => low)}::bigint[], ${gaps.map(({ high }) => high)}::bigint[])
      with ordinality as g (low, high, gap)
    cross join lateral (
      select distinct on (n.rank) n.rank, n.name
      from (
        select g.low + (g.high - g.low) * at / ${fan}::bigint as low
        from generate_series(0, ${fan - 1}::bigint) as at offset 0) as start
      cross join lateral (
        select n.rank, n.name from order_name n
        where ${mine(work, 'n')} and n.rank > start.low and n.rank < g.high
        order by n.rank limit 1) as n
      order by n.rank) as p
    order by g.gap, p.rank`.execute(work.tx);
  return rows;
}

export interface Ranked {
  readonly id: string;
  readonly rank: number;
}

export async function setRanks(work: Work, ranked: readonly Ranked[]): Promise<void> {
  if (ranked.length === 0) return;
  await sql`
    update order_name n set rank = given.rank
    from unnest(${ranked.map(({ id }) => id)}::uuid[], ${ranked.map(({ rank }) => rank)}::bigint[])
      as given (id, rank)
    where ${mine(work, 'n')} and n.id = given.id`.execute(work.tx);
}

/** How many names have their ranks from `low` on and below `high`. */
export async function countRanked(work: Work, { low, high }: Gap): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from order_name n
    where ${mine(work, 'n')} and n.rank >= ${low} and n.rank < ${high}`.execute(work.tx);
  return rows[0]?.count ?? 0;
}

/** Gives the names with ranks from `low` on and below `high` new ones in the same order, `step` apart. */
export async function spreadRanks(work: Work, { low, high }: Gap, step: number): Promise<void> {
  await sql`
    update order_name n set rank = ${low}::bigint + s.place * ${step}::bigint
    from (
      select n.id, row_number() over (order by n.rank) as place from order_name n
      where ${mine(work, 'n')} and n.rank >= ${low} and n.rank < ${high}) as s
    where ${mine(work, 'n')} and n.id = s.id`.execute(work.tx);
}
