import { sql } from 'kysely';
import type { Broker } from '../adapters/event-destination/port.ts';
import { ofDeletedUser, type EventRow, type PlacedEvent } from '../events/events.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Environment, Tenant } from '../platform/tenant.ts';
import type { Health } from './health.ts';
import { holdSettings } from './settings-store.ts';
import './table.ts';

export interface MainDestination {
  readonly team_id: string;
  readonly environment: string;
  readonly id: string;
  readonly event_type_prefixes: string[] | null;
}

/** The main brokers of those tenants that have one, and keep it until the transaction ends. */
export async function listMain(tx: Tx, tenants: readonly Tenant[]): Promise<MainDestination[]> {
  const held = await holdSettings(tx, tenants);
  if (held.length === 0) return [];
  const { rows } = await sql<MainDestination>`
    select d.team_id, d.environment, d.id, p.event_type_prefixes
    from unnest(${held.map(({ team_id }) => team_id)}::uuid[], ${held.map(({ environment }) => environment)}::text[])
      as t (team_id, environment)
    join event_destination d on d.team_id = t.team_id and d.environment = t.environment and d.role = 'main'
    join event_pipeline p on p.team_id = d.team_id and p.environment = d.environment`.execute(tx);
  return rows;
}

/** Owes events to destinations; what is owed already stays as it is. */
export async function owe(
  tx: Tx,
  owed: readonly { event: PlacedEvent; destinationId: string }[],
  now: Date,
): Promise<void> {
  const column = <T>(read: (one: { event: PlacedEvent; destinationId: string }) => T): T[] => owed.map(read);
  await sql`
    insert into pipeline_delivery (team_id, environment, destination_id, event_id, position, due_wall)
    select v.*, ${now}::timestamptz from unnest(
      ${column(({ event }) => event.tenant.teamId)}::uuid[],
      ${column(({ event }) => event.tenant.environment)}::text[],
      ${column(({ destinationId }) => destinationId)}::uuid[],
      ${column(({ event }) => event.id)}::uuid[],
      ${column(({ event }) => event.position)}::bigint[]) as v
    on conflict do nothing`.execute(tx);
}

const DUE_AT_ONCE = 1000;

/**
 * What a destination is owed later than `after` is due at once: what it refused, when its settings are new; of very much the
 * rest comes due by itself within a minute. Answers whether there may be more.
 */
