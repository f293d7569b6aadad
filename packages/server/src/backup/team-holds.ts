import type pg from 'pg';
import type { TeamReplacement } from './team-change.ts';
import { BROKER_QUEUE, ORDER_JOB, TIMER_RULES } from './team-rules.ts';
import { STAGED_JOBS, STAGED_TASKS, stagedNameOf } from './team-stage.ts';

export interface WorkCount {
  readonly kind: string;
  readonly count: number;
}

export interface HeldWork {
  readonly held: readonly WorkCount[];
  readonly goesOn: readonly WorkCount[];
  /** Orders whose transmission to a laboratory is held. */
  readonly heldOrders: readonly string[];
  /** Webhook messages that were waiting: failed now, and can be replayed. */
  readonly failedMessages: number;
}

/**
 * What is held is due 6800 years later: it keeps its place, so that nothing creates it a second time, and its time can
 * be computed back. In this many years the calendar repeats itself.
 */
const HOLD = "interval '2483649 days'";
const IS_HELD = "due_wall > timestamptz '8000-01-01T00:00:00Z'";

/** Holds whatever would send something out of the house. */
export async function holdTimers(change: TeamReplacement): Promise<HeldWork> {
  const { client, teamId } = change;
  await adoptJobs(change);
  const goesOn = Object.keys(TIMER_RULES).filter((job) => TIMER_RULES[job] === 'goes on');
  await client.query(
    `update public.timer set due_at = due_at + ${HOLD}, due_wall = due_wall + ${HOLD}
     where team_id = $1 and job <> all($2) and not ${IS_HELD}`,
    [teamId, goesOn],
  );
  await holdBrokerQueue(client, teamId);
  const { rows } = await client.query<WorkCount>(
    'select job as kind, count(*)::int as count from public.timer where team_id = $1 and job = any($2) group by 1 order by 1',
    [teamId, goesOn],
  );
  const failedMessages = await failMessages(change);
  return {
    held: await listHeld(client, teamId),
    goesOn: rows,
    heldOrders: await listHeldOrders(client, teamId),
    failedMessages,
  };
}

/** Jobs that waited in the queue of the backup become timers, which are held like others. */
async function adoptJobs({ client, teamId, staged }: TeamReplacement): Promise<void> {
  if (!staged.tables.has(STAGED_JOBS) || !staged.tables.has(STAGED_TASKS)) return;
  await client.query(
    `insert into public.timer (team_id, environment, job, key, due_at, due_wall, input, lane)
     select e.team_id, e.environment, t.identifier, 'restored/' || j.id, j.run_at + interval '1 ms' * e.clock_offset_ms,
       j.run_at, j.payload::jsonb->'input', j.payload->>'lane'
     from ${stagedNameOf(STAGED_JOBS)} j join ${stagedNameOf(STAGED_TASKS)} t on t.id = j.task_id
     join public.team_environment e on e.team_id::text = j.payload->>'team_id' and e.environment = j.payload->>'environment'
     where e.team_id = $1 and j.payload::jsonb ? 'input' on conflict do nothing`,
    [teamId],
  );
}

async function holdBrokerQueue(client: pg.ClientBase, teamId: string): Promise<void> {
  await client.query(
    `update public.pipeline_delivery set due_wall = due_wall + ${HOLD} where team_id = $1 and not ${IS_HELD}`,
    [teamId],
  );
  // A broker that counts as failing would hand its queue over to the reserve, due at once.
  await client.query(
    `update public.event_destination set failing_since = null, retry_at = null, leased_until = null where team_id = $1`,
    [teamId],
  );
}

async function listHeld(client: pg.ClientBase, teamId: string): Promise<WorkCount[]> {
  const { rows } = await client.query<WorkCount>(
    `select kind, count(*)::int as count from (
       select job as kind from public.timer where team_id = $1 and ${IS_HELD}
       union all select '${BROKER_QUEUE}' from public.pipeline_delivery where team_id = $1 and ${IS_HELD}) as held
     group by 1 order by 1`,
    [teamId],
  );
  return rows;
}

export async function listHeldOrders(client: pg.ClientBase, teamId: string): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select distinct input->>'order_id' as id from public.timer
     where team_id = $1 and job = $2 and ${IS_HELD} order by 1`,
    [teamId, ORDER_JOB],
  );
  return rows.map(({ id }) => id);
}

/** Lets go of what is held, of all kinds or of some. Returns how many of each. */
export async function releaseHeld(
  client: pg.ClientBase,
  teamId: string,
  kinds: readonly string[],
): Promise<WorkCount[]> {
  const before = await listHeld(client, teamId);
  const chosen = before.filter(({ kind }) => kinds.length === 0 || kinds.includes(kind));
  await client.query(
    `update public.timer set due_at = due_at - ${HOLD}, due_wall = due_wall - ${HOLD}
     where team_id = $1 and job = any($2) and ${IS_HELD}`,
    [teamId, chosen.map(({ kind }) => kind)],
  );
  if (chosen.some(({ kind }) => kind === BROKER_QUEUE))
    await client.query(
      `update public.pipeline_delivery set due_wall = due_wall - ${HOLD} where team_id = $1 and ${IS_HELD}`,
      [teamId],
    );
  return chosen;
}

/** What the team sees as the error of messages that were waiting. */
const RESTORED = 'restored from a backup: not sent again';

/** Messages that waited, or were held, end as failed: an attempt says why, and the team can replay them. */
async function failMessages({ client, teamId, now }: TeamReplacement): Promise<number> {
  await client.query(
    `insert into public.webhook_delivery (team_id, environment, id, endpoint_id, event_id, due_at, due_wall, created_at)
     select b.team_id, b.environment, public.aliquot_bundled_id(b.id, m.number), b.endpoint_id, m.event_id, b.due_at,
       b.due_wall, b.due_at
     from public.webhook_bundle b cross join lateral unnest(b.event_ids) with ordinality as m (event_id, number)
     where b.team_id = $1 and exists (select from public.event e
       where e.team_id = b.team_id and e.environment = b.environment and e.id = m.event_id)
     on conflict do nothing`,
    [teamId],
  );
  await client.query('delete from public.webhook_bundle where team_id = $1', [teamId]);
  const { rowCount } = await client.query(
    `with failed as (
       update public.webhook_delivery d set status = 'failed', attempts = d.attempts + 1,
         finished_at = $2::timestamptz + interval '1 ms' * e.clock_offset_ms
       from public.team_environment e where e.team_id = d.team_id and e.environment = d.environment
         and d.team_id = $1 and d.status <> 'failed'
       returning d.*)
     insert into public.webhook_attempt (team_id, environment, id, endpoint_id, event_id, attempt, at, status_code, error,
       duration_ms)
     select team_id, environment, (substr(hex, 1, 8) || '-' || substr(hex, 9) || '-7000' || substr(gen_random_uuid()::text, 19))::uuid,
       endpoint_id, event_id, attempts, finished_at, null, $3, 0
     from failed, lateral (select lpad(to_hex(floor(extract(epoch from finished_at) * 1000)::bigint), 12, '0') as hex) as h`,
    [teamId, now, RESTORED],
  );
  return rowCount ?? 0;
}
