import { sql, type RawBuilder } from 'kysely';
import { isOfDeletedUser } from '../../events/events.ts';
import { later, MINUTE } from '../../platform/clock.ts';
import { toArrayLiteral } from '../../platform/db/array-literal.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Environment } from '../../platform/tenant.ts';
import type { MessageBundle } from './bundle.ts';
import { INITIAL_ROOM, TROUBLED_ROOM } from './lanes.ts';
import './table.ts';

/** A message that this sender has leased. */
export interface ClaimedRow {
  readonly team_id: string;
  readonly environment: Environment;
  readonly id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  /** The location (ctid) of its row, until it is updated; for a bundled message that of its bundle. */
  readonly place: string;
  /** Its bundle; undefined if it has its own row. */
  readonly bundle: MessageBundle | undefined;
  /** Number of earlier attempts. */
  readonly attempts: number;
  readonly revision: number;
  /** Whether the endpoint has failed since its last success. */
  readonly troubled: boolean;
  readonly clock_offset_ms: number;
}

/** The messages of one endpoint that were claimed together. */
export interface ClaimedGroup extends Pick<
  ClaimedRow,
  'team_id' | 'environment' | 'endpoint_id' | 'revision' | 'troubled' | 'clock_offset_ms'
> {
  /**
   * For each message its two ids, its number of attempts, and its location, in one string: a row each would cost both
   * sides more.
   */
  readonly messages: string;
}

const UUID_LENGTH = 36;
const MESSAGES = sql`team_id, environment, endpoint_id, revision, troubled, clock_offset_ms,
  string_agg(id::text || event_id::text || attempts || place, ';') as messages`;
const BY_ENDPOINT = sql`group by team_id, environment, endpoint_id, revision, troubled, clock_offset_ms`;

function rowsOf(group: ClaimedGroup): ClaimedRow[] {
  const { team_id, environment, endpoint_id, revision, troubled, clock_offset_ms } = group;
  return group.messages.split(';').map((message) => {
    const placeFrom = message.indexOf('(', 2 * UUID_LENGTH);
    return {
      team_id,
      environment,
      id: message.slice(0, UUID_LENGTH),
      endpoint_id,
      event_id: message.slice(UUID_LENGTH, 2 * UUID_LENGTH),
      place: message.slice(placeFrom),
      attempts: Number(message.slice(2 * UUID_LENGTH, placeFrom)),
      bundle: undefined,
      revision,
      troubled,
      clock_offset_ms,
    };
  });
}

export interface DeliveryClaim {
  readonly now: Date;
  readonly sender: string;
  /** The ids that the sender has leased already. */
  readonly flying: readonly string[];
  readonly leasedUntil: Date;
  readonly limit: number;
  /** Endpoints whose room differs from the initial one, and their rooms, as array literals. */
  readonly ids: string;
  readonly rooms: string;
}

/** A lease or a pause that ends later than this was written by a clock that has since been set back, and is ignored. */
const CREDIBLE_LEASE_MS = 2 * MINUTE;

/** The ids that other senders have leased. */
export const leasedByOthers = ({ now, sender }: DeliveryClaim) => sql`
  select unnest(messages) as id from webhook_lease where sender <> ${sender}::uuid
    and leased_until > ${now} and leased_until <= ${later(now, CREDIBLE_LEASE_MS)}`;

/** Neither the message nor the bundle that it came from is leased. */
const isFree = sql`id not in (select id from held) and aliquot_bundled_id(id, 0) not in (select id from held)`;

/** The columns of an endpoint `e` that all its messages share. */
export const endpointColumns = sql`e.revision, e.first_failure_at is not null as troubled,
  (select clock_offset_ms from team_environment t
    where t.team_id = e.team_id and t.environment = e.environment) as clock_offset_ms`;

/**
 * Claims due messages, from each endpoint no more than it has room for. Endpoints are visited by single index steps (a
 * loose index scan), starting after `after`, so that a long queue of one endpoint costs the others nothing. The
 * sender's lease row is rewritten with all ids in flight; queue rows are only read.
 */
