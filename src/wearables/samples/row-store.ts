import { sql, type Selectable } from 'kysely';
import { executeOn } from '../../platform/db/connection.ts';
import type { Database } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { defer, type Work } from '../../platform/work.ts';
import type { Columns } from './columns.ts';
import type { SourceRow } from './origin-store.ts';
import './table.ts';

export type StreamRow = Selectable<Database['sample_stream']>;
export type SampleRow = Selectable<Database['sample']>;

/** What makes a stream another one. */
export type StreamKey = Pick<StreamRow, 'user_id' | 'resource' | 'provider' | 'source_type' | 'type'>;

/** What came of an upsert. */
export interface Outcome {
  readonly new_count: number;
  /** Which ones are new; null: as many as were given, or none. */
  readonly new_at: readonly number[] | null;
  readonly changed_at: readonly number[] | null;
}

// $1 and $2 are the tenant, $3 to $9 the columns.
const INSERT = `
  insert into sample (team_id, environment, stream_id, source_id, at, value, until, zone_offset, type, more, more_digest)
  select $1::uuid, $2::text, stream.id, source.id, given.*
  from stream, source, unnest($3::bigint[], $4::float8[], $5::bigint[], $6::integer[], $7::text[], $8::bytea[],
    $9::bytea[]) as given (at, value, until, zone_offset, type, more, more_digest)`;
// A row that would be what it was is not written, and not answered.
const UPSERT = `
  on conflict (team_id, environment, stream_id, at) do update set
    source_id = excluded.source_id, value = excluded.value, until = excluded.until,
    zone_offset = excluded.zone_offset, type = excluded.type, more = excluded.more, more_digest = excluded.more_digest
  where (sample.source_id, sample.value, sample.until, sample.zone_offset, sample.type, sample.more_digest)
    is distinct from (excluded.source_id, excluded.value, excluded.until, excluded.zone_offset, excluded.type,
      excluded.more_digest)
  returning at, xmax = 0 as is_new`;
// Of a batch that is all new it need not be said which ones are.
const OUTCOME = `
  select count(*) filter (where is_new) as new_count,
    case when count(*) filter (where is_new) < cardinality($3::bigint[])
      then array_agg(at::float8) filter (where is_new) end as new_at,
    array_agg(at::float8) filter (where not is_new) as changed_at
  from put`;

// Under the user's lock nobody else writes samples of this user. So where none lie between the first and the last of a
// batch, all of it is new, and it goes in without asking row by row: a third of the price. The device is looked up by a
// limit of its own, so that a plan of the first days, when all tables are small, does not look through all devices of
// the tenant.
const PUT_KNOWN = `
  with source as materialized (
    select s.*, d.source_type as device_type, d.private
    from wearable_source s
    left join lateral (
      select source_type, private from wearable_device
      where team_id = $1 and environment = $2 and id = s.device_id limit 1) d on true
    where s.team_id = $1 and s.environment = $2 and s.user_id = $10 and s.origin_key = $11
  ), stream as materialized (
    select id, rows_from, exists (
      select from sample
      where team_id = $1 and environment = $2 and stream_id = sample_stream.id
        and at >= $16::bigint and at <= $17::bigint) as is_taken
    from sample_stream
    where team_id = $1 and environment = $2 and user_id = $10 and resource = $12 and provider = $13
      and source_type = $14 and type = $15 and ($16::bigint >= chunks_to) is not false
    for key share of sample_stream
  ), put as (${INSERT} where not stream.is_taken)
  select stream.id as stream_id, stream.rows_from, stream.is_taken, source.* from stream, source`;

/** What the quick way answers beside the outcome: the source, its device, and where the rows of the stream begin. */
export interface KnownPut extends SourceRow {
  readonly outcome: Outcome;
  readonly stream_id: number;
  readonly rows_from: number | null;
  readonly device_type: string | null;
  readonly private: Buffer | null;
}

export interface KnownSamples {
  readonly columns: Columns;
  readonly originKey: Buffer;
  readonly stream: StreamKey;
  /** The earliest moment and the latest. */
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

/**
 * Writes samples of a source and a stream that are there, all of them after what is folded; undefined where it is not
 * so, and nothing was written. One statement where they fall between no others, as what is just measured does; else a
 * second one compares them row by row. The user's lock is taken before.
 */
export async function putKnown(work: Work, given: KnownSamples): Promise<KnownPut | undefined> {
  const { columns, originKey, stream, first, last, count } = given;
  const { teamId, environment } = work.tenant;
  const { user_id: userId, resource, provider, source_type: sourceType, type } = stream;
  const parameters: unknown[] = [teamId, environment, ...columns, userId, originKey];
  parameters.push(resource, provider, sourceType, type, first, last);
  const { rows } = await executeOn<Omit<KnownPut, 'outcome'> & { readonly is_taken: boolean }>(work.tx, {
    sql: PUT_KNOWN,
    parameters,
  });
  const [put] = rows;
  if (!put) return undefined;
  const outcome = put.is_taken
    ? await putIn(work, { streamId: put.stream_id, sourceId: put.id, columns })
    : { new_count: count, new_at: null, changed_at: null };
  return { ...put, outcome };
}

const PUT_IN = `
  with stream as (select $10::integer as id), source as (select $11::integer as id), put as (${INSERT}${UPSERT})
  ${OUTCOME}`;

/** The same into a stream that is held, whatever is folded of it. */
export async function putIn(
  { tx, tenant }: Work,
  { streamId, sourceId, columns }: { streamId: number; sourceId: number; columns: Columns },
): Promise<Outcome> {
  const parameters = [tenant.teamId, tenant.environment, ...columns, streamId, sourceId];
  const { rows } = await executeOn<Outcome>(tx, { sql: PUT_IN, parameters });
  return rows[0] ?? { new_count: 0, new_at: null, changed_at: null };
}

const streams = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('sample_stream')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);

