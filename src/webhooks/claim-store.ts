import { sql, type RawBuilder } from 'kysely';
import { ofDeletedUser } from '../events/events.ts';
import { later, MINUTE } from '../platform/clock.ts';
import { arrayText } from '../platform/db/array-text.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Environment } from '../platform/tenant.ts';
import type { Bundle } from './bundle.ts';
import { ROOM_AT_FIRST, ROOM_IN_TROUBLE } from './lanes.ts';
import './table.ts';

/** A message that this sender has leased. */
export interface ClaimedRow {
  readonly team_id: string;
  readonly environment: Environment;
  readonly id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  /** Where its row is in the table of messages, until somebody writes it; of one in a bundle, where its bundle is. */
  readonly place: string;
  /** What it waits in together with others; undefined when it has a row of its own. */
  readonly bundle: Bundle | undefined;
  /** How often it was tried before. */
  readonly attempts: number;
  readonly revision: number;
  /** The endpoint has failed since its last success. */
  readonly troubled: boolean;
  readonly clock_offset_ms: number;
}

/** The messages of one endpoint that were taken together. */
export interface ClaimedGroup extends Pick<
  ClaimedRow,
  'team_id' | 'environment' | 'endpoint_id' | 'revision' | 'troubled' | 'clock_offset_ms'
> {
  /** Of each message its two ids, how often it was tried, and its place; a row for each would cost both sides more. */
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

export interface Claim {
  readonly now: Date;
  readonly sender: string;
  /** What the sender has on its way already. */
  readonly flying: readonly string[];
  readonly leasedUntil: Date;
  readonly limit: number;
  /** Endpoints with more or less room than at first, and their rooms; arrays in the database's own words. */
  readonly ids: string;
  readonly rooms: string;
}

/** A lease or a pause that ends later than this was given by a clock that has since been set back, and counts for nothing. */
const UNBELIEVABLE_MS = 2 * MINUTE;

/** What other senders have on their way. */
export const theirs = ({ now, sender }: Claim) => sql`
  select unnest(messages) as id from webhook_lease where sender <> ${sender}::uuid
    and leased_until > ${now} and leased_until <= ${later(now, UNBELIEVABLE_MS)}`;

/** Of a message: neither it nor the bundle that it came from is on somebody's way. */
const isFree = sql`id not in (select id from held) and aliquot_bundled_id(id, 0) not in (select id from held)`;

/** What of an endpoint `e` is the same for all its messages. */
export const ofEndpoint = sql`e.revision, e.first_failure_at is not null as troubled,
  (select clock_offset_ms from team_environment t
    where t.team_id = e.team_id and t.environment = e.environment) as clock_offset_ms`;

/**
 * Takes due messages, from each endpoint no more than it has room for. Endpoints are walked by single steps in the
 * index, beginning after `after`, so that a long queue of one endpoint costs the others nothing. The lease is written
 * anew, as what is on its way and what was taken now; a row of the queue is only read.
 */
export const claimQuery = (claim: Claim & { after: string }): RawBuilder<ClaimedGroup> => {
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
  mine as materialized (select unnest(${arrayText(flying)}::uuid[]) as id),
  held as materialized (select id from mine union all ${theirs(claim)}),
  picked as materialized (
    select d.*, e.revision, e.troubled, e.clock_offset_ms from waiting
    cross join lateral (select case when e.first_failure_at is null then ${ROOM_AT_FIRST}::int
        else ${ROOM_IN_TROUBLE}::int end as room, ${ofEndpoint}
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

export const claimDeliveries = async (tx: Tx, claim: Claim & { after: string }): Promise<ClaimedRow[]> =>
  (await claimQuery(claim).execute(tx)).rows.flatMap(rowsOf);

/** Messages of a limited endpoint are taken by parts of a second, a little slower than the limit says. */
const PARTS_A_SECOND = 20;
const PACE_MS = 1050;

/**
 * The same for endpoints with a rate limit. When the next ones may go stands in the endpoint's row,
 * which is locked meanwhile: the limit holds for all senders together. Comes after `claimDeliveries`, and adds to its lease.
 */
export async function claimLimited(tx: Tx, claim: Claim): Promise<ClaimedRow[]> {
  const { now, leasedUntil, limit, ids, rooms, sender } = claim;
  const { rows } = await sql<ClaimedGroup>`
    with known as materialized (
      select * from unnest(${ids}::uuid[], ${rooms}::int[]) as known (endpoint_id, room)),
    held as materialized (
      select unnest(messages) as id from webhook_lease where sender = ${sender}::uuid
      union all ${theirs(claim)}),
    free as materialized (
      select e.id, e.rate_limit, ${ofEndpoint} from webhook_endpoint e
      where e.rate_limit is not null and e.disabled_at is null
        and (e.rate_free_at is null or e.rate_free_at <= ${now}
          or e.rate_free_at > ${later(now, UNBELIEVABLE_MS)})
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
        limit least(ceil(free.rate_limit / ${PARTS_A_SECOND}::numeric), coalesce(known.room, ${ROOM_AT_FIRST}))) d),
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

/** What a message tells. */
export interface EventRow {
  readonly team_id: string;
  readonly environment: Environment;
  readonly event_id: string;
  readonly event_type: string;
  readonly user_id: string | null;
  readonly client_user_id: string | null;
  /** null when it was not asked for. */
  readonly data: Buffer | null;
  /** It is a test message. */
  readonly test: boolean;
  /** It is about a deleted user. */
  readonly hidden: boolean;
}

export type AskedEvent = Pick<ClaimedRow, 'team_id' | 'environment' | 'event_id'> & {
  readonly unread: boolean;
};

/** The events of messages, with their data where they are `unread`. Each is looked up by itself: `offset 0` says so. */
export async function listEvents(tx: Tx, asked: readonly AskedEvent[]): Promise<EventRow[]> {
  const column = (read: (each: AskedEvent) => string | boolean) => arrayText(asked.map(read));
  const { rows } = await sql<EventRow>`
    select v.team_id, v.environment, v.event_id, e.event_type, e.user_id, e.client_user_id, e.test,
      e.hidden, case when v.unread then e.data end as data
    from unnest(${column((each) => each.team_id)}::uuid[], ${column((each) => each.environment)}::text[],
      ${column((each) => each.event_id)}::uuid[], ${column((each) => each.unread)}::boolean[])
      as v (team_id, environment, event_id, unread)
    cross join lateral (select event_type, user_id, client_user_id, data, position < 0 as test,
        ${ofDeletedUser('event')} as hidden
      from event where team_id = v.team_id and environment = v.environment and id = v.event_id offset 0) e`.execute(
    tx,
  );
  return rows;
}

/** What is about a deleted user is held and not sent: it goes when the user comes back, or is erased with the user. */
export async function holdHidden(tx: Tx, rows: readonly ClaimedRow[]): Promise<void> {
  await sql`
    update webhook_delivery d set status = 'held'
    from unnest(${rows.map((row) => row.team_id)}::uuid[], ${rows.map((row) => row.environment)}::text[],
      ${rows.map((row) => row.id)}::uuid[]) as v (team_id, environment, id)
    where d.team_id = v.team_id and d.environment = v.environment and d.id = v.id
      and exists (select from event where team_id = d.team_id and environment = d.environment and id = d.event_id
        and ${ofDeletedUser('event')})`.execute(tx);
}
