import { executeOn } from '../../platform/db/hand.ts';
import { defer, type Work } from '../../platform/work.ts';
import type { Columns } from './columns.ts';
import type { SourceRow } from './origin-store.ts';
import type { FoundSource } from './stored.ts';
import type { StreamKey, StreamRow } from './stream-store.ts';
import './table.ts';

/** Samples in the form in which they are written: the columns of rows, or a segment. */
export type Form = { readonly rows: Columns } | { readonly segment: SealedSegment };

export interface SealedSegment {
  readonly first: number;
  readonly last: number;
  readonly count: number;
  /** Sealed: see sealed-chunk.ts. */
  readonly samples: Buffer;
}

/** Places of parameters after the `from`th, with their types. */
const given = (from: number, types: readonly string[]): string =>
  types.map((type, n) => `$${from + n + 1}::${type}`).join();

/** What says to which stream and source samples belong, and the tables in which that stands. */
interface Into {
  readonly streamId: string;
  readonly sourceId: string;
  readonly tables?: readonly string[];
  readonly span?: readonly [first: string, last: string];
}

// $1 and $2 are the tenant, those after the `from`th the form.
const insertRows = (from: number, { streamId, sourceId, tables = [] }: Into) => `
  insert into sample (team_id, environment, stream_id, source_id, at, value, until, zone_offset, type, more)
  select $1::uuid, $2::text, ${streamId}, ${sourceId}, given.* from ${[...tables, ''].join()} unnest(
    ${given(from, ['bigint[]', 'float8[]', 'bigint[]', 'integer[]', 'text[]', 'bytea[]'])}
  ) as given (at, value, until, zone_offset, type, more)`;
/** Where a segment begins and ends stands in the parameters already, or else with the form. */
function insertSegment(from: number, { streamId, sourceId, tables, span }: Into): string {
  const segment = span
    ? [...span, given(from, ['integer', 'bytea'])].join()
    : given(from, ['bigint', 'bigint', 'integer', 'bytea']);
  const values = `$1::uuid, $2::text, ${streamId}, ${sourceId}, ${segment}`;
  return `
  insert into sample_segment (team_id, environment, stream_id, source_id, first_at, last_at, count, samples)
  ${tables ? `select ${values} from ${tables.join()}` : `values (${values})`}`;
}

/** The parameters of a form behind those that say from when to when it reaches. */
const parametersOf = (form: Form): readonly unknown[] =>
  'rows' in form ? form.rows : [form.segment.count, form.segment.samples];

// Under the user's lock nobody else writes samples of this user. What lies after all that the stream has is new; where a
// batch does not, what counts is up to where rows, segments and chunks reach that begin before its end: what lies after
// that is new as well, and needs no comparing.
const OF_STREAM = 'team_id = $1 and environment = $2 and stream_id = sample_stream.id';
const TAKEN_TO = `case when $9::bigint <= last_at then greatest(
  (select max(at) from sample where ${OF_STREAM} and at >= $9::bigint and at <= $10::bigint),
  (select last_at from sample_segment where ${OF_STREAM} and first_at <= $10::bigint
    order by first_at desc limit 1),
  case when $9::bigint < chunks_to then (
    select last_at from sample_chunk where ${OF_STREAM} and first_at <= $10::bigint
    order by first_at desc limit 1) end) end`;

