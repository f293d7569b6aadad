import { sql, type Selectable } from 'kysely';
import type { Database, Tx } from '../platform/db/database.ts';
import type { Work } from '../platform/work.ts';
import type { EndpointRow } from './store.ts';
import './table.ts';

export type AttemptRow = Selectable<Database['webhook_attempt']> & { event_id: string; event_type: string };

export interface AttemptPage {
  readonly endpointId: string;
  /** The moment and the id of the last attempt that was read. */
  readonly before: { at: Date; id: string } | null;
  readonly limit: number;
}

/** Attempts of one endpoint, the newest first. */
export const listAttempts = (
  { tx, tenant }: Work,
  { endpointId, before, limit }: AttemptPage,
): Promise<AttemptRow[]> =>
  tx
    .selectFrom('webhook_attempt as a')
    .innerJoin('webhook_delivery as d', (join) =>
      join
        .onRef('d.team_id', '=', 'a.team_id')
        .onRef('d.environment', '=', 'a.environment')
        .onRef('d.id', '=', 'a.delivery_id'),
    )
    .innerJoin('event as e', (join) =>
      join
        .onRef('e.team_id', '=', 'd.team_id')
        .onRef('e.environment', '=', 'd.environment')
        .onRef('e.id', '=', 'd.event_id'),
    )
    .selectAll('a')
    .select(['d.event_id', 'e.event_type'])
    .where('a.team_id', '=', tenant.teamId)
    .where('a.environment', '=', tenant.environment)
    .where('a.endpoint_id', '=', endpointId)
    .$if(before !== null, (query) =>
      query.where(sql<boolean>`(a.at, a.id) < (${before?.at}::timestamptz, ${before?.id}::uuid)`),
    )
    .orderBy('a.at', 'desc')
    .orderBy('a.id', 'desc')
    .limit(limit)
    .execute();

/** Owes a message to an endpoint once more, from the first step on. Answers whether the event exists. */
export async function oweAgain(
  work: Work,
  owed: { id: string; endpointId: string; eventId: string },
): Promise<boolean> {
  const { tx, tenant, now } = work;
  const wall = wallOf(work);
  const { rows } = await sql<{ event_id: string }>`
    insert into webhook_delivery as d (team_id, environment, id, endpoint_id, event_id, due_at, due_wall, created_at)
    select team_id, environment, ${owed.id}::uuid, ${owed.endpointId}::uuid, id, ${now}, ${wall}, ${now} from event
    where team_id = ${tenant.teamId} and environment = ${tenant.environment} and id = ${owed.eventId}
    on conflict (team_id, environment, endpoint_id, event_id) do update
      set status = 'pending', due_at = excluded.due_at, due_wall = excluded.due_wall, finished_at = null,
        attempts = case when d.status in ('pending', 'held') then d.attempts else 0 end
    returning event_id`.execute(tx);
  return rows.length > 0;
}

export interface Recovery {
  readonly endpoint: EndpointRow;
  readonly since: Date;
  /** Types that are never recovered. */
  readonly but: readonly string[];
}

/** Owes again every message since a moment that failed or was never owed. Answers how many. */
export async function oweSince(work: Work, { endpoint, since, but }: Recovery): Promise<number> {
  const { tx, tenant, now } = work;
  const wall = wallOf(work);
  const filter = endpoint.filter_types;
  const exact = filter?.filter((entry) => !entry.endsWith('.*')) ?? [];
  const prefixes = filter?.filter((entry) => entry.endsWith('.*')).map((entry) => entry.slice(0, -1)) ?? [];
  const { rows } = await sql<{ count: number }>`
    with owed as (
      insert into webhook_delivery as d
        (team_id, environment, id, endpoint_id, event_id, due_at, due_wall, created_at)
      select team_id, environment, gen_random_uuid(), ${endpoint.id}::uuid, id, ${now}, ${wall}, ${now} from event
      where team_id = ${tenant.teamId} and environment = ${tenant.environment} and created_at >= ${since}
        and event_type <> all(${but}::text[])
        and (${filter === null}::boolean or event_type = any(${exact}::text[])
          or exists (select from unnest(${prefixes}::text[]) as prefix where starts_with(event_type, prefix)))
      on conflict (team_id, environment, endpoint_id, event_id) do update
        set status = 'pending', attempts = 0, due_at = excluded.due_at, due_wall = excluded.due_wall, finished_at = null
        where d.status = 'failed'
      returning 1)
    select count(*) from owed`.execute(tx);
  return rows[0]?.count ?? 0;
}

const wallOf = ({ now, clockOffsetMs }: Work): Date => new Date(now.getTime() - clockOffsetMs);

/** A place to clean: an endpoint, and how far the clock of its tenant is ahead. */
export interface Place {
  readonly team_id: string;
  readonly environment: string;
  readonly id: string;
  readonly clock_offset_ms: number;
}

export async function listPlaces(
  tx: Tx,
  { after, limit }: { after: string; limit: number },
): Promise<Place[]> {
  const { rows } = await sql<Place>`
    select e.team_id, e.environment, e.id, t.clock_offset_ms from webhook_endpoint e
    join team_environment t on t.team_id = e.team_id and t.environment = e.environment
    where e.id > ${after} order by e.id limit ${limit}`.execute(tx);
  return rows;
}

/** Removes a bounded number of old attempts and finished messages of one endpoint. Answers whether there may be more. */
export async function removeOld(
  tx: Tx,
  { place, before, limit }: { place: Place; before: Date; limit: number },
): Promise<boolean> {
  const { rows } = await sql<{ delivery_id: string }>`
    delete from webhook_attempt a using (
      select delivery_id, id from webhook_attempt
      where team_id = ${place.team_id} and environment = ${place.environment} and endpoint_id = ${place.id}
        and at < ${before}
      order by at limit ${limit}) old
    where a.team_id = ${place.team_id} and a.environment = ${place.environment}
      and a.delivery_id = old.delivery_id and a.id = old.id
    returning a.delivery_id`.execute(tx);
  const deliveries = [...new Set(rows.map(({ delivery_id }) => delivery_id))];
  if (deliveries.length > 0) {
    await sql`
      delete from webhook_delivery d
      where team_id = ${place.team_id} and environment = ${place.environment} and id = any(${deliveries}::uuid[])
        and status in ('delivered', 'failed') and finished_at < ${before}`.execute(tx);
  }
  return rows.length === limit;
}
