import { executeStatement } from '../../platform/db/transaction-connection.ts';
import { defer, type Work } from '../../platform/work.ts';
import type { SampleColumns } from './columns.ts';
import type { SourceRow } from './origin-store.ts';
import type { UpsertedSource } from './stored.ts';
import type { SampleStreamKey, SampleStreamRow } from './stream-store.ts';
import './table.ts';

/** Samples encoded for writing: as the columns of rows, or as a segment. */
export type EncodedSamples = { readonly rows: SampleColumns } | { readonly segment: SealedSegment };

export interface SealedSegment {
  readonly first: number;
  readonly last: number;
  readonly count: number;
  /** Encrypted: see sealed-chunk.ts. */
  readonly samples: Buffer;
}

/** Placeholders for typed parameters after the first `from`. */
const listParameters = (from: number, types: readonly string[]): string =>
  types.map((type, n) => `$${from + n + 1}::${type}`).join();

/** SQL expressions for the stream and source of the samples, and the tables that they refer to. */
interface InsertTarget {
  readonly streamId: string;
  readonly sourceId: string;
  readonly tables?: readonly string[];
  readonly span?: readonly [first: string, last: string];
}

// $1 and $2 are the tenant; the parameters after the first `from` are the encoded samples.
const insertRows = (from: number, { streamId, sourceId, tables = [] }: InsertTarget) => `
  insert into sample (team_id, environment, stream_id, source_id, at, value, until, zone_offset, type, more)
  select $1::uuid, $2::text, ${streamId}, ${sourceId}, given.* from ${[...tables, ''].join()} unnest(
    ${listParameters(from, ['bigint[]', 'float8[]', 'bigint[]', 'integer[]', 'text[]', 'bytea[]'])}
  ) as given (at, value, until, zone_offset, type, more)`;
/** The first and last timestamp of the segment are earlier parameters (`span`), or part of the encoded samples. */
function insertSegment(from: number, { streamId, sourceId, tables, span }: InsertTarget): string {
  const segment = span
    ? [...span, listParameters(from, ['integer', 'bytea'])].join()
    : listParameters(from, ['bigint', 'bigint', 'integer', 'bytea']);
  const values = `$1::uuid, $2::text, ${streamId}, ${sourceId}, ${segment}`;
  return `
  insert into sample_segment (team_id, environment, stream_id, source_id, first_at, last_at, count, samples)
  ${tables ? `select ${values} from ${tables.join()}` : `values (${values})`}`;
}

/** The parameters of encoded samples, without their first and last timestamp. */
const getParameters = (form: EncodedSamples): readonly unknown[] =>
  'rows' in form ? form.rows : [form.segment.count, form.segment.samples];

// The user's lock excludes other writers. A batch after the end of the stream is new. Otherwise, taken_to is the end of
// the rows, segments and chunks that begin before the end of the batch: a batch after that is also new and needs no
// comparison.
const STREAM_FILTER = 'team_id = $1 and environment = $2 and stream_id = sample_stream.id';
const TAKEN_TO = `case when $9::bigint <= last_at then greatest(
  (select max(at) from sample where ${STREAM_FILTER} and at >= $9::bigint and at <= $10::bigint),
  (select last_at from sample_segment where ${STREAM_FILTER} and first_at <= $10::bigint
    order by first_at desc limit 1),
  case when $9::bigint < chunks_to then (
    select last_at from sample_chunk where ${STREAM_FILTER} and first_at <= $10::bigint
    order by first_at desc limit 1) end) end`;

// The lateral limit keeps a plan that was cached while the tables were small from scanning all devices of the tenant.
const createPutKnownSql = (insert: string) => `
  with source as materialized (
    select s.*, d.source_type as device_type, d.private
    from wearable_source s
    left join lateral (
      select source_type, private from wearable_device
      where team_id = $1 and environment = $2 and id = s.device_id limit 1) d on true
    where s.team_id = $1 and s.environment = $2 and s.user_id = $3 and s.origin_key = $4
  ), stream as materialized (
    select id, rows_from, chunks_to, origins_version, ${TAKEN_TO} as taken_to
    from sample_stream
    where team_id = $1 and environment = $2 and user_id = $3 and resource = $5 and provider = $6
      and source_type = $7 and type = $8
    for no key update of sample_stream
  ), put as (${insert} where (stream.taken_to >= $9::bigint) is not true
  ), reached as (
    update sample_stream set last_at = greatest(last_at, $10::bigint)
    where team_id = $1 and environment = $2 and id = (select stream.id from stream, source))
  select stream.id as stream_id, stream.rows_from, stream.chunks_to, stream.origins_version, stream.taken_to, source.*
  from stream, source`;
const FOUND_TARGET: InsertTarget = {
  streamId: 'stream.id',
  sourceId: 'source.id',
  tables: ['stream', 'source'],
  span: ['$9::bigint', '$10::bigint'],
};
const PUT_KNOWN_ROWS = createPutKnownSql(insertRows(10, FOUND_TARGET));
const PUT_KNOWN_SEGMENT = createPutKnownSql(insertSegment(10, FOUND_TARGET));

