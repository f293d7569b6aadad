import { sql, type Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type { Work } from '../../platform/work.ts';
import './table.ts';

export type SampleRow = Selectable<Database['sample']>;
export type SampleValues = Omit<SampleRow, 'team_id' | 'environment' | 'stream_id'>;

const selectSamples = ({ tx, tenant }: Work, streamId: number) =>
  tx
    .selectFrom('sample')
    .select(['at', 'value', 'until', 'zone_offset', 'type', 'more', 'source_id'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('stream_id', '=', streamId);

export interface SampleRowRange {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly limit: number;
}

/** Sorted by time. */
export const listRows = (
  work: Work,
  streamId: number,
  { from, to, limit }: SampleRowRange,
): Promise<SampleValues[]> =>
  selectSamples(work, streamId)
    .where('at', '>=', from)
    .where('at', '<', to)
    .orderBy('at')
    .limit(limit)
    .execute();

export const listRowsAt = (
  work: Work,
  streamId: number,
  moments: readonly number[],
): Promise<SampleValues[]> =>
  selectSamples(work, streamId)
    .where(sql<boolean>`at = any(${`{${moments.join()}}`}::bigint[])`)
    .execute();

/** Both ends are inclusive. Of all sources if none are given. */
export async function deleteRows(
  { tx, tenant }: Work,
  streamId: number,
  { first, last, sourceIds }: { first: number; last: number; sourceIds?: readonly number[] | undefined },
): Promise<void> {
  await tx
    .deleteFrom('sample')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('stream_id', '=', streamId)
    .where('at', '>=', first)
    .where('at', '<=', last)
    .$if(sourceIds !== undefined, (rows) =>
      rows.where('source_id', '=', sql<number>`any(${[...(sourceIds ?? [])]}::integer[])`),
    )
    .execute();
}