/** The stream, made if it is not there; it cannot be erased before this work ends. The user's lock is held. */
export async function holdStream(work: Work, key: StreamKey): Promise<StreamRow> {
  const found = await streams(work)
    .where('user_id', '=', key.user_id)
    .where('resource', '=', key.resource)
    .where('provider', '=', key.provider)
    .where('source_type', '=', key.source_type)
    .where('type', '=', key.type)
    .forKeyShare()
    .executeTakeFirst();
  if (found) return found;
  return work.tx
    .insertInto('sample_stream')
    .values({ ...tenantColumns(work.tenant), ...key, rows_from: null, chunks_to: null })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Of one resource, in the order of their ids. */
export const listStreams = (
  work: Work,
  { userId, resource, provider, type }: StreamsWanted,
): Promise<StreamRow[]> =>
  streams(work)
    .where('user_id', '=', userId)
    .where('resource', '=', resource)
    .$if(provider !== undefined, (q) => q.where('provider', '=', provider ?? ''))
    .$if(type !== undefined, (q) => q.where('type', '=', type ?? ''))
    .orderBy('id')
    .execute();

export interface StreamsWanted {
  readonly userId: string;
  readonly resource: string;
  readonly provider?: string | undefined;
  readonly type?: string | undefined;
}

/** One of a user with rows before a moment. */
export const findStreamBefore = (
  work: Work,
  userId: string,
  before: number,
): Promise<StreamRow | undefined> =>
  streams(work)
    .where('user_id', '=', userId)
    .where('rows_from', '<', before)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();

export const hasRows = async (work: Work, userId: string): Promise<boolean> =>
  (await streams(work)
    .where('user_id', '=', userId)
    .where('rows_from', 'is not', null)
    .limit(1)
    .executeTakeFirst()) !== undefined;

/** There are rows from this moment on; goes out with the next statement. */
export const rowsBegin = (work: Work, streamId: number, at: number): void =>
  defer(
    work,
    work.tx
      .updateTable('sample_stream')
      .set({ rows_from: sql`least(rows_from, ${at})` })
      .where('team_id', '=', work.tenant.teamId)
      .where('environment', '=', work.tenant.environment)
      .where('id', '=', streamId),
  );

/** All before this moment is folded, up to which a chunk may reach; the rows begin wherever they do now. */
export async function foldedTo(
  { tx, tenant }: Work,
  streamId: number,
  { rowsFrom, chunksTo }: { rowsFrom: number; chunksTo: number | null },
): Promise<void> {
  await tx
    .updateTable('sample_stream')
    .set({
      rows_from: sql<number | null>`(
        select min(at) from sample
        where team_id = ${tenant.teamId} and environment = ${tenant.environment} and stream_id = ${streamId}
          and at >= ${rowsFrom})`,
      chunks_to: sql<number | null>`greatest(chunks_to, ${chunksTo}::bigint)`,
    })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', streamId)
    .execute();
}

const samples = ({ tx, tenant }: Work, streamId: number) =>
  tx
    .selectFrom('sample')
    .select(['at', 'value', 'until', 'zone_offset', 'type', 'more', 'source_id'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('stream_id', '=', streamId);

export type SampleValues = Omit<SampleRow, 'team_id' | 'environment' | 'stream_id' | 'more_digest'>;

export interface Span {
  readonly from: number;
  /** The first that is not wanted. */
  readonly to: number;
  readonly limit: number;
}

/** In the order of time. */
export const listRows = (work: Work, streamId: number, { from, to, limit }: Span): Promise<SampleValues[]> =>
  samples(work, streamId).where('at', '>=', from).where('at', '<', to).orderBy('at').limit(limit).execute();

export const listRowsAt = (
  work: Work,
  streamId: number,
  moments: readonly number[],
): Promise<SampleValues[]> =>
  samples(work, streamId)
    .where(sql<boolean>`at = any(${`{${moments.join()}}`}::bigint[])`)
    .execute();

export async function deleteRows(
  { tx, tenant }: Work,
  streamId: number,
  { first, last }: { first: number; last: number },
): Promise<void> {
  await tx
    .deleteFrom('sample')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('stream_id', '=', streamId)
    .where('at', '>=', first)
    .where('at', '<=', last)
    .execute();
}

/** What there is of each stream of a user, and over what time. */
export const listExtents = ({ tx, tenant }: Work, userId: string): Promise<ExtentRow[]> => {
  const of = (table: string) => sql`${sql.table(table)} as x
    where x.team_id = s.team_id and x.environment = s.environment and x.stream_id = s.id`;
  return tx
    .selectFrom('sample_stream as s')
    .select(['s.resource', 's.type', 's.provider', 's.source_type'])
    .select([
      sql<number | null>`least((select min(at) from ${of('sample')}),
        (select min(first_at) from ${of('sample_chunk')}))`.as('first'),
      // Chunks do not overlap: the one that begins last ends last.
      sql<number | null>`greatest((select max(at) from ${of('sample')}),
        (select last_at from ${of('sample_chunk')} order by first_at desc limit 1))`.as('last'),
    ])
    .where('s.team_id', '=', tenant.teamId)
    .where('s.environment', '=', tenant.environment)
    .where('s.user_id', '=', userId)
    .orderBy('s.resource')
    .orderBy('s.id')
    .execute();
};

export interface ExtentRow extends Pick<StreamRow, 'resource' | 'type' | 'provider' | 'source_type'> {
  readonly first: number | null;
  readonly last: number | null;
}
