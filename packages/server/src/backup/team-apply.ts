import type pg from 'pg';
import { DAY } from '../platform/clock.ts';
import { holdTimers, type HeldWork } from './team-holds.ts';
import type { TeamReplacement } from './team-change.ts';
import { mergeKeys } from './team-keys.ts';
import { listJobs } from './team-jobs.ts';
import { checkReferences, leaveOutRemovedMembers, refuseRestore, type ReplaceWish } from './team-checks.ts';
import { KEPT_TABLES, LASTING_ENDINGS, MERGED_TABLES, REPLACED_TABLES } from './team-rules.ts';
import { columnListOf, quoteIdentifier } from './tables.ts';
import { stagedNameOf } from './team-stage.ts';

interface TableCount {
  readonly table: string;
  readonly deleted: number;
  readonly written: number;
}

export interface AppliedTeam extends HeldWork {
  readonly orgId: string;
  readonly tables: readonly TableCount[];
  readonly jobsRemoved: number;
  /** Orders that were sent, and results that came, after the backup; they are lost. */
  readonly laterOrders: readonly string[];
  readonly laterResults: number;
  /** Keys, tokens and users that the house had ended since the backup, by table. */
  readonly keptEndings: Readonly<Record<string, number>>;
  /** Users of the backup that the house had erased: they are erased again at once. */
  readonly erasedAgain: number;
  /** Events that no handler had seen at the time of the backup: they are in the log, but nothing reacts to them. */
  readonly unhandledEvents: number;
  /** Rows of members who were removed since the backup. */
  readonly leftOut: number;
}

/** A cursor that a consumer keeps cannot be beyond this many events after a backup. */
const POSITION_GAP = 1_000_000_000;
const GRACE_DAYS = 7;

/** Locks, checks, deletes and writes. The caller has begun the transaction, and ends it. */
export async function applyTeam(change: TeamReplacement, wish: ReplaceWish): Promise<AppliedTeam> {
  const { client, teamId } = change;
  await lockTables(client, change.lockTimeoutMs);
  const { orgId, laterOrders, laterResults } = await refuseRestore(change, wish);
  await noteEndings(client, teamId);
  // Rows are written before those that they refer to; what they refer to is checked at the end.
  await client.query('set local session_replication_role = replica');
  const jobsRemoved = await removeJobs(client, teamId);
  await upsertTenant(change);
  await mergeKeys(change);
  const tables = await replaceRows(change);
  const unhandledEvents = await continuePositions(change);
  const keptEndings = await keepEndings(client);
  const erasedAgain = await eraseAgain(change);
  if (erasedAgain > 0 || keptEndings['app_user'] !== undefined) await countUsers(change);
  const held = await holdTimers(change);
  await client.query('set local session_replication_role = origin');
  const leftOut = wish.withoutRemovedMembers ? await leaveOutRemovedMembers(client, teamId) : 0;
  await checkReferences(client, teamId);
  return {
    orgId,
    tables,
    jobsRemoved,
    laterOrders,
    laterResults,
    keptEndings,
    erasedAgain,
    unhandledEvents,
    leftOut,
    ...held,
  };
}

/** Nobody writes to these tables until the end of the transaction, so that no worker acts on half a team. */
async function lockTables(client: pg.ClientBase, timeoutMs: number): Promise<void> {
  const names = [...REPLACED_TABLES, ...Object.keys(MERGED_TABLES), 'data_key_rotation'].toSorted();
  await client.query(`set local lock_timeout = ${timeoutMs}`);
  await client.query(
    `lock table ${names.map((name) => `public.${quoteIdentifier(name)}`).join(', ')}, graphile_worker.jobs
     in share row exclusive mode`,
  );
}

async function removeJobs(client: pg.ClientBase, teamId: string): Promise<number> {
  const jobs = await listJobs(client, teamId);
  const { rows } = await client.query('select from graphile_worker.complete_jobs($1::bigint[])', [
    jobs.map(({ id }) => id),
  ]);
  return rows.length;
}

/** Remembers what the house has ended. */
async function noteEndings(client: pg.ClientBase, teamId: string): Promise<void> {
  for (const { table, column } of LASTING_ENDINGS)
    await client.query(
      `create temp table ended_${table} on commit drop as
       select team_id, environment, id, ${column} as ended from public.${table}
       where team_id = '${teamId}' and ${column} is not null`,
    );
}

async function keepEndings(client: pg.ClientBase): Promise<Record<string, number>> {
  const kept: Record<string, number> = {};
  for (const { table, column } of LASTING_ENDINGS) {
    const { rowCount } = await client.query(
      `update public.${table} t set ${column} = e.ended from ended_${table} e
       where t.team_id = e.team_id and t.environment = e.environment and t.id = e.id and t.${column} is null`,
    );
    if (rowCount) kept[table] = rowCount;
  }
  return kept;
}

