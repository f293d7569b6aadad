import { sql } from 'kysely';
import type { Broker } from '../../adapters/event-destination/port.ts';
import { isOfDeletedUser, type EventRow, type SequencedEvent } from '../../events/events.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Environment, Tenant } from '../../platform/tenant.ts';
import { type TenantColumns, toTenant, unnestTenants } from '../../platform/db/tenant-rows.ts';
import type { DestinationHealth } from './health.ts';
import { lockSettings } from './settings-store.ts';
import './table.ts';

export interface MainDestination extends TenantColumns {
  readonly id: string;
  readonly event_type_prefixes: string[] | null;
}

/** The main brokers of the tenants that have one. Locks the settings until the transaction ends. */
export async function listMainDestinations(tx: Tx, tenants: readonly Tenant[]): Promise<MainDestination[]> {
  const held = await lockSettings(tx, tenants);
  if (held.length === 0) return [];
  const { rows } = await sql<MainDestination>`
    select d.team_id, d.environment, d.id, p.event_type_prefixes
    from ${unnestTenants(held.map(toTenant))} as t (team_id, environment)
    join event_destination d on d.team_id = t.team_id and d.environment = t.environment and d.role = 'main'
    join event_pipeline p on p.team_id = d.team_id and p.environment = d.environment`.execute(tx);
  return rows;
}