export const claimQuery = (claim: DeliveryClaim & { after: string }): RawBuilder<ClaimedGroup> => {
  const { now, leasedUntil, limit, ids, rooms, after, sender, flying } = claim;
  return sql<ClaimedGroup>`
  with recursive waiting as (
    (select endpoint_id from webhook_delivery
      where status = 'pending' and endpoint_id > ${after}::uuid order by endpoint_id limit 1)
    union all
    select (select d.endpoint_id from webhook_delivery d
      where d.status = 'pending' and d.endpoint_id > waiting.endpoint_id order by d.endpoint_id limit 1)
    from waiting where waiting.endpoint_id is not null),
  known as materialized (select * from unnest(${ids}::uuid[], ${rooms}::int[]) as known (endpoint_id, room)),
  mine as materialized (select unnest(${toArrayLiteral(flying)}::uuid[]) as id),
  held as materialized (select id from mine union all ${leasedByOthers(claim)}),
  picked as materialized (
    select d.*, e.revision, e.troubled, e.clock_offset_ms from waiting
    cross join lateral (select case when e.first_failure_at is null then ${INITIAL_ROOM}::int
        else ${TROUBLED_ROOM}::int end as room, ${endpointColumns}
      from webhook_endpoint e where e.id = waiting.endpoint_id
      and e.disabled_at is null and e.rate_limit is null offset 0) e
    left join known on known.endpoint_id = waiting.endpoint_id
    cross join lateral (
      select team_id, environment, id, endpoint_id, event_id, attempts, ctid::text as place from webhook_delivery
      where endpoint_id = waiting.endpoint_id and status = 'pending' and due_wall <= ${now}
        and ${isFree}
      order by due_wall limit coalesce(known.room, e.room)) d
    limit ${limit}),
  leased as (
    insert into webhook_lease (sender, leased_until, messages)
    select ${sender}::uuid, ${leasedUntil}::timestamptz,
      array(select id from mine union all select id from picked)
    where exists (select from picked) or exists (select from mine)
      or exists (select from webhook_lease where sender = ${sender}::uuid and messages <> '{}')
    on conflict (sender) do update set leased_until = excluded.leased_until, messages = excluded.messages)
  select ${MESSAGES} from picked ${BY_ENDPOINT}`;
};

export const claimDeliveries = async (
  tx: Tx,
  claim: DeliveryClaim & { after: string },
): Promise<ClaimedRow[]> => (await claimQuery(claim).execute(tx)).rows.flatMap(rowsOf);

/** Messages of a rate-limited endpoint are claimed in fractions of a second, slightly slower than the limit. */
const BATCHES_A_SECOND = 20;
const PACE_MS = 1050;

/**
 * The same for endpoints with a rate limit. The endpoint's row holds the time of its next messages and is locked
 * meanwhile, so the limit holds across all senders. Runs after `claimDeliveries`, and adds to its lease.
 */
