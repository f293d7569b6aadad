import type { Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { executeOn } from '../../platform/db/hand.ts';
import type { Work } from '../../platform/work.ts';
import './table.ts';

export type ChunkRow = Pick<
  Selectable<Database['sample_chunk']>,
  'first_at' | 'last_at' | 'count' | 'samples'
>;
export type ChunkPlace = Omit<ChunkRow, 'samples'>;

const chunks = ({ tx, tenant }: Work, streamId: number) =>
  tx
    .selectFrom('sample_chunk')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('stream_id', '=', streamId);

const PLACE = ['first_at', 'last_at', 'count'] as const;

/** Where the last chunk is that begins at a moment or before. */
export const chunkBefore = (work: Work, streamId: number, at: number): Promise<ChunkPlace | undefined> =>
  chunks(work, streamId)
    .select(PLACE)
    .where('first_at', '<=', at)
    .orderBy('first_at', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Where the first chunk is that begins after a moment. */
export const chunkAfter = (work: Work, streamId: number, at: number): Promise<ChunkPlace | undefined> =>
  chunks(work, streamId)
    .select(PLACE)
    .where('first_at', '>', at)
    .orderBy('first_at')
    .limit(1)
    .executeTakeFirst();

/** Chunks and segments lie alike: in the order of time, none over another. */
interface Packed {
  readonly table: 'sample_chunk' | 'sample_segment';
  readonly columns: string;
  readonly limit: number;
}

interface Wanted {
  readonly from: number;
  /** The first moment that is not wanted. */
  readonly to: number;
}

/** The first ones that hold something at or after `from`, and begin before `to`. */
export function nextOf<R>({ table, columns, limit }: Packed) {
  const ofStream = 'team_id = $1 and environment = $2 and stream_id = $3';
  const text = `
    select ${columns} from ${table}
    where ${ofStream} and first_at < $5::bigint and last_at >= $4::bigint and first_at >= coalesce(
      (select first_at from ${table} where ${ofStream} and first_at <= $4::bigint order by first_at desc limit 1),
      $4::bigint)
    order by first_at limit ${limit}`;
  return async ({ tx, tenant }: Work, streamId: number, { from, to }: Wanted): Promise<R[]> => {
    const parameters = [tenant.teamId, tenant.environment, streamId, from, to];
    return (await executeOn<R>(tx, { sql: text, parameters })).rows;
  };
}

/** So many are fetched at once, sealed as they are. */
export const CHUNKS_AT_ONCE = 4;

/** The first chunks that hold something at or after `from`, and begin before `to`. */
export const nextChunks = nextOf<ChunkRow>({
  table: 'sample_chunk',
  columns: [...PLACE, 'samples'].join(),
  limit: CHUNKS_AT_ONCE,
});

/** The chunk at a place that was found. */
export const getChunk = (
  work: Work,
  streamId: number,
  { first_at: firstAt }: ChunkPlace,
): Promise<ChunkRow> =>
  chunks(work, streamId)
    .select([...PLACE, 'samples'])
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
  rows: readonly ChunkRow[],
): Promise<void> {
  await tx
    .insertInto('sample_chunk')
    .values(rows.map((row) => ({ ...tenantColumns(tenant), stream_id: streamId, ...row })))
    .execute();
}
