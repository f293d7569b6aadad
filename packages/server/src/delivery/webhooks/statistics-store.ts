import { sql } from 'kysely';
import { toArrayLiteral } from '../../platform/db/array-literal.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Work } from '../../platform/work.ts';
import type { DurationCounts } from './duration-histogram.ts';
import './table.ts';

/** What is added to the statistics of one endpoint in one bucket of the tenant's clock. */
export interface StatisticsRow {
  readonly teamId: string;
  readonly environment: string;
  readonly endpointId: string;
  readonly bucket: Date;
  readonly succeeded: number;
  readonly failed: number;
  readonly answers: DurationCounts;
  readonly receipts: DurationCounts;
}

/** Adds counts and durations. Rows are written in the order of the key, so that two writers cannot block each other. */
export async function addStatistics(tx: Tx, rows: readonly StatisticsRow[]): Promise<void> {
  const column = (read: (row: StatisticsRow) => string | number) => toArrayLiteral(rows.map(read));
  await sql`
    insert into webhook_statistics as s
      (team_id, environment, endpoint_id, bucket, succeeded, failed, answers, receipts)
    select team_id, environment, endpoint_id, bucket, succeeded, failed, answers::int[], receipts::int[]
    from unnest(${column((r) => r.teamId)}::uuid[], ${column((r) => r.environment)}::text[],
      ${column((r) => r.endpointId)}::uuid[], ${column((r) => r.bucket.toISOString())}::timestamptz[],
      ${column((r) => r.succeeded)}::int[], ${column((r) => r.failed)}::int[],
      ${column((r) => `"{${r.answers.join()}}"`)}::text[], ${column((r) => `"{${r.receipts.join()}}"`)}::text[])
      as v (team_id, environment, endpoint_id, bucket, succeeded, failed, answers, receipts)
    order by team_id, environment, endpoint_id, bucket
    on conflict (team_id, environment, endpoint_id, bucket) do update set
      succeeded = s.succeeded + excluded.succeeded, failed = s.failed + excluded.failed,
      answers = aliquot_add_counts(s.answers, excluded.answers),
      receipts = aliquot_add_counts(s.receipts, excluded.receipts)`.execute(tx);
}

export interface StatisticsRange {
  readonly endpointId: string;
  readonly from: Date;
  readonly to: Date;
  readonly bucketMs: number;
}

/** The counts of one bucket. Its start is in milliseconds since the Unix epoch. */
export interface CountedAttempts {
  readonly at: number;
  readonly succeeded: number;
  readonly failed: number;
}

/** How many durations of one step a bucket has. */
export interface CountedDurations {
  readonly at: number;
  readonly step: number;
  readonly answers: number;
  readonly receipts: number;
}

const rowsOf = ({ tenant }: Work, { endpointId, from, to, bucketMs }: StatisticsRange) => sql`
  select (extract(epoch from date_bin(${`${bucketMs} milliseconds`}::interval, bucket, 'epoch')) * 1000)::float8 as at,
    succeeded, failed, answers, receipts
  from webhook_statistics
  where team_id = ${tenant.teamId} and environment = ${tenant.environment} and endpoint_id = ${endpointId}
    and bucket >= ${from} and bucket < ${to}`;

export async function listCountedAttempts(work: Work, range: StatisticsRange): Promise<CountedAttempts[]> {
  const { rows } = await sql<CountedAttempts>`
    select at, sum(succeeded)::float8 as succeeded, sum(failed)::float8 as failed
    from (${rowsOf(work, range)}) as counted group by at`.execute(work.tx);
  return rows;
}

export async function listCountedDurations(work: Work, range: StatisticsRange): Promise<CountedDurations[]> {
  const { rows } = await sql<CountedDurations>`
    select at, (n - 1)::int as step, coalesce(sum(a), 0)::float8 as answers, coalesce(sum(r), 0)::float8 as receipts
    from (${rowsOf(work, range)}) as counted cross join lateral unnest(answers, receipts) with ordinality as steps (a, r, n)
    where a > 0 or r > 0 group by at, n`.execute(work.tx);
  return rows;
}
