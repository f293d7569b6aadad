import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import './table.ts';

/** Tokens that a process asks for: `need` at least, or none, and `want` at most. */
export interface TokenRequest {
  readonly bucket: string;
  readonly perMinute: number;
  readonly need: number;
  readonly want: number;
}

/** What a process got, and what the bucket has left. */
export interface TokenGrant {
  readonly bucket: string;
  readonly granted: number;
  readonly level: number;
}

/** Takes tokens from buckets that all processes share, each bucket for itself, by the clock of the database. */
export async function takeShared(tx: Tx, requests: readonly TokenRequest[]): Promise<TokenGrant[]> {
  // In one order, so that two processes never wait for each other.
  const sorted = requests.toSorted((a, b) => (a.bucket < b.bucket ? -1 : 1));
  const column = (of: (request: TokenRequest) => string | number) => sorted.map(of);
  const fill = sql`least(excluded.per_minute, b.level + greatest(0, extract(epoch from
    excluded.updated_at - b.updated_at))::float8 * excluded.per_minute / 60)`;
  const granted = sql`case when ${fill} >= excluded.need then least(${fill}, excluded.want) else 0 end`;
  const { rows } = await sql<TokenGrant>`
    insert into rate_bucket as b (bucket, per_minute, need, want, granted, level, updated_at)
    select bucket, per_minute, need, want, least(want, per_minute), per_minute - least(want, per_minute), clock_timestamp()
    from unnest(${column(({ bucket }) => bucket)}::text[], ${column(({ perMinute }) => perMinute)}::float8[],
      ${column(({ need }) => need)}::float8[], ${column(({ want }) => want)}::float8[])
      as given (bucket, per_minute, need, want)
    on conflict (bucket) do update set per_minute = excluded.per_minute, need = excluded.need, want = excluded.want,
      granted = ${granted}, level = ${fill} - ${granted}, updated_at = greatest(b.updated_at, excluded.updated_at)
    returning bucket, granted, level`.execute(tx);
  return rows;
}

/** Forgets buckets that are full again. */
export const forgetFullBuckets = (tx: Tx) =>
  sql`delete from rate_bucket where updated_at < clock_timestamp() - interval '2 minutes'`.execute(tx);