export async function dueNow(
  tx: Tx,
  destinationId: string,
  { now, after = now }: { now: Date; after?: Date },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with part as materialized (
      select ctid as place from pipeline_delivery where destination_id = ${destinationId} and due_wall > ${after}
      order by due_wall, position limit ${DUE_AT_ONCE})
    update pipeline_delivery set due_wall = ${now}
    where ctid = any(array(select place from part)) and due_wall > ${after}`.execute(tx);
  return numAffectedRows === BigInt(DUE_AT_ONCE);
}

/** Destinations by their ids, beginning after one. */
export async function listDestinationIds(
  tx: Tx,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await tx
    .selectFrom('event_destination')
    .select('id')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

const HAND_OVER_BATCH = 1000;

/**
 * Gives to the reserve what waits for a main broker that has been failing since before a moment, as far as it was not
 * given before. Answers how much there was.
 */
export async function handOver(tx: Tx, { before, now }: { before: Date; now: Date }): Promise<number> {
  const { rows } = await sql<{ moved: number }>`
    with overdue as materialized (
      select m.team_id, m.environment, m.id, m.handed_over_to, r.id as reserve_id
      from event_destination m
      join event_destination r
        on r.team_id = m.team_id and r.environment = m.environment and r.role = 'reserve'
      where m.failing_since <= ${before} and m.role = 'main'
      for update of m skip locked),
    waiting as materialized (
      select overdue.id, overdue.reserve_id, w.* from overdue
      cross join lateral (
        select team_id, environment, event_id, position from pipeline_delivery
        where destination_id = overdue.id and position > overdue.handed_over_to
        order by position limit ${HAND_OVER_BATCH}) w),
    given as (
      insert into pipeline_delivery (team_id, environment, destination_id, event_id, position, due_wall)
      select team_id, environment, reserve_id, event_id, position, ${now}::timestamptz from waiting
      on conflict do nothing),
    noted as (
      update event_destination d set handed_over_to = w.last
      from (select id, max(position) as last from waiting group by id) w where d.id = w.id)
    select count(*)::int as moved from waiting`.execute(tx);
  return rows[0]?.moved ?? 0;
}

/** A destination that this sender has for itself until its lease ends. */
export interface ClaimedDestination {
  readonly team_id: string;
  readonly environment: Environment;
  readonly id: string;
  readonly broker: Broker;
  readonly failures: number;
  readonly failing_since: Date | null;
  readonly rabbitmq: Buffer | null;
  readonly nats: Buffer | null;
  readonly revision: number;
  /** Until when it is this sender's. */
  readonly lease: Date;
}

export interface DestinationClaim {
  readonly now: Date;
  readonly leasedUntil: Date;
  /** A lease or a pause that ends later than this was given by a clock that has since been set back, and counts for nothing. */
  readonly unbelievable: Date;
  readonly limit: number;
  readonly but: readonly string[];
}

/**
 * Leases destinations that have something due and are not to be left in peace; who waited longest comes first. Neither one
 * that hands on what waits for it, nor the one that it is for.
 */
export async function claimDestinations(tx: Tx, claim: DestinationClaim): Promise<ClaimedDestination[]> {
  const { rows } = await sql<ClaimedDestination>`
    with ready as materialized (
      select d.id from event_destination d
      where (d.retry_at is null or d.retry_at <= ${claim.now} or d.retry_at > ${claim.unbelievable})
        and (d.leased_until is null or d.leased_until <= ${claim.now} or d.leased_until > ${claim.unbelievable})
        and d.id <> all(${[...claim.but]}::uuid[]) and d.hands_on_up_to is null
        and not (d.role = 'main' and exists (select from event_destination s
          where s.team_id = d.team_id and s.environment = d.environment and s.hands_on_up_to is not null))
        and exists (select from pipeline_delivery w where w.destination_id = d.id and w.due_wall <= ${claim.now})
      order by d.tried_at nulls first limit ${claim.limit} for update of d skip locked)
    update event_destination d set leased_until = ${claim.leasedUntil}, tried_at = ${claim.now}
    from ready, event_pipeline p
    where d.id = ready.id and p.team_id = d.team_id and p.environment = d.environment
    returning d.team_id, d.environment, d.id, d.broker, d.failures, d.failing_since,
      p.rabbitmq, p.nats, p.revision, d.leased_until as lease`.execute(tx);
  return rows;
}

export type WaitingRow = EventRow & {
  readonly event_id: string;
  readonly attempts: number;
  /** It is about a deleted user, and comes without its data. */
  readonly hidden: boolean;
};

/** What is due, with the events themselves, in the order of the log. Nothing, once the settings are others. */
export async function listDue(
  tx: Tx,
  { team_id, environment, id, revision }: BatchRecord['destination'],
  { now, limit }: { now: Date; limit: number },
): Promise<WaitingRow[]> {
  const { rows } = await sql<WaitingRow>`
    select w.event_id, w.attempts, v.team_id, v.event_type, v.user_id, v.client_user_id, v.hidden,
      case when v.hidden then '' else v.data end as data
    from (select * from pipeline_delivery where destination_id = ${id} and due_wall <= ${now}
        and exists (select from event_pipeline
          where team_id = ${team_id} and environment = ${environment} and revision = ${revision})
      order by due_wall, position limit ${limit}) w
    cross join lateral (select team_id, event_type, user_id, client_user_id, data,
        ${ofDeletedUser('event')} as hidden
      from event where team_id = w.team_id and environment = w.environment and id = w.event_id offset 0) v
    order by w.due_wall, w.position`.execute(tx);
  return rows;
}

/** What a destination is owed of these events is due at another time. */
export async function putOff(
  tx: Tx,
  destination: Pick<ClaimedDestination, 'team_id' | 'environment' | 'id'>,
  { eventIds, until }: { eventIds: readonly string[]; until: Date },
): Promise<void> {
  await tx
    .updateTable('pipeline_delivery')
    .set({ due_wall: until })
    .where('team_id', '=', destination.team_id)
    .where('environment', '=', destination.environment)
    .where('destination_id', '=', destination.id)
    .where('event_id', '=', sql<string>`any(${[...eventIds]}::uuid[])`)
    .execute();
}

/** What came of a batch, as it is written down. */
export interface BatchRecord {
  readonly destination: Pick<ClaimedDestination, 'team_id' | 'environment' | 'id' | 'revision'>;
  readonly confirmed: readonly string[];
  readonly refused: readonly { readonly eventId: string; readonly dueWall: Date; readonly reason: string }[];
  readonly health: Health;
  /** Null gives the destination back. */
  readonly lease: Date | null;
}

/**
 * What was confirmed is owed no more; what was refused is due again later; the destination is as well as it is. Where its
 * settings were changed meanwhile, only the first is written, and the answer is false: what came of the old ones holds
 * nothing against the new.
 */
export async function recordBatch(tx: Tx, record: BatchRecord): Promise<boolean> {
  const { destination, confirmed, refused, health } = record;
  const isOfNow = await holdRevision(tx, destination);
  const own = sql`d.team_id = ${destination.team_id} and d.environment = ${destination.environment}
    and d.destination_id = ${destination.id}`;
  await Promise.all([
    confirmed.length > 0 &&
      sql`
        delete from pipeline_delivery d where ${own} and d.event_id = any(${[...confirmed]}::uuid[])
          and ${isOfNow ? sql`true` : handsOnNothing(destination.id)}`.execute(tx),
    isOfNow &&
      refused.length > 0 &&
      sql`
        update pipeline_delivery d set attempts = d.attempts + 1, due_wall = v.due_wall, last_error = v.reason
        from unnest(${refused.map(({ eventId }) => eventId)}::uuid[],
          ${refused.map(({ dueWall }) => dueWall)}::timestamptz[],
          ${refused.map(({ reason }) => reason)}::text[]) as v (event_id, due_wall, reason)
        where ${own} and d.event_id = v.event_id`.execute(tx),
    isOfNow &&
      tx
        .updateTable('event_destination')
        .set({
          leased_until: record.lease,
          failures: health.failures,
          retry_at: health.retryAt,
          failing_since: health.failingSince,
          ...(health.succeededAt ? { last_success_at: health.succeededAt } : {}),
          ...(health.failedAt ? { last_failure_at: health.failedAt, last_error: health.error } : {}),
        })
        .where('id', '=', destination.id)
        .execute(),
  ]);
  return isOfNow;
}

/** What waits to be handed on to another one stays, even if this one has it by now. */
const handsOnNothing = (id: string) =>
  sql`not exists (select from event_destination where id = ${id} and hands_on_up_to is not null)`;

/** Whether the settings are still these; nobody changes them until the transaction ends. */
async function holdRevision(
  tx: Tx,
  { team_id, environment, revision }: BatchRecord['destination'],
): Promise<boolean> {
  const row = await tx
    .selectFrom('event_pipeline')
    .select('revision')
    .where('team_id', '=', team_id)
    .where('environment', '=', environment)
    .forShare()
    .executeTakeFirst();
  return row?.revision === revision;
}

/** Gives a destination back, if it is still ours. */
export async function giveBack(tx: Tx, { id, lease }: { id: string; lease: Date }): Promise<void> {
  await tx
    .updateTable('event_destination')
    .set({ leased_until: null })
    .where('id', '=', id)
    .where('leased_until', '=', lease)
    .execute();
}

/** Whether any tenant has a broker at all. */
export async function anyDestination(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ any: boolean }>`select exists (select from event_destination) as any`.execute(
    tx,
  );
  return rows[0]?.any === true;
}
