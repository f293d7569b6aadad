import { sql } from 'kysely';
import { DAY, later, MINUTE } from '../../platform/clock.ts';
import { defer, type Work } from '../../platform/work.ts';
import './table.ts';

/** Longer than any trend that is read. */
const KEPT_MS = 400 * DAY;
const BUCKET_MS = 15 * MINUTE;
/** How many rows share a count. The last digits of an id are random. */
const SLOTS = 32;
const REMOVED_AT_ONCE = 1000;

const COUNT = `
  insert into sample_tally as t (team_id, environment, bucket, slot, received)
  values ($1::uuid, $2::text, $3::timestamptz, $4::smallint, $5::bigint)
  on conflict (team_id, environment, bucket, slot) do update set received = t.received + excluded.received`;

/**
 * Counts samples that were received. Call it last: the row of the count is locked until the transaction ends. Deferred,
 * so that it takes no round trip.
 */
export const countReceived = (work: Work, userId: string, count: number): void =>
  defer(work, {
    compile: () => ({
      sql: COUNT,
      parameters: [
        work.tenant.teamId,
        work.tenant.environment,
        new Date(Math.floor(work.now.getTime() / BUCKET_MS) * BUCKET_MS),
        Number.parseInt(userId.slice(-4), 16) % SLOTS,
        count,
      ],
    }),
  });

/** Removes some old counts. Those that another transaction removes are left to it. */
export async function removeOldCounts({ tx, tenant, now }: Work): Promise<void> {
  await sql`
    delete from sample_tally where ctid = any(array(
      select ctid from sample_tally
      where team_id = ${tenant.teamId} and environment = ${tenant.environment}
        and bucket < ${later(now, -KEPT_MS)}
      order by bucket limit ${REMOVED_AT_ONCE} for update skip locked))`.execute(tx);
}
