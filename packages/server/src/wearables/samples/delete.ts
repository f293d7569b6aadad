import type { Work } from '../../platform/work.ts';
import type { SampledResource } from '../../readings/readings.ts';
import * as chunks from './chunk-store.ts';
import { listWorkoutSourceIds, lockSamples } from './origin-store.ts';
import { putIntoLockedStream } from './put-store.ts';
import { deleteRows } from './row-store.ts';
import { openChunk, openSegment, sealChunk, sealSegment } from './sealed-chunk.ts';
import * as segments from './segment-store.ts';
import { listProviderStreams, recomputeLast } from './stream-store.ts';

/** Which samples to delete. */
export interface SampleDeletion {
  readonly provider: string;
  /** All resources if absent. */
  readonly resources?: readonly SampledResource[] | undefined;
  /** Only samples that were measured in this workout. */
  readonly workoutId?: string;
  /** Milliseconds since 1970. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/**
 * Deletes a range from the rows, segments and chunks, under the user's sample lock: a sample that is deleted from one
 * of them only would reappear with an earlier value from another. Blocks that are partly in the range are rewritten.
 */
export async function deleteRange(work: Work, userId: string, given: SampleDeletion): Promise<void> {
  const { provider, resources, workoutId } = given;
  lockSamples(work, userId);
  const sourceIds = workoutId === undefined ? undefined : await listWorkoutSourceIds(work, userId, workoutId);
  if (sourceIds?.length === 0) return;
  for (const { id } of await listProviderStreams(work, { userId, provider, resources })) {
    await deleteFromStream(work, id, { from: given.from, to: given.to, sourceIds });
  }
}

interface StreamRange {
  readonly from: number;
  readonly to: number;
  /** All sources if absent. */
  readonly sourceIds: readonly number[] | undefined;
}

async function deleteFromStream(work: Work, streamId: number, range: StreamRange): Promise<void> {
  const { from, to, sourceIds } = range;
  await deleteRows(work, streamId, { first: from, last: to - 1, sourceIds });
  await deleteFromSegments(work, streamId, range);
  await deleteFromChunks(work, streamId, range);
  await recomputeLast(work, streamId);
}

async function deleteFromSegments(work: Work, streamId: number, range: StreamRange): Promise<void> {
  const { to, sourceIds } = range;
  for (let from = range.from; from < to;) {
    const some = await segments.readNextSegments(work, streamId, { from, to });
    for (const segment of some) {
      from = segment.last_at + 1;
      if (sourceIds?.includes(segment.source_id) === false) continue;
      const kept = openSegment(work, segment)
        .filter(({ at }) => at < range.from || at >= to)
        .map(({ sourceId: _column, ...sample }) => sample);
      if (kept.length === segment.count) continue;
      await segments.deleteSegment(work, streamId, segment.first_at);
      if (kept.length > 0)
        putIntoLockedStream(work, {
          streamId,
          sourceId: segment.source_id,
          form: { segment: sealSegment(work, kept) },
        });
    }
    if (some.length === 0) return;
  }
}

async function deleteFromChunks(work: Work, streamId: number, range: StreamRange): Promise<void> {
  const { to, sourceIds } = range;
  for (let from = range.from; from < to;) {
    const some = await chunks.readNextChunks(work, streamId, { from, to });
    for (const chunk of some) {
      from = chunk.last_at + 1;
      const kept = openChunk(work, chunk).filter(
        ({ at, sourceId }) => at < range.from || at >= to || sourceIds?.includes(sourceId) === false,
      );
      if (kept.length === chunk.count) continue;
      await chunks.deleteChunk(work, streamId, chunk.first_at);
      if (kept.length > 0) await chunks.insertChunks(work, streamId, [sealChunk(work, kept)]);
    }
    if (some.length === 0) return;
  }
}