/** Enqueues deliveries of events to destinations. Existing deliveries stay unchanged. */
export async function enqueueDeliveries(
  tx: Tx,
  owed: readonly { event: SequencedEvent; destinationId: string }[],
  now: Date,
): Promise<void> {
  const column = <T>(read: (one: { event: SequencedEvent; destinationId: string }) => T): T[] =>
    owed.map(read);
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

/** Deliveries that are due later than this were held by the restore of a team, until an operator releases them. */
const NOT_HELD = sql`due_wall < timestamptz '8000-01-01T00:00:00Z'`;

/**
 * Makes deliveries of a destination due now that are due later than `after`: retries after its settings changed, for
 * example. Limited to one batch, because the rest becomes due within a minute anyway. Returns whether there may be
 * more.
 */
export async function makeDueNow(
  tx: Tx,
  destinationId: string,
  { now, after = now }: { now: Date; after?: Date },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with part as materialized (
      select ctid as place from pipeline_delivery where destination_id = ${destinationId} and due_wall > ${after} and ${NOT_HELD}
      order by due_wall, position limit ${DUE_AT_ONCE})
    update pipeline_delivery set due_wall = ${now}
    where ctid = any(array(select place from part)) and due_wall > ${after}`.execute(tx);
  return numAffectedRows === BigInt(DUE_AT_ONCE);
}

/** Pages through destination ids, in ascending order after `after`. */
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
 * Failover: copies the backlog of main brokers that have been failing since `before` or earlier to their reserves, as
 * far as it was not copied yet. Returns the number of deliveries.
 */
export async function failOverToReserve(
  tx: Tx,
  { before, now }: { before: Date; now: Date },
): Promise<number> {
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
        where destination_id = overdue.id and position > overdue.handed_over_to and ${NOT_HELD}
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

/** A destination that is leased to this sender. */
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
  /** The end of the lease. */
  readonly lease: Date;
}

interface DestinationClaim {
  readonly now: Date;
  readonly leasedUntil: Date;
  /** A lease or pause that ends later than this was set by a clock that has since been set back, and is ignored. */
  readonly unbelievable: Date;
  readonly limit: number;
  readonly except: readonly string[];
}

/**
 * Leases destinations that have due deliveries and are not paused, the longest waiting first. Skips destinations whose
 * backlog is being transferred, and the main destination that receives it.
 */
export async function claimDestinations(tx: Tx, claim: DestinationClaim): Promise<ClaimedDestination[]> {
  const { rows } = await sql<ClaimedDestination>`
    with ready as materialized (
      select d.id from event_destination d
      where (d.retry_at is null or d.retry_at <= ${claim.now} or d.retry_at > ${claim.unbelievable})
        and (d.leased_until is null or d.leased_until <= ${claim.now} or d.leased_until > ${claim.unbelievable})
        and d.id <> all(${[...claim.except]}::uuid[]) and d.hands_on_up_to is null
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

export type DueDelivery = EventRow & {
  readonly event_id: string;
  readonly attempts: number;
  /** The event is about a deleted user; its data are left out. */
  readonly hidden: boolean;
};

/** Due deliveries with their events, by due time and log order. Empty if the settings have changed. */
export async function listDueDeliveries(
  tx: Tx,
  { team_id, environment, id, revision }: BatchRecord['destination'],
  { now, limit }: { now: Date; limit: number },
): Promise<DueDelivery[]> {
  const { rows } = await sql<DueDelivery>`
    select w.event_id, w.attempts, v.team_id, v.event_type, v.user_id, v.client_user_id, v.hidden,
      case when v.hidden then '' else v.data end as data
    from (select * from pipeline_delivery where destination_id = ${id} and due_wall <= ${now}
        and exists (select from event_pipeline
          where team_id = ${team_id} and environment = ${environment} and revision = ${revision})
      order by due_wall, position limit ${limit}) w
    cross join lateral (select team_id, event_type, user_id, client_user_id, data,
        ${isOfDeletedUser('event')} as hidden
      from event where team_id = w.team_id and environment = w.environment and id = w.event_id offset 0) v
    order by w.due_wall, w.position`.execute(tx);
  return rows;
}

/** Sets the due time of the deliveries of these events. */
export async function postponeDeliveries(
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

/** The outcome of a batch, as it is recorded. */
export interface BatchRecord {
  readonly destination: Pick<ClaimedDestination, 'team_id' | 'environment' | 'id' | 'revision'>;
  readonly confirmed: readonly string[];
  readonly refused: readonly { readonly eventId: string; readonly dueWall: Date; readonly reason: string }[];
  readonly health: DestinationHealth;
  /** Null releases the destination. */
  readonly lease: Date | null;
}

/**
 * Records a batch: deletes confirmed deliveries, reschedules refused ones, and updates the health of the destination.
 * If the settings have changed in the meantime, only confirmed deliveries are deleted and it returns false, because
 * failures under the old settings say nothing about the new ones.
 */
export async function recordBatch(tx: Tx, record: BatchRecord): Promise<boolean> {
  const { destination, confirmed, refused, health } = record;
  const isOfNow = await lockRevision(tx, destination);
  const own = sql`d.team_id = ${destination.team_id} and d.environment = ${destination.environment}
    and d.destination_id = ${destination.id}`;
  await Promise.all([
    confirmed.length > 0 &&
      sql`
        delete from pipeline_delivery d where ${own} and d.event_id = any(${[...confirmed]}::uuid[])
          and ${isOfNow ? sql`true` : hasNoBacklogTransfer(destination.id)}`.execute(tx),
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

/** A backlog that is being transferred is kept, even if this destination has confirmed it. */
const hasNoBacklogTransfer = (id: string) =>
  sql`not exists (select from event_destination where id = ${id} and hands_on_up_to is not null)`;

/** Whether the settings still have this revision; locks them until the transaction ends. */
async function lockRevision(
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

/** Releases a destination, if the lease is still ours. */
export async function releaseDestination(tx: Tx, { id, lease }: { id: string; lease: Date }): Promise<void> {
  await tx
    .updateTable('event_destination')
    .set({ leased_until: null })
    .where('id', '=', id)
    .where('leased_until', '=', lease)
    .execute();
}

/** Whether any tenant has a broker. */
export async function hasAnyDestination(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ any: boolean }>`select exists (select from event_destination) as any`.execute(
    tx,
  );
  return rows[0]?.any === true;
}