/** The source, device and stream of a batch. */
export interface KnownStreamPut
  extends SourceRow, Pick<SampleStreamRow, 'rows_from' | 'chunks_to' | 'origins_version'> {
  readonly stream_id: number;
  /** The end of the stored samples before the end of the batch. The batch was written if this is before its start. */
  readonly taken_to: number | null;
  readonly device_type: string | null;
  readonly private: Buffer | null;
}

export interface KnownStreamSamples {
  readonly originKey: Buffer;
  readonly stream: SampleStreamKey;
  /** The earliest and the latest timestamp. */
  readonly first: number;
  readonly last: number;
  readonly form: EncodedSamples;
}

/**
 * Appends samples to an existing source and stream: all of them, or none if they overlap stored ones. Undefined if the
 * source or stream does not exist. The user's lock must be taken by an earlier statement, so that this statement's
 * snapshot includes the writes of earlier lock holders.
 */
export async function putIntoKnownStream(
  work: Work,
  known: KnownStreamSamples,
): Promise<KnownStreamPut | undefined> {
  const { originKey, stream, first, last, form } = known;
  const { teamId, environment } = work.tenant;
  const { user_id: userId, resource, provider, source_type: sourceType, type } = stream;
  const of = [teamId, environment, userId, originKey, resource, provider, sourceType, type, first, last];
  const { rows } = await executeStatement<KnownStreamPut>(work.tx, {
    sql: 'rows' in form ? PUT_KNOWN_ROWS : PUT_KNOWN_SEGMENT,
    parameters: [...of, ...getParameters(form)],
  });
  return rows[0];
}

const ID_TARGET: InsertTarget = { streamId: '$3::integer', sourceId: '$4::integer' };
const PUT_ROWS = `${insertRows(4, ID_TARGET)}
  on conflict (team_id, environment, stream_id, at) do update set
    source_id = excluded.source_id, value = excluded.value, until = excluded.until,
    zone_offset = excluded.zone_offset, type = excluded.type, more = excluded.more`;
const PUT_SEGMENT = insertSegment(4, ID_TARGET);

/**
 * Writes to a locked stream; rows replace those with the same timestamps. A segment must not overlap stored samples.
 * Deferred: sent with the next statement.
 */
export const putIntoLockedStream = (
  work: Work,
  { streamId, sourceId, form }: { streamId: number; sourceId: number; form: EncodedSamples },
): void =>
  defer(work, {
    compile: () => ({
      sql: 'rows' in form ? PUT_ROWS : PUT_SEGMENT,
      parameters: [
        work.tenant.teamId,
        work.tenant.environment,
        streamId,
        sourceId,
        ...('rows' in form ? [] : [form.segment.first, form.segment.last]),
        ...getParameters(form),
      ],
    }),
  });

// The cached state of a stream is verified against its row. If it is stale, the transaction is rolled back and retried.
const VERIFY = `
  with stream as (
    update sample_stream set last_at = $6::bigint
    where team_id = $1 and environment = $2 and id = $3 and origins_version = $7
      and last_at < $5::bigint and rows_from <= $5::bigint
    returning id
  )`;
const VERIFIED_TARGET: InsertTarget = {
  streamId: 'coalesce((select id from stream), length(aliquot_try_again()::text))',
  sourceId: '$4::integer',
  span: ['$5::bigint', '$6::bigint'],
};
const PUT_CACHED_ROWS = `${VERIFY} ${insertRows(7, VERIFIED_TARGET)}`;
const PUT_CACHED_SEGMENT = `${VERIFY} ${insertSegment(7, VERIFIED_TARGET)}`;

/** A cached stream, and one of its sources at a version of the user's sources and devices. */
export interface CachedStream {
  readonly streamId: number;
  readonly source: UpsertedSource;
  readonly originsVersion: number;
}

interface CachedStreamSamples extends Pick<KnownStreamSamples, 'first' | 'last' | 'form'> {
  /** Called if the cache is stale, before the transaction is retried. */
  readonly failed: () => void;
}

/**
 * Appends samples to a cached stream, if they are after all stored ones and the cache is current; otherwise the
 * transaction is retried. Deferred: sent with the next statement, after the user's lock.
 */
export const putIntoCachedStream = (
  work: Work,
  { streamId, source, originsVersion }: CachedStream,
  { first, last, form, failed }: CachedStreamSamples,
): void => {
  const { teamId, environment } = work.tenant;
  const of = [teamId, environment, streamId, source.id, first, last, originsVersion];
  const sql = 'rows' in form ? PUT_CACHED_ROWS : PUT_CACHED_SEGMENT;
  defer(work, { compile: () => ({ sql, parameters: [...of, ...getParameters(form)], failed }) });
};
