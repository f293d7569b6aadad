import { sql } from 'kysely';
import { later } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { addCounts, type RemovedCount } from '../../platform/db/removal.ts';
import type { Work } from '../../platform/work.ts';
import './table.ts';

/** An endpoint to clean, with the clock offset of its tenant. */
export interface EndpointToClean {
  readonly team_id: string;
  readonly environment: string;
  readonly id: string;
  readonly clock_offset_ms: number;
}

export async function listEndpointsToClean(
  tx: Tx,
  { after, limit }: { after: string; limit: number },
): Promise<EndpointToClean[]> {
  const { rows } = await sql<EndpointToClean>`
    select e.team_id, e.environment, e.id, t.clock_offset_ms from webhook_endpoint e
    join team_environment t on t.team_id = e.team_id and t.environment = e.environment
    where e.id > ${after} order by e.id limit ${limit}`.execute(tx);
  return rows;
}

/** The endpoint after an id, for the tenant of the work. */
export async function findNextEndpoint({ tx, tenant }: Work, after: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('webhook_endpoint')
    .select('id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '>', after)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

interface OldOfEndpoint {
  readonly endpointId: string;
  readonly before: Date;
  /** The most rows of each table. */
  readonly limit: number;
}

/** Removes old attempts and exhausted messages of one endpoint. Returns whether there may be more. */
export async function removeOld(
  { tx, tenant: { teamId, environment } }: Work,
  { endpointId, before, limit }: OldOfEndpoint,
): Promise<RemovedCount & { isMore: boolean }> {
  const own = (row: string) => sql`
    ${sql.ref(`${row}.team_id`)} = ${teamId} and ${sql.ref(`${row}.environment`)} = ${environment}`;
  const attempts = await sql<RemovedRows>`
    with gone as (
      delete from webhook_attempt a using (
        select id from webhook_attempt w
        where ${own('w')} and w.endpoint_id = ${endpointId} and w.at < ${before}
        order by w.at limit ${limit}) old
      where ${own('a')} and a.id = old.id returning a.at)
    select count(*)::int as rows, count(*)::int as deleted, min(at) as oldest, max(at) as newest
    from gone`.execute(tx);
  const blocks = await sql<RemovedRows>`
    with gone as (
      delete from webhook_attempt_block b using (
        select id from webhook_attempt_block w
        where ${own('w')} and w.endpoint_id = ${endpointId} and w.last_at < ${before}
        order by w.last_at limit ${limit}) old
      where ${own('b')} and b.id = old.id returning b.first_at, b.last_at, b.event_ids)
    select count(*)::int as rows, coalesce(sum(cardinality(event_ids)), 0)::int as deleted,
      min(first_at) as oldest, max(last_at) as newest from gone`.execute(tx);
  // The order selects the index: otherwise the whole queue of the endpoint would be scanned.
  const failed = await sql<RemovedRows>`
    with gone as (
      delete from webhook_delivery d using (
        select id from webhook_delivery
        where endpoint_id = ${endpointId} and status = 'failed' and created_at < ${before} and finished_at < ${before}
        order by created_at limit ${limit}) old
      where ${own('d')} and d.id = old.id returning d.created_at)
    select count(*)::int as rows, 0 as deleted, null::timestamptz as oldest, null::timestamptz as newest
    from gone`.execute(tx);
  const removed = [attempts, blocks, failed].flatMap(({ rows }) => rows);
  return { ...addCounts(removed), isMore: removed.some(({ rows }) => rows === limit) };
}

/** `rows` were removed; `deleted` counts the attempts in them. */
type RemovedRows = RemovedCount & { readonly rows: number };

/**
 * Releases messages whose reason for being held no longer applies. Enabling an endpoint or restoring a user releases
 * them at once, but may miss one that a sender held at the same moment.
 */
export async function releaseStaleHolds(
  tx: Tx,
  { team_id, environment, id }: EndpointToClean,
): Promise<void> {
  await sql`
    with held as materialized (
      select id from webhook_delivery where endpoint_id = ${id} and status = 'held' order by due_wall)
    update webhook_delivery d set status = 'pending' from held
    where d.team_id = ${team_id} and d.environment = ${environment} and d.id = held.id and d.status = 'held'
      and exists (select from webhook_endpoint e where e.team_id = d.team_id and e.environment = d.environment
        and e.id = d.endpoint_id and e.disabled_at is null)
      and not exists (select from event v
        join app_user u on u.team_id = v.team_id and u.environment = v.environment and u.id = v.user_id
        where v.team_id = d.team_id and v.environment = d.environment and v.id = d.event_id
          and u.deleted_at is not null)`.execute(tx);
}

/**
 * Makes messages due now that are due later than any retry delay: a clock that was far ahead, and has since been set
 * back, postponed them. At most `limit` messages and bundles each; returns whether there may be more.
 */
export async function clampDueTimes(
  tx: Tx,
  { place, now, latest, limit }: { place: EndpointToClean; now: Date; latest: Date; limit: number },
): Promise<boolean> {
  const near = sql`due_wall = ${now}, due_at = ${later(now, place.clock_offset_ms)}`;
  const late = (table: string, status = sql`true`) => sql`
    update ${sql.table(table)} d set ${near} from (
      select id from ${sql.table(table)}
      where endpoint_id = ${place.id} and ${status} and due_wall > ${latest} order by due_wall limit ${limit}) late
    where d.team_id = ${place.team_id} and d.environment = ${place.environment} and d.id = late.id and ${status}
      and d.due_wall > ${latest}`;
  const messages = await late('webhook_delivery', sql`status = 'pending'`).execute(tx);
  const bundles = await late('webhook_bundle').execute(tx);
  const full = BigInt(limit);
  return [messages, bundles].some(({ numAffectedRows }) => numAffectedRows === full);
}

/** Removes the old counts and test messages of the tenant. */
export async function removeOldOfTenant({ tx, tenant }: Work, before: Date): Promise<void> {
  const { teamId, environment } = tenant;
  await sql`delete from webhook_tally
    where team_id = ${teamId} and environment = ${environment} and bucket < ${before}`.execute(tx);
  await sql`delete from webhook_statistics
    where team_id = ${teamId} and environment = ${environment} and bucket < ${before}`.execute(tx);
  await sql`delete from event
    where team_id = ${teamId} and environment = ${environment} and position < 0 and created_at < ${before}`.execute(
    tx,
  );
}
