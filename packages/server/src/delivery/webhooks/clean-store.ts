import { sql } from 'kysely';
import { later } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
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

/**
 * Removes a limited number of old attempts and exhausted messages of one endpoint. Returns whether there may be more.
 */
export async function removeOld(
  tx: Tx,
  { place, before, limit }: { place: EndpointToClean; before: Date; limit: number },
): Promise<boolean> {
  const attempts = await sql`
    delete from webhook_attempt a using (
      select id from webhook_attempt
      where team_id = ${place.team_id} and environment = ${place.environment} and endpoint_id = ${place.id}
        and at < ${before}
      order by at limit ${limit}) old
    where a.team_id = ${place.team_id} and a.environment = ${place.environment} and a.id = old.id`.execute(
    tx,
  );
  const blocks = await sql`
    delete from webhook_attempt_block b using (
      select id from webhook_attempt_block
      where team_id = ${place.team_id} and environment = ${place.environment} and endpoint_id = ${place.id}
        and last_at < ${before}
      order by last_at limit ${limit}) old
    where b.team_id = ${place.team_id} and b.environment = ${place.environment} and b.id = old.id`.execute(
    tx,
  );
  // The order selects the index: otherwise the whole queue of the endpoint would be scanned.
  const failed = await sql`
    delete from webhook_delivery d using (
      select id from webhook_delivery
      where endpoint_id = ${place.id} and status = 'failed' and created_at < ${before} and finished_at < ${before}
      order by created_at limit ${limit}) old
    where d.team_id = ${place.team_id} and d.environment = ${place.environment} and d.id = old.id`.execute(
    tx,
  );
  const full = BigInt(limit);
  return [attempts, blocks, failed].some(({ numAffectedRows }) => numAffectedRows === full);
}

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

/** Removes the old counts and test messages of the endpoint's tenant. */
export async function removeOldOfTenant(
  tx: Tx,
  { place, before }: { place: EndpointToClean; before: Date },
): Promise<void> {
  const { team_id, environment } = place;
  await sql`delete from webhook_tally
    where team_id = ${team_id} and environment = ${environment} and bucket < ${before}`.execute(tx);
  await sql`delete from event
    where team_id = ${team_id} and environment = ${environment} and position < 0 and created_at < ${before}`.execute(
    tx,
  );
}
