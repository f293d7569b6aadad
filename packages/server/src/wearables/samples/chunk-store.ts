import type { Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { executeStatement } from '../../platform/db/transaction-connection.ts';
import type { Work } from '../../platform/work.ts';
import './table.ts';

export type SampleChunkRow = Pick<
  Selectable<Database['sample_chunk']>,
  'first_at' | 'last_at' | 'count' | 'samples'
>;
export type SampleChunkExtent = Omit<SampleChunkRow, 'samples'>;

const selectChunks = ({ tx, tenant }: Work, streamId: number) =>
  tx
    .selectFrom('sample_chunk')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('stream_id', '=', streamId);

const EXTENT_COLUMNS = ['first_at', 'last_at', 'count'] as const;

/** The last chunk that begins at or before a timestamp. */
export const findChunkBefore = (
  work: Work,
  streamId: number,
  at: number,
): Promise<SampleChunkExtent | undefined> =>
  selectChunks(work, streamId)
    .select(EXTENT_COLUMNS)
    .where('first_at', '<=', at)
    .orderBy('first_at', 'desc')
    .limit(1)
    .executeTakeFirst();

/** The first chunk that begins after a timestamp. */
export const findChunkAfter = (
  work: Work,
  streamId: number,
  at: number,
): Promise<SampleChunkExtent | undefined> =>
  selectChunks(work, streamId)
    .select(EXTENT_COLUMNS)
    .where('first_at', '>', at)
    .orderBy('first_at')
    .limit(1)
    .executeTakeFirst();

/** Chunks and segments have the same layout: sorted by time, without overlap. */
interface PackedTable {
  readonly table: 'sample_chunk' | 'sample_segment';
  readonly columns: string;
  readonly limit: number;
}

interface ChunkTimeRange {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** Creates a query for the first rows that overlap [from, to). */
export function createRangeQuery<R>({ table, columns, limit }: PackedTable) {
  const ofStream = 'team_id = $1 and environment = $2 and stream_id = $3';
  const text = `
    select ${columns} from ${table}
    where ${ofStream} and first_at < $5::bigint and last_at >= $4::bigint and first_at >= coalesce(
      (select first_at from ${table} where ${ofStream} and first_at <= $4::bigint order by first_at desc limit 1),
      $4::bigint)
    order by first_at limit ${limit}`;
  return async ({ tx, tenant }: Work, streamId: number, { from, to }: ChunkTimeRange): Promise<R[]> => {
    const parameters = [tenant.teamId, tenant.environment, streamId, from, to];
    return (await executeStatement<R>(tx, { sql: text, parameters })).rows;
  };
}

/** The number of encrypted chunks fetched at once. */
export const CHUNKS_PER_READ = 4;

/** The first chunks that overlap [from, to). */
export const readNextChunks = createRangeQuery<SampleChunkRow>({
  table: 'sample_chunk',
  columns: [...EXTENT_COLUMNS, 'samples'].join(),
  limit: CHUNKS_PER_READ,
});

/** The chunk of an extent. */
export const getChunk = (
  work: Work,
  streamId: number,
  { first_at: firstAt }: SampleChunkExtent,
): Promise<SampleChunkRow> =>
  selectChunks(work, streamId)
    .select([...EXTENT_COLUMNS, 'samples'])
    .where('first_at', '=', firstAt)
    .executeTakeFirstOrThrow();

export async function deleteChunk({ tx, tenant }: Work, streamId: number, firstAt: number): Promise<void> {
  await tx
    .deleteFrom('sample_chunk')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('stream_id', '=', streamId)
    .where('first_at', '=', firstAt)
    .execute();
}

export async function insertChunks(
  { tx, tenant }: Work,
  streamId: number,
  rows: readonly SampleChunkRow[],
): Promise<void> {
  await tx
    .insertInto('sample_chunk')
    .values(rows.map((row) => ({ ...tenantColumns(tenant), stream_id: streamId, ...row })))
    .execute();
}
