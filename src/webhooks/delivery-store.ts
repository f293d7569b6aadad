import { sql } from 'kysely';
import type { Tx } from '../platform/db/database.ts';
import type { Environment, Tenant } from '../platform/tenant.ts';
import { ROOM_AT_FIRST } from './lanes.ts';
import './table.ts';

/** A message that this sender has leased, with what is needed to send it. */
export interface ClaimedRow {
  readonly team_id: string;
  readonly environment: Environment;
  readonly id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  /** How often it was tried before. */
  readonly attempts: number;
  readonly revision: number;
  /** The endpoint has failed since its last success. */
  readonly troubled: boolean;
  readonly clock_offset_ms: number;
  readonly event_type: string;
  readonly user_id: string | null;
  readonly client_user_id: string | null;
  readonly data: Buffer;
}

export interface Claim {
  readonly now: Date;
  readonly leasedUntil: Date;
  readonly limit: number;
  /** Endpoints with more or less room than at first. */
  readonly ids: readonly string[];
  readonly rooms: readonly number[];
}

/**
 * For the rest of the transaction rows are found by index only. A plan is kept, and one that was made while the queue
 * was empty would read the whole table once the queue is full; what is done here is right by index at any size.
 */
export async function byIndexOnly(tx: Tx): Promise<void> {
  await sql`
    select set_config(name, 'off', true)
    from unnest(array['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin', 'enable_sort'])
      as name`.execute(tx);
}

/**
 * Leases what was picked and answers it together with its event. Every row is looked up by its own id: `offset 0` keeps
 * the planner from joining by the tenant first, which looks as good while there are few rows and is not.
 */
const leased = (leasedUntil: Date) => sql`
  update webhook_delivery d set leased_until = ${leasedUntil}
  from picked p
  cross join lateral (select revision, first_failure_at from webhook_endpoint
    where id = p.endpoint_id offset 0) e
  cross join lateral (select event_type, user_id, client_user_id, data from event
    where team_id = p.team_id and environment = p.environment and id = p.event_id offset 0) v
  cross join lateral (select clock_offset_ms from team_environment
    where team_id = p.team_id and environment = p.environment offset 0) t
  where d.id = p.id
  returning d.team_id, d.environment, d.id, d.endpoint_id, d.event_id, d.attempts, e.revision,
    e.first_failure_at is not null as troubled, t.clock_offset_ms,
    v.event_type, v.user_id, v.client_user_id, v.data`;

/**
 * Takes due messages, from each endpoint no more than it has room for. Endpoints are walked by single steps in the
 * index, beginning after `after`, so that a long queue of one endpoint costs the others nothing.
 */
export async function claimDeliveries(
  tx: Tx,
  { now, leasedUntil, limit, ids, rooms, after }: Claim & { after: string },
): Promise<ClaimedRow[]> {
  const { rows } = await sql<ClaimedRow>`
    with recursive waiting as (
      (select endpoint_id from webhook_delivery
        where status = 'pending' and endpoint_id > ${after}::uuid order by endpoint_id limit 1)
      union all
      select (select d.endpoint_id from webhook_delivery d
        where d.status = 'pending' and d.endpoint_id > waiting.endpoint_id order by d.endpoint_id limit 1)
      from waiting where waiting.endpoint_id is not null),
    known as materialized (select * from unnest(${ids}::uuid[], ${rooms}::int[]) as known (endpoint_id, room)),
    picked as materialized (
      select d.* from waiting
      cross join lateral (select from webhook_endpoint e where e.id = waiting.endpoint_id
        and e.disabled_at is null and e.rate_limit is null offset 0) e
      left join known on known.endpoint_id = waiting.endpoint_id
      cross join lateral (
        select team_id, environment, id, endpoint_id, event_id from webhook_delivery
        where endpoint_id = waiting.endpoint_id and status = 'pending' and due_wall <= ${now}
          and (leased_until is null or leased_until <= ${now})
        order by due_wall limit coalesce(known.room, ${ROOM_AT_FIRST}) for update skip locked) d
      limit ${limit})
    ${leased(leasedUntil)}`.execute(tx);
  return rows;
}

/** Messages of a limited endpoint are taken by parts of a second, a little slower than the limit says. */
const PARTS_A_SECOND = 20;
const PACE_MS = 1050;

/**
 * The same for endpoints with a rate limit. When the next ones may go stands in the endpoint's row,
 * which is locked meanwhile: the limit holds for all senders together.
 */