/** The rows that others refer to become as in the backup, without being deleted. */
async function upsertTenant({ client, staged }: TeamReplacement): Promise<void> {
  for (const [name, key] of [
    ['team', ['id']],
    ['team_environment', ['team_id', 'environment']],
  ] as const) {
    const table = staged.tables.get(name);
    if (!table) throw new Error(`The backup has no table ${name}`);
    const others = table.columns.filter((column) => !key.some((one) => one === column)).map(quoteIdentifier);
    await client.query(
      `insert into public.${name} (${columnListOf(table)}) select ${columnListOf(table)} from ${stagedNameOf(name)}
       on conflict (${key.join(', ')}) do update set ${others.map((one) => `${one} = excluded.${one}`).join(', ')}`,
    );
  }
  const certificates = staged.tables.get('erasure_certificate');
  if (!certificates) return;
  await client.query(
    `insert into public.erasure_certificate (${columnListOf(certificates)})
     select ${columnListOf(certificates)} from ${stagedNameOf('erasure_certificate')} on conflict do nothing`,
  );
}

async function replaceRows({ client, staged, teamId }: TeamReplacement): Promise<TableCount[]> {
  const counts: TableCount[] = [];
  for (const name of REPLACED_TABLES) {
    if (name in KEPT_TABLES) continue;
    const { rowCount: deleted } = await client.query(`delete from public.${name} where team_id = $1`, [
      teamId,
    ]);
    const table = staged.tables.get(name);
    const { rowCount: written } = table
      ? await client.query(
          `insert into public.${name} (${columnListOf(table)}) select ${columnListOf(table)} from ${stagedNameOf(name)}`,
        )
      : { rowCount: 0 };
    if (deleted || written) counts.push({ table: name, deleted: deleted ?? 0, written: written ?? 0 });
  }
  return counts;
}

/**
 * The log continues above every position that a consumer can have seen. Events without a position are placed there, too:
 * else their handlers would react to them a second time. Returns how many those are.
 */
async function continuePositions({ client, teamId }: TeamReplacement): Promise<number> {
  await client.query(
    `insert into public.event_log_head as h (team_id, environment, last_position, removed_to)
     select team_id, environment, last_position + case when exists (select from public.event_log_head k
       where k.team_id = s.team_id and k.environment = s.environment) then 0 else ${POSITION_GAP} end, removed_to
     from ${stagedNameOf('event_log_head')} s
     on conflict (team_id, environment) do update
       set last_position = greatest(h.last_position, excluded.last_position), removed_to = excluded.removed_to`,
  );
  const { rowCount } = await client.query(
    `with placed as (
       select e.team_id, e.environment, e.id, h.last_position
         + row_number() over (partition by e.environment order by e.id) as position
       from public.event e join public.event_log_head h using (team_id, environment)
       where e.team_id = $1 and e.position is null)
     update public.event e set position = p.position from placed p
     where e.team_id = p.team_id and e.environment = p.environment and e.id = p.id`,
    [teamId],
  );
  await client.query(
    `update public.event_log_head h set last_position = greatest(h.last_position, (select max(e.position)
       from public.event e where e.team_id = h.team_id and e.environment = h.environment))
     where h.team_id = $1`,
    [teamId],
  );
  return rowCount ?? 0;
}

/** A user who stays deleted or is erased again counts no more, and no trigger runs while rows are written. */
async function countUsers({ client, teamId }: TeamReplacement): Promise<void> {
  await client.query('delete from public.user_tally where team_id = $1', [teamId]);
  await client.query(
    `insert into public.user_tally (team_id, environment, users)
     select team_id, environment, count(*) from public.app_user
     where team_id = $1 and deleted_at is null group by 1, 2`,
    [teamId],
  );
}

/**
 * Users whose erasure the house has certified are erased again, by the worker that erases users: hidden until then, and
 * past the time in which a deletion can be undone. The new erasure writes its own certificate.
 */
async function eraseAgain({ client, teamId, now }: TeamReplacement): Promise<number> {
  const { rowCount } = await client.query(
    `with again as (
       delete from public.erasure_certificate c using public.app_user u
       where c.team_id = $1 and u.team_id = c.team_id and u.environment = c.environment and u.id = c.about_user
       returning c.team_id, c.environment, c.about_user)
     update public.app_user u set deleted_at = $2::timestamptz + interval '1 ms' * t.clock_offset_ms
       - interval '${GRACE_DAYS} days 1 minute'
     from again a join public.team_environment t using (team_id, environment)
     where u.team_id = a.team_id and u.environment = a.environment and u.id = a.about_user`,
    [teamId, now],
  );
  await client.query(
    `insert into public.timer (team_id, environment, job, key, due_at, due_wall, input)
     select u.team_id, u.environment, 'users.erase', u.id::text, u.deleted_at + interval '${GRACE_DAYS * DAY} ms',
       u.deleted_at + interval '${GRACE_DAYS * DAY} ms' - interval '1 ms' * t.clock_offset_ms,
       jsonb_build_object('user_id', u.id)
     from public.app_user u join public.team_environment t using (team_id, environment)
     where u.team_id = $1 and u.deleted_at is not null on conflict do nothing`,
    [teamId],
  );
  return rowCount ?? 0;
}