// The device is looked up by a limit of its own, so that a plan of the first days, when all tables are small, does not
// look through all devices of the tenant.
const putKnownText = (insert: string) => `
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
const FOUND: Into = {
  streamId: 'stream.id',
  sourceId: 'source.id',
  tables: ['stream', 'source'],
  span: ['$9::bigint', '$10::bigint'],
};
const PUT_KNOWN_ROWS = putKnownText(insertRows(10, FOUND));
const PUT_KNOWN_SEGMENT = putKnownText(insertSegment(10, FOUND));

/** The source of a batch, its device, and its stream. */
export interface KnownPut extends SourceRow, Pick<StreamRow, 'rows_from' | 'chunks_to' | 'origins_version'> {
  readonly stream_id: number;
  /** Up to where there are samples before the end of the batch. Where that is before its begin, it is written. */
  readonly taken_to: number | null;
  readonly device_type: string | null;
  readonly private: Buffer | null;
}

export interface KnownSamples {
  readonly originKey: Buffer;
  readonly stream: StreamKey;
  /** The earliest moment and the latest. */
  readonly first: number;
  readonly last: number;
  readonly form: Form;
}

/**
 * Writes samples of a source and a stream that are there, all of them or, if they lie among others, none; undefined
 * where source or stream are not there. The user's lock is taken before, by a statement of its own, so that this one
 * sees what others wrote before it was our turn.
 */
export async function putKnown(work: Work, known: KnownSamples): Promise<KnownPut | undefined> {
  const { originKey, stream, first, last, form } = known;
  const { teamId, environment } = work.tenant;
  const { user_id: userId, resource, provider, source_type: sourceType, type } = stream;
  const of = [teamId, environment, userId, originKey, resource, provider, sourceType, type, first, last];
  const { rows } = await executeOn<KnownPut>(work.tx, {
    sql: 'rows' in form ? PUT_KNOWN_ROWS : PUT_KNOWN_SEGMENT,
    parameters: [...of, ...parametersOf(form)],
  });
  return rows[0];
}

const BY_ID: Into = { streamId: '$3::integer', sourceId: '$4::integer' };
const PUT_ROWS = `${insertRows(4, BY_ID)}
  on conflict (team_id, environment, stream_id, at) do update set
    source_id = excluded.source_id, value = excluded.value, until = excluded.until,
    zone_offset = excluded.zone_offset, type = excluded.type, more = excluded.more`;
const PUT_SEGMENT = insertSegment(4, BY_ID);

/**
 * Writes into a stream that is held, rows over those of the same moments; goes out with the next statement. A segment
 * must lie among nothing.
 */
export const putInto = (
  work: Work,
  { streamId, sourceId, form }: { streamId: number; sourceId: number; form: Form },
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
        ...parametersOf(form),
      ],
    }),
  });

// What is remembered of a stream is verified by its row; if it is not so, the transaction is undone and tried again.
const VERIFY = `
  with stream as (
    update sample_stream set last_at = $6::bigint
    where team_id = $1 and environment = $2 and id = $3 and origins_version = $7
      and last_at < $5::bigint and rows_from <= $5::bigint
    returning id
  )`;
const VERIFIED: Into = {
  streamId: 'coalesce((select id from stream), length(aliquot_try_again()::text))',
  sourceId: '$4::integer',
  span: ['$5::bigint', '$6::bigint'],
};
const PUT_REMEMBERED_ROWS = `${VERIFY} ${insertRows(7, VERIFIED)}`;
const PUT_REMEMBERED_SEGMENT = `${VERIFY} ${insertSegment(7, VERIFIED)}`;

/** A stream, and a source of it as it was at a version of the user's sources and devices. */
export interface Remembered {
  readonly streamId: number;
  readonly source: FoundSource;
  readonly originsVersion: number;
}

interface Believed extends Pick<KnownSamples, 'first' | 'last' | 'form'> {
  /** Told when it is not so; the work is then tried again. */
  readonly failed: () => void;
}

/**
 * Writes samples into a stream that is remembered, if they lie after all that is there and nothing has changed. Nobody
 * waits for the answer: it goes out with the next statement, behind the user's lock.
 */
export const putRemembered = (
  work: Work,
  { streamId, source, originsVersion }: Remembered,
  { first, last, form, failed }: Believed,
): void => {
  const { teamId, environment } = work.tenant;
  const of = [teamId, environment, streamId, source.id, first, last, originsVersion];
  const sql = 'rows' in form ? PUT_REMEMBERED_ROWS : PUT_REMEMBERED_SEGMENT;
  defer(work, { compile: () => ({ sql, parameters: [...of, ...parametersOf(form)], failed }) });
};