export async function claimLimited(tx: Tx, claim: DeliveryClaim): Promise<ClaimedRow[]> {
  const { now, leasedUntil, limit, ids, rooms, sender } = claim;
  const { rows } = await sql<ClaimedGroup>`
    with known as materialized (
      select * from unnest(${ids}::uuid[], ${rooms}::int[]) as known (endpoint_id, room)),
    held as materialized (
      select unnest(messages) as id from webhook_lease where sender = ${sender}::uuid
      union all ${leasedByOthers(claim)}),
    free as materialized (
      select e.id, e.rate_limit, ${endpointColumns} from webhook_endpoint e
      where e.rate_limit is not null and e.disabled_at is null
        and (e.rate_free_at is null or e.rate_free_at <= ${now}
          or e.rate_free_at > ${later(now, CREDIBLE_LEASE_MS)})
        and exists (select from webhook_delivery d where d.endpoint_id = e.id and d.status = 'pending'
          and d.due_wall <= ${now} and ${isFree})
      order by e.rate_free_at nulls first limit ${limit} for no key update of e skip locked),
    picked as materialized (
      select d.*, free.rate_limit, free.revision, free.troubled, free.clock_offset_ms from free
      left join known on known.endpoint_id = free.id
      cross join lateral (
        select team_id, environment, id, endpoint_id, event_id, attempts, ctid::text as place from webhook_delivery
        where endpoint_id = free.id and status = 'pending' and due_wall <= ${now} and ${isFree}
        order by due_wall
        limit least(ceil(free.rate_limit / ${BATCHES_A_SECOND}::numeric), coalesce(known.room, ${INITIAL_ROOM}))) d),
    paced as (
      update webhook_endpoint e
      set rate_free_at = ${now}::timestamptz + interval '1 ms' * (${PACE_MS}::int * used.count / e.rate_limit)
      from (select endpoint_id, count(*) from picked group by 1) used
      where e.id = used.endpoint_id),
    leased as (
      insert into webhook_lease as l (sender, leased_until, messages)
      select ${sender}::uuid, ${leasedUntil}::timestamptz, array(select id from picked) where exists (select from picked)
      on conflict (sender) do update
        set leased_until = excluded.leased_until, messages = l.messages || excluded.messages)
    select ${MESSAGES} from picked ${BY_ENDPOINT}`.execute(tx);
  return rows.flatMap(rowsOf);
}

/** The event of a message. */
export interface ClaimedEventRow {
  readonly team_id: string;
  readonly environment: Environment;
  readonly event_id: string;
  readonly event_type: string;
  readonly user_id: string | null;
  readonly client_user_id: string | null;
  /** null if it was not requested. */
  readonly data: Buffer | null;
  /** Whether it is a test message. */
  readonly test: boolean;
  readonly created_at: Date;
  /** Whether it is about a deleted user. */
  readonly hidden: boolean;
  readonly traceparent: string | null;
}

export type EventLookup = Pick<ClaimedRow, 'team_id' | 'environment' | 'event_id'> & {
  readonly unread: boolean;
};

/** The events of messages, with their data if they are `unread`. `offset 0` forces one index lookup per event. */
export async function listEvents(tx: Tx, asked: readonly EventLookup[]): Promise<ClaimedEventRow[]> {
  const column = (read: (each: EventLookup) => string | boolean) => toArrayLiteral(asked.map(read));
  const { rows } = await sql<ClaimedEventRow>`
    select v.team_id, v.environment, v.event_id, e.event_type, e.user_id, e.client_user_id, e.test,
      e.created_at, e.hidden, e.traceparent, case when v.unread then e.data end as data
    from unnest(${column((each) => each.team_id)}::uuid[], ${column((each) => each.environment)}::text[],
      ${column((each) => each.event_id)}::uuid[], ${column((each) => each.unread)}::boolean[])
      as v (team_id, environment, event_id, unread)
    cross join lateral (select event_type, user_id, client_user_id, data, position < 0 as test, created_at, traceparent,
        ${isOfDeletedUser('event')} as hidden
      from event where team_id = v.team_id and environment = v.environment and id = v.event_id offset 0) e`.execute(
    tx,
  );
  return rows;
}

/** Holds messages about a deleted user: they are sent when the user is restored, or erased with the user. */
export async function holdForDeletedUsers(tx: Tx, rows: readonly ClaimedRow[]): Promise<void> {
  await sql`
    update webhook_delivery d set status = 'held'
    from unnest(${rows.map((row) => row.team_id)}::uuid[], ${rows.map((row) => row.environment)}::text[],
      ${rows.map((row) => row.id)}::uuid[]) as v (team_id, environment, id)
    where d.team_id = v.team_id and d.environment = v.environment and d.id = v.id
      and exists (select from event where team_id = d.team_id and environment = d.environment and id = d.event_id
        and ${isOfDeletedUser('event')})`.execute(tx);
}
