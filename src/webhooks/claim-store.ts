import { sql, type RawBuilder } from 'kysely';
import { later, MINUTE } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Environment } from '../platform/tenant.ts';
import { ROOM_AT_FIRST, ROOM_IN_TROUBLE } from './lanes.ts';
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
  /** Its user was deleted: it is held back and not leased. */
  readonly hidden: boolean;
  /** It is a test message. */
  readonly test: boolean;
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

/** A lease or a pause that ends later than this was given by a clock that has since been set back, and counts for nothing. */
const UNBELIEVABLE_MS = 2 * MINUTE;

const notLeased = (now: Date) => sql`
  (leased_until is null or leased_until <= ${now} or leased_until > ${later(now, UNBELIEVABLE_MS)})`;

/**
 * Leases what was picked and answers it together with its event. Every row is looked up by its own id: `offset 0` keeps
 * the planner from joining by the tenant first, which looks as good while there are few rows and is not.
 * What is about a deleted user is held instead: it goes when the user comes back, or is erased with the user.
 */
const leased = (leasedUntil: Date) => sql<ClaimedRow>`
  update webhook_delivery d set
    leased_until = case when not h.hidden then ${leasedUntil}::timestamptz end,
    status = case when h.hidden then 'held' else d.status end
  from picked p
  cross join lateral (select revision, first_failure_at from webhook_endpoint
    where id = p.endpoint_id offset 0) e
  cross join lateral (select event_type, user_id, client_user_id, data, position < 0 as test from event
    where team_id = p.team_id and environment = p.environment and id = p.event_id offset 0) v
  cross join lateral (select clock_offset_ms from team_environment
    where team_id = p.team_id and environment = p.environment offset 0) t
  cross join lateral (select v.user_id is not null and exists (select from app_user u where u.team_id = p.team_id
    and u.environment = p.environment and u.id = v.user_id and u.deleted_at is not null) as hidden offset 0) h
  where d.id = p.id
  returning d.team_id, d.environment, d.id, d.endpoint_id, d.event_id, d.attempts, e.revision,
    e.first_failure_at is not null as troubled, h.hidden, v.test, t.clock_offset_ms,
    v.event_type, v.user_id, v.client_user_id, v.data`;

/**
 * Takes due messages, from each endpoint no more than it has room for. Endpoints are walked by single steps in the
 * index, beginning after `after`, so that a long queue of one endpoint costs the others nothing.
 */
export const claimQuery = ({
  now,
  leasedUntil,
  limit,
  ids,
  rooms,
  after,
}: Claim & { after: string }): RawBuilder<ClaimedRow> => sql<ClaimedRow>`
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
    cross join lateral (select case when e.first_failure_at is null then ${ROOM_AT_FIRST}::int
        else ${ROOM_IN_TROUBLE}::int end as room
      from webhook_endpoint e where e.id = waiting.endpoint_id
      and e.disabled_at is null and e.rate_limit is null offset 0) e
    left join known on known.endpoint_id = waiting.endpoint_id
    cross join lateral (
      select team_id, environment, id, endpoint_id, event_id from webhook_delivery
      where endpoint_id = waiting.endpoint_id and status = 'pending' and due_wall <= ${now} and ${notLeased(now)}
      order by due_wall limit coalesce(known.room, e.room) for update skip locked) d
    limit ${limit})
  ${leased(leasedUntil)}`;

export const claimDeliveries = async (tx: Tx, claim: Claim & { after: string }): Promise<ClaimedRow[]> =>
  (await claimQuery(claim).execute(tx)).rows;

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
        and (e.rate_free_at is null or e.rate_free_at <= ${now}
          or e.rate_free_at > ${later(now, UNBELIEVABLE_MS)})
        and exists (select from webhook_delivery d where d.endpoint_id = e.id and d.status = 'pending'
          and d.due_wall <= ${now} and ${notLeased(now)})
      order by e.rate_free_at nulls first limit ${limit} for no key update of e skip locked),
    picked as materialized (
      select d.*, free.rate_limit from free
      left join known on known.endpoint_id = free.id
      cross join lateral (
        select team_id, environment, id, endpoint_id, event_id from webhook_delivery
        where endpoint_id = free.id and status = 'pending' and due_wall <= ${now} and ${notLeased(now)}
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
