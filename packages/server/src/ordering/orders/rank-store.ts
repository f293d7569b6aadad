import { sql } from 'kysely';
import type { Work } from '../../platform/work.ts';
import { ofTenant } from './list-filter-store.ts';

/** Ranks are between 0 and this, so a JavaScript number holds them exactly. */
export const RANK_LIMIT = 2 ** 52;

/** The open interval between two ranks. */
export interface RankGap {
  readonly low: number;
  readonly high: number;
}

interface SealedName {
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

/** Serializes ranking per tenant: an advisory lock that is held until this work ends. */
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

/** A ranked name within a gap, at which the gap is split. */
export interface RankPivot {
  /** The index of its gap in the request, from 1. */
  readonly gap: number;
  readonly rank: number;
  readonly name: Buffer;
}

/**
 * Returns up to `fan` names of each gap, evenly spread over its ranks and sorted. The first name of a gap is always
 * among them.
 *
 * `offset 0` keeps the arithmetic out of the index condition. Under row-level security only leakproof expressions may
 * be index conditions, and arithmetic is not leakproof: without it, each lookup would scan all lower ranks.
 */
export async function listPivots(work: Work, gaps: readonly RankGap[], fan: number): Promise<RankPivot[]> {
  const { rows } = await sql<RankPivot>`
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
        where ${ofTenant(work, 'n')} and n.rank > start.low and n.rank < g.high
        order by n.rank limit 1) as n
      order by n.rank) as p
    order by g.gap, p.rank`.execute(work.tx);
  return rows;
}

export interface NameRank {
  readonly id: string;
  readonly rank: number;
}

export async function setRanks(work: Work, ranked: readonly NameRank[]): Promise<void> {
  if (ranked.length === 0) return;
  await sql`
    update order_name n set rank = given.rank
    from unnest(${ranked.map(({ id }) => id)}::uuid[], ${ranked.map(({ rank }) => rank)}::bigint[])
      as given (id, rank)
    where ${ofTenant(work, 'n')} and n.id = given.id`.execute(work.tx);
}

/** Counts the names with ranks in `low <= rank < high`. */
export async function countRanked(work: Work, { low, high }: RankGap): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from order_name n
    where ${ofTenant(work, 'n')} and n.rank >= ${low} and n.rank < ${high}`.execute(work.tx);
  return rows[0]?.count ?? 0;
}

/** Renumbers the names with ranks in `low <= rank < high`: same order, `step` apart. */
export async function renumberRanks(work: Work, { low, high }: RankGap, step: number): Promise<void> {
  await sql`
    update order_name n set rank = ${low}::bigint + s.place * ${step}::bigint
    from (
      select n.id, row_number() over (order by n.rank) as place from order_name n
      where ${ofTenant(work, 'n')} and n.rank >= ${low} and n.rank < ${high}) as s
    where ${ofTenant(work, 'n')} and n.id = s.id`.execute(work.tx);
}