export async function claimLimited(
  tx: Tx,
  { now, leasedUntil, limit, ids, rooms }: Claim,
): Promise<ClaimedRow[]> {
  const { rows } = await sql<ClaimedRow>`
    with known as materialized (
      select * from unnest(${ids}::uuid[], ${rooms}::int[]) as known (endpoint_id, room)),
    free as materialized (
      select e.team_id, e.environment, e.id, e.rate_limit from webhook_endpoint e
      where e.rate_limit is not null and e.disabled_at is null
        and (e.rate_free_at is null or e.rate_free_at <= ${now})
        and exists (select from webhook_delivery d where d.endpoint_id = e.id and d.status = 'pending'
          and d.due_wall <= ${now} and (d.leased_until is null or d.leased_until <= ${now}))
      order by e.rate_free_at nulls first limit ${limit} for no key update of e skip locked),
    picked as materialized (
      select d.*, free.rate_limit from free
      left join known on known.endpoint_id = free.id
      cross join lateral (
        select team_id, environment, id, endpoint_id, event_id from webhook_delivery
        where endpoint_id = free.id and status = 'pending' and due_wall <= ${now}
          and (leased_until is null or leased_until <= ${now})
        order by due_wall
        limit least(ceil(free.rate_limit / ${PARTS_A_SECOND}::numeric), coalesce(known.room, ${ROOM_AT_FIRST}))
        for update skip locked) d),
    paced as (
      update webhook_endpoint e
      set rate_free_at = ${now}::timestamptz + interval '1 ms' * (${PACE_MS}::int * used.count / e.rate_limit)
      from (select endpoint_id, count(*) from picked group by 1) used
      where e.id = used.endpoint_id)
    ${leased(leasedUntil)}`.execute(tx);
  return rows;
}

/** An outcome in the columns of its tables; moments are the system's. */
export interface RecordRow {
  readonly tenant: Tenant;
  readonly id: string;
  readonly endpointId: string;
  /** How often the message had been tried when it was taken. */
  readonly attemptsBefore: number;
  readonly status: string;
  readonly dueWall: Date | null;
  readonly wall: Date;
  readonly attemptId: string;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  readonly response: Buffer | null;
}

/**
 * Writes down many outcomes and their attempts at once, and answers the ids of those that were written. One that
 * somebody else wrote first, after its lease had ended, is left as it is. Works for the system and for a tenant.
 */
export async function recordOutcomes(tx: Tx, rows: readonly RecordRow[]): Promise<Set<string>> {
  const column = <T>(read: (row: RecordRow) => T): T[] => rows.map(read);
  const { rows: written } = await sql<{ delivery_id: string }>`
    with v as materialized (select * from unnest(
      ${column((r) => r.tenant.teamId)}::uuid[], ${column((r) => r.tenant.environment)}::text[],
      ${column((r) => r.id)}::uuid[], ${column((r) => r.endpointId)}::uuid[],
      ${column((r) => r.attemptsBefore)}::int[],
      ${column((r) => r.status)}::text[], ${column((r) => r.dueWall)}::timestamptz[],
      ${column((r) => r.wall)}::timestamptz[], ${column((r) => r.attemptId)}::uuid[],
      ${column((r) => r.statusCode)}::int[], ${column((r) => r.error)}::text[],
      ${column((r) => r.durationMs)}::int[], ${column((r) => r.response)}::bytea[])
      as v (team_id, environment, id, endpoint_id, attempts_before, status, due_wall, wall, attempt_id,
        status_code, error, duration_ms, response)),
    done as (
      update webhook_delivery d set
        status = case when v.status = 'pending' and (e.disabled_at is not null or d.status = 'held')
          then 'held' else v.status end,
        attempts = d.attempts + 1, leased_until = null,
        due_wall = coalesce(v.due_wall, d.due_wall),
        due_at = coalesce(v.due_wall + interval '1 ms' * t.clock_offset_ms, d.due_at),
        finished_at = case when v.due_wall is null then v.wall + interval '1 ms' * t.clock_offset_ms end
      from v
      cross join lateral (select clock_offset_ms from team_environment
        where team_id = v.team_id and environment = v.environment offset 0) t
      cross join lateral (select disabled_at from webhook_endpoint where id = v.endpoint_id offset 0) e
      where d.id = v.id and d.status in ('pending', 'held') and d.attempts = v.attempts_before
      returning d.team_id, d.environment, d.id as delivery_id, v.attempt_id, d.endpoint_id, d.attempts,
        v.wall + interval '1 ms' * t.clock_offset_ms as at, v.status_code, v.error, v.duration_ms, v.response)
    insert into webhook_attempt (team_id, environment, delivery_id, id, endpoint_id, attempt, at, status_code,
      error, duration_ms, response)
    select * from done returning delivery_id`.execute(tx);
  return new Set(written.map(({ delivery_id }) => delivery_id));
}

export const findEvent = (tx: Tx, { tenant, id }: { tenant: Tenant; id: string }) =>
  tx
    .selectFrom('event')
    .select(['team_id', 'event_type', 'user_id', 'client_user_id', 'data'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .executeTakeFirst();
