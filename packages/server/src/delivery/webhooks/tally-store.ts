import { sql } from 'kysely';
import type { Work } from '../../platform/work.ts';
import './table.ts';

export interface TallyRow {
  readonly endpoint_id: string;
  readonly event_type: string;
  /** The start of the step, in seconds since the Unix epoch. */
  readonly at: number;
  readonly succeeded: number;
  readonly failed: number;
}

/** The counts of attempts since a timestamp, summed per step. */
export async function listTally(
  { tx, tenant }: Work,
  { from, stepSeconds }: { from: Date; stepSeconds: number },
): Promise<TallyRow[]> {
  const { rows } = await sql<TallyRow>`
    select endpoint_id, event_type,
      extract(epoch from date_bin(${`${stepSeconds} seconds`}::interval, bucket, 'epoch'))::float8 as at,
      sum(succeeded)::float8 as succeeded, sum(failed)::float8 as failed
    from webhook_tally
    where team_id = ${tenant.teamId} and environment = ${tenant.environment} and bucket >= ${from}
    group by 1, 2, 3 order by 1, 2, 3`.execute(tx);
  return rows;
}
