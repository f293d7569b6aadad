import { sql, type RawBuilder } from 'kysely';
import { later, MINUTE } from '../../platform/clock.ts';
import { toArrayLiteral } from '../../platform/db/array-literal.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Work } from '../../platform/work.ts';
import type { StoredAttemptBlock } from './block.ts';
import { offsetsOf, TALLY_MINUTES } from './record-store.ts';
import './table.ts';

/** Attempts of one endpoint that are stored as one row. Times are system times. */
export interface AttemptBlockRow {
  readonly teamId: string;
  readonly environment: string;
  readonly id: string;
  readonly endpointId: string;
  readonly firstSystemTime: Date;
  readonly lastSystemTime: Date;
  readonly eventIds: readonly string[];
  readonly attempts: Buffer;
  /** The number of attempts for each event type. */
  readonly counts: ReadonlyMap<string, number>;
}

/** The rows to remove from the queue, with their physical locations (ctid). */
export interface DequeuedRows {
  readonly messages: readonly { readonly id: string; readonly place: string }[];
  readonly bundles: readonly { readonly id: string; readonly place: string }[];
}

/** The maximum time span of a block, so that the blocks of a time range can be found by their ends. */
export const BLOCK_SPAN_MS = TALLY_MINUTES * MINUTE;

/** The locations and ids of rows, as a table expression. */
const unnestRows = (rows: DequeuedRows['messages']) => sql`
  unnest(${toArrayLiteral(rows, ({ place }) => `"${place}"`)}::tid[], ${toArrayLiteral(rows, ({ id }) => id)}::uuid[])`;

/**
 * Writes blocks of attempts, counts them, and removes their messages from the queue. Returns the number of removed
 * rows. If it is lower than the number given, another transaction has written, held, erased or unpacked a message
 * meanwhile, and the caller must roll back.
 */
export async function recordBlocks(
  tx: Tx,
  blocks: readonly AttemptBlockRow[],
  { messages, bundles }: DequeuedRows,
): Promise<number> {
  const column = (read: (row: AttemptBlockRow) => string | number) => toArrayLiteral(blocks.map(read));
  const attempts = blocks.map((row) => row.attempts);
  const counts = blocks.flatMap((row, at) =>
    [...row.counts].map(([type, count]) => ({ at: at + 1, type, count })),
  );
  const counted = (read: (count: (typeof counts)[number]) => string | number) =>
    toArrayLiteral(counts.map(read));
  const { rows } = await sql<{ count: number }>`
    with v as materialized (
      select given.*, first_wall + t.ahead as first_at, last_wall + t.ahead as last_at
      from unnest(${column((r) => r.teamId)}::uuid[], ${column((r) => r.environment)}::text[],
        ${column((r) => r.id)}::uuid[], ${column((r) => r.endpointId)}::uuid[],
        ${column((r) => r.firstSystemTime.toISOString())}::timestamptz[],
        ${column((r) => r.lastSystemTime.toISOString())}::timestamptz[],
        ${column((r) => `"{${r.eventIds.join()}}"`)}::text[], ${toArrayLiteral(offsetsOf(attempts))}::int[],
        ${column((r) => r.attempts.length)}::int[])
        with ordinality as given (team_id, environment, id, endpoint_id, first_wall, last_wall, event_ids,
          attempts_from, attempts_length, place)
      cross join lateral (select interval '1 ms' * clock_offset_ms as ahead from team_environment
        where team_id = given.team_id and environment = given.environment offset 0) t),
    gone as (
      delete from webhook_delivery d
      using ${unnestRows(messages)} as m (place, id)
      where d.ctid = m.place and d.id = m.id and d.status = 'pending' and d.attempts = 0
      returning 1),
    unbundled as (
      delete from webhook_bundle b using ${unnestRows(bundles)} as m (place, id)
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
  /** Only blocks that may contain an attempt before `until` and one from `since` on. */
  readonly until: Date | null;
  readonly since: Date | null;
  readonly eventId: string | null;
  /** The end and the id of the last block that was read. */
  readonly after: { readonly lastAt: Date; readonly id: string } | null;
  readonly limit: number;
}

type EndpointBlock = StoredAttemptBlock & { readonly last_at: Date };

const COLUMNS = sql`b.id, b.first_at, b.last_at, b.event_ids, b.attempts`;

const ofTenant = ({ tenant }: Work): RawBuilder<boolean> =>
  sql<boolean>`b.team_id = ${tenant.teamId} and b.environment = ${tenant.environment}`;

/**
 * Blocks of one endpoint, ordered by descending end. Only the given bounds become conditions: a comparison with NULL
 * would not limit the index scan, and an old page would read all newer blocks.
 */
export async function listBlocks(work: Work, page: BlockPage): Promise<EndpointBlock[]> {
  const { endpointId, until, since, eventId, after, limit } = page;
  const bounds = [ofTenant(work), sql<boolean>`b.endpoint_id = ${endpointId}`];
  if (until) bounds.push(sql`b.first_at <= ${until} and b.last_at <= ${later(until, BLOCK_SPAN_MS)}`);
  if (since) bounds.push(sql`b.last_at >= ${since}`);
  if (eventId) bounds.push(sql`b.id = any(array(select aliquot_blocks_of_events(array[${eventId}::uuid])))`);
  if (after) bounds.push(sql`(b.last_at, b.id) < (${after.lastAt}::timestamptz, ${after.id}::uuid)`);
  const { rows } = await sql<EndpointBlock>`
    select ${COLUMNS} from webhook_attempt_block b where ${sql.join(bounds, sql` and `)}
    order by b.last_at desc, b.id desc limit ${limit}`.execute(work.tx);
  return rows;
}

export async function findBlock(
  work: Work,
  { endpointId, id }: { endpointId: string; id: string },
): Promise<StoredAttemptBlock | undefined> {
  const { rows } = await sql<StoredAttemptBlock>`
    select ${COLUMNS} from webhook_attempt_block b
    where ${ofTenant(work)} and b.id = ${id} and b.endpoint_id = ${endpointId}`.execute(work.tx);
  return rows[0];
}

/**
 * Removes the pending messages about a user from the queue. A sender that is recording one of them either commits first
 * or finds the message gone.
 */
export async function dequeueForUser({ tx, tenant }: Work, userId: string): Promise<void> {
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

/** Locks the blocks with an attempt about any of these events until the work ends. */
export async function lockBlocksOf(
  work: Work,
  { eventIds, limit }: { eventIds: readonly string[]; limit: number },
): Promise<StoredAttemptBlock[]> {
  const { rows } = await sql<StoredAttemptBlock>`
    select ${COLUMNS} from webhook_attempt_block b
    where ${ofTenant(work)} and b.id = any(array(select aliquot_blocks_of_events(${toArrayLiteral(eventIds)}::uuid[])))
    order by b.id limit ${limit} for update of b`.execute(work.tx);
  return rows;
}

export async function changeBlock(
  { tx, tenant }: Work,
  id: string,
  { event_ids, attempts }: Pick<StoredAttemptBlock, 'event_ids' | 'attempts'>,
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
