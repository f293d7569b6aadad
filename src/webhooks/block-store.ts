import { sql, type RawBuilder } from 'kysely';
import { later, MINUTE } from '../platform/clock.ts';
import { arrayText } from '../platform/db/array-text.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Work } from '../platform/work.ts';
import type { StoredBlock } from './block.ts';
import { beginnings, TALLY_MINUTES } from './record-store.ts';
import './table.ts';

/** Attempts of one endpoint that are written as one; moments are the system's. */
export interface BlockRow {
  readonly teamId: string;
  readonly environment: string;
  readonly id: string;
  readonly endpointId: string;
  readonly firstWall: Date;
  readonly lastWall: Date;
  readonly eventIds: readonly string[];
  readonly attempts: Buffer;
  /** How many there are of each type of event. */
  readonly counts: ReadonlyMap<string, number>;
}

/** What leaves the queue, and where in the tables each of them was. */
export interface Leaving {
  readonly messages: readonly { readonly id: string; readonly place: string }[];
  readonly bundles: readonly { readonly id: string; readonly place: string }[];
}

/** A block spans no more time than this, so that those of a stretch of time can be found by their ends. */
export const BLOCK_SPAN_MS = TALLY_MINUTES * MINUTE;

/** The places and ids of rows, as a table of its own. */
const placed = (rows: Leaving['messages']) => sql`
  unnest(${arrayText(rows, ({ place }) => `"${place}"`)}::tid[], ${arrayText(rows, ({ id }) => id)}::uuid[])`;

/**
 * Writes blocks of attempts, counts them, and removes their messages from the queue. Answers how many rows it removed: when
 * they are fewer than it was given, somebody has written, held, erased or unpacked one meanwhile, and the caller takes
 * all of it back.
 */
export async function recordBlocks(
  tx: Tx,
  blocks: readonly BlockRow[],
  { messages, bundles }: Leaving,
): Promise<number> {
  const column = (read: (row: BlockRow) => string | number) => arrayText(blocks.map(read));
  const attempts = blocks.map((row) => row.attempts);
  const counts = blocks.flatMap((row, at) =>
    [...row.counts].map(([type, count]) => ({ at: at + 1, type, count })),
  );
  const counted = (read: (count: (typeof counts)[number]) => string | number) => arrayText(counts.map(read));
  const { rows } = await sql<{ count: number }>`
    with v as materialized (
      select given.*, first_wall + t.ahead as first_at, last_wall + t.ahead as last_at
      from unnest(${column((r) => r.teamId)}::uuid[], ${column((r) => r.environment)}::text[],
        ${column((r) => r.id)}::uuid[], ${column((r) => r.endpointId)}::uuid[],
        ${column((r) => r.firstWall.toISOString())}::timestamptz[],
        ${column((r) => r.lastWall.toISOString())}::timestamptz[],
        ${column((r) => `"{${r.eventIds.join()}}"`)}::text[], ${arrayText(beginnings(attempts))}::int[],
        ${column((r) => r.attempts.length)}::int[])
        with ordinality as given (team_id, environment, id, endpoint_id, first_wall, last_wall, event_ids,
          attempts_from, attempts_length, place)
      cross join lateral (select interval '1 ms' * clock_offset_ms as ahead from team_environment
        where team_id = given.team_id and environment = given.environment offset 0) t),
    gone as (
      delete from webhook_delivery d
      using ${placed(messages)} as m (place, id)
      where d.ctid = m.place and d.id = m.id and d.status = 'pending' and d.attempts = 0
      returning 1),
    unbundled as (
      delete from webhook_bundle b using ${placed(bundles)} as m (place, id)
      where b.ctid = m.place and b.id = m.id returning 1),
    noted as (
      insert into webhook_attempt_block (team_id, environment, id, endpoint_id, first_at, last_at, event_ids, attempts)
      select team_id, environment, id, endpoint_id, first_at, last_at, event_ids::uuid[],
        substring(${Buffer.concat(attempts)}::bytea from attempts_from for attempts_length) from v),
    counted as (
      insert into webhook_tally as c (team_id, environment, bucket, endpoint_id, event_type, succeeded, failed)
      select v.team_id, v.environment, date_bin(${`${TALLY_MINUTES} minutes`}::interval, v.first_at, 'epoch'),
        v.endpoint_id, n.event_type, sum(n.count), 0
      from unnest(${counted(({ at }) => at)}::bigint[], ${counted(({ type }) => type)}::text[],
        ${counted(({ count }) => count)}::int[]) as n (place, event_type, count)
      join v on v.place = n.place group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
      on conflict (team_id, environment, bucket, endpoint_id, event_type) do update
        set succeeded = c.succeeded + excluded.succeeded)
    select (select count(*) from gone) + (select count(*) from unbundled) as count`.execute(tx);
  return rows[0]?.count ?? 0;
}

