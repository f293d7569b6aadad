import { inTenant, type App, type Work } from '../../app.ts';
import { defineJob } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Tenant } from '../../platform/tenant.ts';
import * as chunks from './chunk-store.ts';
import type { StoredSample } from './chunk.ts';
import { getClosedUntil, scheduleCompaction, compactionTimer } from './schedule-compaction.ts';
import { lockSamples } from './origin-store.ts';
import { deleteRows, listRows, type SampleRowRange } from './row-store.ts';
import { mergeSamples, decryptSample } from './sample.ts';
import { openChunk, openSegment, sealChunk } from './sealed-chunk.ts';
import { listSegmentExtents, takeSegments } from './segment-store.ts';
import * as streams from './stream-store.ts';
import { removeOldCounts } from './tally-store.ts';

export interface ChunkSizes {
  /** The maximum number of samples of a chunk: what a read unpacks, and what a late sample rewrites. */
  readonly chunk: number;
  /** A chunk with at least this many samples is not extended. */
  readonly growUntil: number;
}

const SIZES: ChunkSizes = { chunk: 8192, growUntil: 2048 };
/** The number of iterations, of at most one chunk each, in one run of the job. */
const ITERATIONS_MAX = 256;

/**
 * Compacts rows and segments of closed days into chunks, for all streams of a user. Each iteration is a transaction
 * under the user's sample lock, so concurrent workers share the work, and a crash leaves no partial state; the queue
 * then runs the job again.
 */
export const compactSamples = defineJob({
  ...compactionTimer,
  canWait: true,
  run: (app: App, tenant: Tenant, { user_id: userId }) => compactUser(app, tenant, { userId, sizes: SIZES }),
});

export async function compactUser(
  app: App,
  tenant: Tenant,
  { userId, sizes }: CompactionInput,
): Promise<void> {
  for (let round = 1; round <= ITERATIONS_MAX; round += 1) {
    const isDone = await inTenant(app, tenant, async (work) => {
      lockSamples(work, userId);
      const isMore = await compactOnce(work, { userId, sizes });
      if (!isMore) await scheduleNextDay(work, userId);
      else if (round === ITERATIONS_MAX) await scheduleContinuation(work, userId);
      return !isMore;
    });
    if (isDone) return;
  }
}

interface CompactionInput {
  readonly userId: string;
  readonly sizes: ChunkSizes;
}

const scheduleContinuation = (work: Work, userId: string): Promise<void> =>
  setTimer(work, compactionTimer, { key: `${userId}/more`, dueAt: work.now, input: { user_id: userId } });

async function scheduleNextDay(work: Work, userId: string): Promise<void> {
  await removeOldCounts(work);
  if (await streams.hasUncompacted(work, userId)) await scheduleCompaction(work, userId, work.now.getTime());
}

/** Compacts the earliest samples of one stream, up to a chunk's size; false if no closed day has any. */
async function compactOnce(work: Work, { userId, sizes }: CompactionInput): Promise<boolean> {
  const to = getClosedUntil(work);
  const stream = await streams.findStreamBefore(work, userId, to);
  if (!stream || stream.rows_from === null) return false;
  const first = await streams.findFirstUncompacted(work, stream.id, stream.rows_from);
  if (first === null || first >= to) {
    await streams.recordCompaction(work, stream.id, { to, chunksTo: null });
    return true;
  }
  const { into, end } = await findChunkTarget(work, stream.id, { first, sizes });
  const young = await takeUncompacted(work, stream.id, {
    from: first,
    to: Math.min(to, end),
    limit: sizes.chunk,
  });
  await writeChunks(work, stream.id, { into, ...young, sizes });
  return true;
}

interface UncompactedSamples {
  /** Sorted by time, at least one. */
  readonly samples: readonly StoredSample[];
  /** Includes all rows up to this timestamp, and all segments that begin at or before it. */
  readonly last: number;
}

/**
 * Deletes and returns the earliest rows and segments. A segment is taken as a whole, even beyond the end of a closed
 * day, and a row is taken only together with the segment that it overrides: a segment overrides a chunk, so a chunk
 * must not contain anything newer.
 */
async function takeUncompacted(
  work: Work,
  streamId: number,
  span: SampleRowRange,
): Promise<UncompactedSamples> {
  const { from: first, limit } = span;
  const wanted = await findSegmentsEnd(work, streamId, span);
  const rows = await listRows(work, streamId, { from: first, to: wanted + 1, limit });
  const last = rows.length === limit ? (rows.at(-1)?.at ?? wanted) : wanted;
  const segments = await takeSegments(work, streamId, { first, last });
  if (rows.length > 0) await deleteRows(work, streamId, { first, last });
  const packed = segments.flatMap((segment) => openSegment(work, segment));
  const single = rows.map((row) => decryptSample(work, row));
  return { samples: mergeSamples(packed, single), last };
}

/** The end of the segments that fill about one chunk; else the end of the span or of the last segment. */
async function findSegmentsEnd(work: Work, streamId: number, span: SampleRowRange): Promise<number> {
  const places = await listSegmentExtents(work, streamId, span);
  let count = 0;
  for (const place of places) {
    count += place.count;
    if (count >= span.limit) return place.last_at;
  }
  return Math.max(span.to - 1, places.at(-1)?.last_at ?? 0);
}

interface ChunkTarget {
  /** The chunk to extend; undefined for a new one. */
  readonly into: chunks.SampleChunkExtent | undefined;
  /** Where the next chunk begins. */
  readonly end: number;
}

/** The chunk to extend with samples from `first` on: the one around it, or an adjacent one that may still grow. */
async function findChunkTarget(
  work: Work,
  streamId: number,
  { first, sizes }: { first: number; sizes: ChunkSizes },
): Promise<ChunkTarget> {
  const before = await chunks.findChunkBefore(work, streamId, first);
  const after = await chunks.findChunkAfter(work, streamId, first);
  const end = after?.first_at ?? Infinity;
  if (before && (first <= before.last_at || before.count < sizes.growUntil)) return { into: before, end };
  if (!after || after.count >= sizes.growUntil) return { into: undefined, end };
  const beyond = await chunks.findChunkAfter(work, streamId, after.first_at);
  return { into: after, end: beyond?.first_at ?? Infinity };
}

async function writeChunks(
  work: Work,
  streamId: number,
  {
    into,
    samples: young,
    last,
    sizes,
  }: UncompactedSamples & { into: ChunkTarget['into']; sizes: ChunkSizes },
): Promise<void> {
  const old = into && (await chunks.getChunk(work, streamId, into));
  const samples = mergeSamples(old ? openChunk(work, old) : [], young);
  if (old) await chunks.deleteChunk(work, streamId, old.first_at);
  await chunks.insertChunks(
    work,
    streamId,
    splitEvenly(samples, sizes.chunk).map((part) => sealChunk(work, part)),
  );
  await streams.recordCompaction(work, streamId, {
    to: last + 1,
    chunksTo: (samples.at(-1)?.at ?? last) + 1,
  });
}

/** Splits into equal parts of at most `most`. */
function splitEvenly(samples: readonly StoredSample[], most: number): StoredSample[][] {
  const parts = Math.ceil(samples.length / most);
  const size = Math.ceil(samples.length / parts);
  return Array.from({ length: parts }, (_, n) => samples.slice(n * size, (n + 1) * size));
}
