import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';

/**
 * The tables whose rows come due on the tenant's clock. `waiting` selects the rows that run when they are due;
 * `unfinished` also selects held rows, which may wait for their due time again.
 */
const clockedTables = [
  { table: 'timer', waiting: 'true', unfinished: 'true' },
  { table: 'webhook_delivery', waiting: "status = 'pending'", unfinished: "status in ('pending', 'held')" },
  { table: 'webhook_bundle', waiting: 'true', unfinished: 'true' },
] as const;

const SANDBOX = sql`environment = 'sandbox'`;

/**
 * Leases the clock of the team to one mover until `until`, in system time, so a mover that died loses it then.
 * Returns the clock offset in milliseconds; undefined while another mover holds the lease.
 */
export async function acquireClock(
  tx: Tx,
  teamId: string,
  { now, until }: { now: Date; until: Date },
): Promise<number | undefined> {
  const { rows } = await sql<{ clock_offset_ms: number }>`
    update team_environment set clock_taken_until = ${until}
    where team_id = ${teamId} and ${SANDBOX} and (clock_taken_until is null or clock_taken_until <= ${now})
    returning clock_offset_ms`.execute(tx);
  return rows[0]?.clock_offset_ms;
}

/** Whether the sandbox has or had users, deleted and erased ones included. */
export async function hasHadUsers(tx: Tx, teamId: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from app_user where team_id = ${teamId} and ${SANDBOX})
      or exists (select from erasure_certificate where team_id = ${teamId} and ${SANDBOX}) as found`.execute(
    tx,
  );
  return rows[0]?.found ?? false;
}

/**
 * Before the clock is set back: keys that have expired at `now` are expired at `target` too, and at every later time.
 * They lose the exact time of their expiry, which the audit log still has.
 */
export async function keepExpiredKeys(
  tx: Tx,
  teamId: string,
  { now, target }: { now: Date; target: Date },
): Promise<void> {
  await sql`update api_key set expires_at = ${target}
    where team_id = ${teamId} and ${SANDBOX} and expires_at <= ${now}`.execute(tx);
}

/** The only way to lower a clock offset, for a sandbox without a history. */
export async function lowerClockOffset(tx: Tx, teamId: string, offsetMs: number): Promise<void> {
  await sql`update team_environment set clock_offset_ms = ${offsetMs}::bigint
    where team_id = ${teamId} and ${SANDBOX}`.execute(tx);
  await recalculateDueTimes(tx, teamId, offsetMs);
}

export async function releaseClock(tx: Tx, teamId: string): Promise<void> {
  await sql`update team_environment set clock_taken_until = null
    where team_id = ${teamId} and ${SANDBOX}`.execute(tx);
}

interface DueSearchWindow {
  readonly now: Date;
  readonly until: Date;
  /** Jobs whose timers are ignored. */
  readonly excludedJobs: readonly string[];
}

/** The first due time of the team after `now` and up to `until`, rounded up to milliseconds. */
export async function findNextDue(
  tx: Tx,
  teamId: string,
  { now, until, excludedJobs }: DueSearchWindow,
): Promise<Date | undefined> {
  const due = clockedTables.map(
    ({ table, waiting }) => sql`
      select min(due_at) as due_at from ${sql.table(table)}
      where team_id = ${teamId} and ${SANDBOX} and ${sql.raw(waiting)} and due_at > ${now} and due_at <= ${until}
        ${table === 'timer' ? sql`and job <> all(${excludedJobs}::text[])` : sql``}`,
  );
  const { rows } = await sql<{ due: number | null }>`
    select ceil(extract(epoch from min(due_at)) * 1000)::float8 as due
    from (${sql.join(due, sql` union all `)}) as first`.execute(tx);
  const moment = rows[0]?.due ?? null;
  return moment === null ? undefined : new Date(moment);
}

export async function getClockOffset(tx: Tx, teamId: string): Promise<number> {
  const row = await tx
    .selectFrom('team_environment')
    .select('clock_offset_ms')
    .where('team_id', '=', teamId)
    .where('environment', '=', 'sandbox')
    .executeTakeFirstOrThrow();
  return row.clock_offset_ms;
}

/**
 * Raises the clock offset, never lowers it, and recalculates the due times of waiting rows in system time. Returns
 * the new offset.
 */
export async function setClockOffset(
  tx: Tx,
  teamId: string,
  { offsetMs, takenUntil }: { offsetMs: number; takenUntil: Date },
): Promise<number> {
  const { rows } = await sql<{ clock_offset_ms: number }>`
    update team_environment
    set clock_offset_ms = greatest(clock_offset_ms, ${offsetMs}::bigint), clock_taken_until = ${takenUntil}
    where team_id = ${teamId} and ${SANDBOX}
    returning clock_offset_ms`.execute(tx);
  const set = rows[0]?.clock_offset_ms ?? offsetMs;
  await recalculateDueTimes(tx, teamId, set);
  return set;
}

async function recalculateDueTimes(tx: Tx, teamId: string, offsetMs: number): Promise<void> {
  const ahead = sql`(${offsetMs}::bigint * interval '1 millisecond')`;
  for (const { table, unfinished } of clockedTables) {
    await sql`
      update ${sql.table(table)} set due_wall = due_at - ${ahead}
      where team_id = ${teamId} and ${SANDBOX} and ${sql.raw(unfinished)} and due_wall <> due_at - ${ahead}`.execute(
      tx,
    );
  }
}

/** Whether the team's sandbox has work that is due or in progress: an event without position, a due row, or a job. */
export async function hasPendingWork(tx: Tx, teamId: string, now: Date): Promise<boolean> {
  const due = clockedTables.map(
    ({ table, waiting }) => sql`
      exists (select from ${sql.table(table)}
        where team_id = ${teamId} and ${SANDBOX} and ${sql.raw(waiting)} and due_wall <= ${now})`,
  );
  const { rows } = await sql<{ busy: boolean }>`
    select exists (select from event
        where position is null and environment || team_id::text = 'sandbox' || ${teamId}::uuid::text)
      or ${sql.join(due, sql` or `)} or aliquot_runnable_jobs(${teamId}, 'sandbox') > 0 as busy`.execute(tx);
  return rows[0]?.busy ?? false;
}