export interface BlockPage {
  readonly endpointId: string;
  /** Only blocks with an attempt that may be older than this, and one that may be as young as that. */
  readonly until: Date | null;
  readonly since: Date | null;
  readonly eventId: string | null;
  /** The end and the id of the last block that was read. */
  readonly after: { readonly lastAt: Date; readonly id: string } | null;
  readonly limit: number;
}

export type BlockOfEndpoint = StoredBlock & { readonly last_at: Date };

const COLUMNS = sql`b.id, b.first_at, b.last_at, b.event_ids, b.attempts`;

const ofTenant = ({ tenant }: Work): RawBuilder<boolean> =>
  sql<boolean>`b.team_id = ${tenant.teamId} and b.environment = ${tenant.environment}`;

/**
 * Blocks of one endpoint, those that end last first. Only the bounds that were given are asked for: what is compared with
 * nothing bounds no walk through the index, and a page far back would read all that is younger.
 */
export async function listBlocks(work: Work, page: BlockPage): Promise<BlockOfEndpoint[]> {
  const { endpointId, until, since, eventId, after, limit } = page;
  const bounds = [ofTenant(work), sql<boolean>`b.endpoint_id = ${endpointId}`];
  if (until) bounds.push(sql`b.first_at <= ${until} and b.last_at <= ${later(until, BLOCK_SPAN_MS)}`);
  if (since) bounds.push(sql`b.last_at >= ${since}`);
  if (eventId) bounds.push(sql`b.id = any(array(select aliquot_blocks_of_events(array[${eventId}::uuid])))`);
  if (after) bounds.push(sql`(b.last_at, b.id) < (${after.lastAt}::timestamptz, ${after.id}::uuid)`);
  const { rows } = await sql<BlockOfEndpoint>`
    select ${COLUMNS} from webhook_attempt_block b where ${sql.join(bounds, sql` and `)}
    order by b.last_at desc, b.id desc limit ${limit}`.execute(work.tx);
  return rows;
}

export async function findBlock(
  work: Work,
  { endpointId, id }: { endpointId: string; id: string },
): Promise<StoredBlock | undefined> {
  const { rows } = await sql<StoredBlock>`
    select ${COLUMNS} from webhook_attempt_block b
    where ${ofTenant(work)} and b.id = ${id} and b.endpoint_id = ${endpointId}`.execute(work.tx);
  return rows[0];
}

/** Takes what is owed about a user out of the queue: a sender that is about to write one of them down comes before this or finds it gone. */
export async function dropOwed({ tx, tenant }: Work, userId: string): Promise<void> {
  await sql`
    delete from webhook_delivery d using event v
    where v.team_id = ${tenant.teamId} and v.environment = ${tenant.environment} and v.user_id = ${userId}
      and d.team_id = v.team_id and d.environment = v.environment and d.event_id = v.id`.execute(tx);
}

/** Events of a user after an id. */
export async function listEventIds(
  { tx, tenant }: Work,
  { userId, after, limit }: { userId: string; after: string; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from event
    where team_id = ${tenant.teamId} and environment = ${tenant.environment} and user_id = ${userId}
      and id > ${after}::uuid order by id limit ${limit}`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Blocks with an attempt about one of some events; nobody else changes them until the work ends. */
export async function lockBlocksOf(
  work: Work,
  { eventIds, limit }: { eventIds: readonly string[]; limit: number },
): Promise<StoredBlock[]> {
  const { rows } = await sql<StoredBlock>`
    select ${COLUMNS} from webhook_attempt_block b
    where ${ofTenant(work)} and b.id = any(array(select aliquot_blocks_of_events(${arrayText(eventIds)}::uuid[])))
    order by b.id limit ${limit} for update of b`.execute(work.tx);
  return rows;
}

export async function changeBlock(
  { tx, tenant }: Work,
  id: string,
  { event_ids, attempts }: Pick<StoredBlock, 'event_ids' | 'attempts'>,
): Promise<void> {
  await tx
    .updateTable('webhook_attempt_block')
    .set({ event_ids: [...event_ids], attempts })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
}

export async function removeBlock({ tx, tenant }: Work, id: string): Promise<void> {
  await tx
    .deleteFrom('webhook_attempt_block')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
}
