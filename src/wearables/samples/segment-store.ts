import type { Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type { Work } from '../../platform/work.ts';
import { nextOf } from './chunk-store.ts';
import './table.ts';

const COLUMNS = ['first_at', 'last_at', 'count', 'source_id', 'samples'] as const;
export type SegmentRow = Pick<Selectable<Database['sample_segment']>, (typeof COLUMNS)[number]>;
export type SegmentPlace = Pick<SegmentRow, 'first_at' | 'last_at' | 'count'>;

/** So many are fetched at once, sealed as they are: most hold a dozen samples. */
export const SEGMENTS_AT_ONCE = 128;

/** The first segments that hold something at or after `from`, and begin before `to`. */
export const nextSegments = nextOf<SegmentRow>({
  table: 'sample_segment',
  columns: COLUMNS.join(),
  limit: SEGMENTS_AT_ONCE,
});

const segments = ({ tx, tenant }: Work, streamId: number) =>
  tx
    .selectFrom('sample_segment')
    .select(['first_at', 'last_at', 'count'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('stream_id', '=', streamId);

/** Where the first segments are that begin in a span, in the order of time. */
export const listSegmentPlaces = (
  work: Work,
  streamId: number,
  { from, to, limit }: { from: number; to: number; limit: number },
): Promise<SegmentPlace[]> =>
  segments(work, streamId)
    .where('first_at', '>=', from)
    .where('first_at', '<', to)
    .orderBy('first_at')
    .limit(limit)
    .execute();

/** Takes away the segments that begin from the first moment to the last one, and answers them in the order of time. */
export async function takeSegments(
  { tx, tenant }: Work,
  streamId: number,
  { first, last }: { first: number; last: number },
): Promise<SegmentRow[]> {
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
