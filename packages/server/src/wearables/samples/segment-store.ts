import type { Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type { Work } from '../../platform/work.ts';
import { createRangeQuery } from './chunk-store.ts';
import './table.ts';

const COLUMNS = ['first_at', 'last_at', 'count', 'source_id', 'samples'] as const;
export type SampleSegmentRow = Pick<Selectable<Database['sample_segment']>, (typeof COLUMNS)[number]>;
type SampleSegmentExtent = Pick<SampleSegmentRow, 'first_at' | 'last_at' | 'count'>;

/** The number of encrypted segments fetched at once: most have about a dozen samples. */
export const SEGMENTS_PER_READ = 128;

/** The first segments that overlap [from, to). */
export const readNextSegments = createRangeQuery<SampleSegmentRow>({
  table: 'sample_segment',
  columns: COLUMNS.join(),
  limit: SEGMENTS_PER_READ,
});

const selectSegments = ({ tx, tenant }: Work, streamId: number) =>
  tx
    .selectFrom('sample_segment')
    .select(['first_at', 'last_at', 'count'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('stream_id', '=', streamId);

/** The extents of the first segments that begin in [from, to), sorted by time. */
export const listSegmentExtents = (
  work: Work,
  streamId: number,
  { from, to, limit }: { from: number; to: number; limit: number },
): Promise<SampleSegmentExtent[]> =>
  selectSegments(work, streamId)
    .where('first_at', '>=', from)
    .where('first_at', '<', to)
    .orderBy('first_at')
    .limit(limit)
    .execute();

/** Deletes the segments that begin in [first, last], and returns them sorted by time. */
export async function takeSegments(
  { tx, tenant }: Work,
  streamId: number,
  { first, last }: { first: number; last: number },
): Promise<SampleSegmentRow[]> {
  const taken = await tx
    .deleteFrom('sample_segment')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('stream_id', '=', streamId)
    .where('first_at', '>=', first)
    .where('first_at', '<=', last)
    .returning(COLUMNS)
    .execute();
  return taken.toSorted((a, b) => a.first_at - b.first_at);
}

export async function deleteSegment({ tx, tenant }: Work, streamId: number, firstAt: number): Promise<void> {
  await tx
    .deleteFrom('sample_segment')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('stream_id', '=', streamId)
    .where('first_at', '=', firstAt)
    .execute();
}
