import { sql } from 'kysely';
import type { Tx } from '../platform/db/database.ts';

/**
 * The tables whose rows come due on the tenant's clock: which rows wait for their moment,
 * and which have one at all. What is held does not go at its moment, but may wait for it again.
 */
export const clockedTables = [
  { table: 'timer', waiting: 'true', unfinished: 'true' },
  { table: 'webhook_delivery', waiting: "status = 'pending'", unfinished: "status in ('pending', 'held')" },
  { table: 'webhook_bundle', waiting: 'true', unfinished: 'true' },
] as const;

const SANDBOX = sql`environment = 'sandbox'`;

/**
 * Takes the clock of the team for one mover until `until`, on the system's clock; a mover that died
 * loses it then. Answers how far the clock is ahead; `undefined`: somebody else moves it.
 */
export async function takeClock(
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

export async function giveClockBack(tx: Tx, teamId: string): Promise<void> {
  await sql`update team_environment set clock_taken_until = null
    where team_id = ${teamId} and ${SANDBOX}`.execute(tx);
}

interface Span {
  readonly now: Date;
  readonly until: Date;
  /** Jobs whose timers do not count. */
  readonly butFor: readonly string[];
}

/** The first moment after `now`, up to `until`, at which something of the team comes due, in whole milliseconds. */
export async function nextDue(
  tx: Tx,
  teamId: string,
  { now, until, butFor }: Span,
): Promise<Date | undefined> {
  const due = clockedTables.map(
    ({ table, waiting }) => sql`
      select min(due_at) as due_at from ${sql.table(table)}
      where team_id = ${teamId} and ${SANDBOX} and ${sql.raw(waiting)} and due_at > ${now} and due_at <= ${until}
        ${table === 'timer' ? sql`and job <> all(${butFor}::text[])` : sql``}`,
  );
  const { rows } = await sql<{ due: number | null }>`
    select ceil(extract(epoch from min(due_at)) * 1000)::float8 as due
    from (${sql.join(due, sql` union all `)}) as first`.execute(tx);
  const moment = rows[0]?.due ?? null;
  return moment === null ? undefined : new Date(moment);
}

export async function getOffset(tx: Tx, teamId: string): Promise<number> {
  const row = await tx
    .selectFrom('team_environment')
    .select('clock_offset_ms')
    .where('team_id', '=', teamId)
    .where('environment', '=', 'sandbox')
    .executeTakeFirstOrThrow();
  return row.clock_offset_ms;
}

/**
 * Sets how far the clock is ahead, never back, and tells every waiting row when that is on the system's clock.
 * Answers how far it is ahead now.
 */
export async function setOffset(
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
  const ahead = sql`(${set}::bigint * interval '1 millisecond')`;
  for (const { table, unfinished } of clockedTables) {
    await sql`
      update ${sql.table(table)} set due_wall = due_at - ${ahead}
      where team_id = ${teamId} and ${SANDBOX} and ${sql.raw(unfinished)} and due_wall <> due_at - ${ahead}`.execute(
      tx,
    );
  }
  return set;
}

/** Whether something of the team's sandbox is due or under way: an event to place, a row that waits, a job. */
export async function isBusy(tx: Tx, teamId: string, now: Date): Promise<boolean> {
  const due = clockedTables.map(
    ({ table, waiting }) => sql`
      exists (select from ${sql.table(table)}
        where team_id = ${teamId} and ${SANDBOX} and ${sql.raw(waiting)} and due_wall <= ${now})`,
  );
  const { rows } = await sql<{ busy: boolean }>`
    select exists (select from event where position is null and team_id = ${teamId} and ${SANDBOX})
      or ${sql.join(due, sql` or `)} or aliquot_runnable_jobs(${teamId}, 'sandbox') > 0 as busy`.execute(tx);
  return rows[0]?.busy ?? false;
}
