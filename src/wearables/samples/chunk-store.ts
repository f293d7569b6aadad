import type { Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { readyQuery } from '../../platform/db/ready-query.ts';
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

/** So many are fetched at once, sealed as they are. */
const AT_ONCE = 4;

interface Wanted {
  readonly teamId: string;
  readonly environment: string;
  readonly streamId: number;
  readonly from: number;
  readonly to: number;
}

const nextQuery = readyQuery((tx, { teamId, environment, streamId, from, to }: Wanted) => {
  const ofStream = tx
    .selectFrom('sample_chunk')
    .where('team_id', '=', teamId)
    .where('environment', '=', environment)
    .where('stream_id', '=', streamId);
  const before = ofStream.select((eb) => eb.fn.max('first_at').as('first_at')).where('first_at', '<=', from);
  return ofStream
    .select([...PLACE, 'samples'])
    .where('first_at', '>=', (eb) => eb.fn.coalesce(before, eb.val(from)))
    .where('first_at', '<', to)
    .where('last_at', '>=', from)
    .orderBy('first_at')
    .limit(AT_ONCE);
});

/** The first chunks that hold something at or after `from`, and begin before `to`. */
export const nextChunks = (
  { tx, tenant }: Work,
  streamId: number,
  { from, to }: { from: number; to: number },
): Promise<ChunkRow[]> => nextQuery(tx, { ...tenant, streamId, from, to });

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
