import { inTenant, type App, type Work } from '../../app.ts';
import { defineJob } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Tenant } from '../../platform/tenant.ts';
import * as chunks from './chunk-store.ts';
import type { KeptSample } from './chunk.ts';
import { closedTo, foldLater, foldTimer } from './fold-later.ts';
import { lockSamples } from './origin-store.ts';
import { deleteRows, listRows, type Span } from './row-store.ts';
import { merge, sampleOf } from './sample.ts';
import { openChunk, openSegment, sealChunk } from './sealed-chunk.ts';
import { listSegmentPlaces, takeSegments } from './segment-store.ts';
import * as streams from './stream-store.ts';

export interface Sizes {
  /** A chunk has at most so many samples: what a reader unpacks at a time, and what a late one makes us write anew. */
  readonly chunk: number;
  /** A chunk grows until it has so many; then what follows it begins a new one. */
  readonly grown: number;
}

const SIZES: Sizes = { chunk: 8192, grown: 2048 };
/** So many rounds, of a chunk's samples at most each, are one run of the job; then others have their turn. */
const ROUNDS_MAX = 256;

/**
 * Folds rows and segments of closed days into chunks, for all streams of a user. Each round is a transaction under the user's lock,
 * so two workers share the rounds, and one that is killed leaves nothing half done; the queue runs the job again.
 */
export const foldSamples = defineJob({
  ...foldTimer,
  canWait: true,
  run: (app: App, tenant: Tenant, { user_id: userId }) => foldUser(app, tenant, { userId, sizes: SIZES }),
});

export async function foldUser(app: App, tenant: Tenant, { userId, sizes }: Folding): Promise<void> {
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    const isDone = await inTenant(app, tenant, async (work) => {
      lockSamples(work, userId);
      const isMore = await foldRound(work, { userId, sizes });
      if (!isMore) await foldNextDay(work, userId);
      else if (round === ROUNDS_MAX) await foldOn(work, userId);
      return !isMore;
    });
    if (isDone) return;
  }
}

interface Folding {
  readonly userId: string;
  readonly sizes: Sizes;
}

const foldOn = (work: Work, userId: string): Promise<void> =>
  setTimer(work, foldTimer, { key: `${userId}/more`, dueAt: work.now, input: { user_id: userId } });

async function foldNextDay(work: Work, userId: string): Promise<void> {
  if (await streams.hasYoung(work, userId)) await foldLater(work, userId, work.now.getTime());
}

/** Folds what is earliest of one stream, as much as goes into one chunk; false when no day that is closed has any. */
async function foldRound(work: Work, { userId, sizes }: Folding): Promise<boolean> {
  const to = closedTo(work);
  const stream = await streams.findStreamBefore(work, userId, to);
  if (!stream || stream.rows_from === null) return false;
  const first = await streams.firstYoung(work, stream.id, stream.rows_from);
  if (first === null || first >= to) {
    await streams.foldedTo(work, stream.id, { to, chunksTo: null });
    return true;
  }
  const { into, end } = await placeFor(work, stream.id, { first, sizes });
  const young = await takeYoung(work, stream.id, { from: first, to: Math.min(to, end), limit: sizes.chunk });
  await fold(work, stream.id, { into, ...young, sizes });
  return true;
}

interface Young {
  /** In the order of time, at least one. */
  readonly samples: readonly KeptSample[];
  /** All rows up to this moment are among them, and all segments that begin before it or at it. */
  readonly last: number;
}

/**
 * Takes rows and segments away, from the earliest on. A segment goes as a whole, over the end of a closed day if need
 * be, and no row goes without the segment that it lies over: what is in a chunk must not be newer than what a segment
 * says.
 */
async function takeYoung(work: Work, streamId: number, span: Span): Promise<Young> {
  const { from: first, limit } = span;
  const wanted = await lastOfSegments(work, streamId, span);
  const rows = await listRows(work, streamId, { from: first, to: wanted + 1, limit });
  const last = rows.length === limit ? (rows.at(-1)?.at ?? wanted) : wanted;
  const segments = await takeSegments(work, streamId, { first, last });
  if (rows.length > 0) await deleteRows(work, streamId, { first, last });
  const packed = segments.flatMap((segment) => openSegment(work, segment));
  const single = rows.map((row) => sampleOf(work, row));
  return { samples: merge(packed, single), last };
}

/** Up to where segments of about a chunk's size reach; where there are fewer, to the end of the span or of the last one. */
async function lastOfSegments(work: Work, streamId: number, span: Span): Promise<number> {
  const places = await listSegmentPlaces(work, streamId, span);
  let count = 0;
  for (const place of places) {
    count += place.count;
    if (count >= span.limit) return place.last_at;
  }
  return Math.max(span.to - 1, places.at(-1)?.last_at ?? 0);
}

interface Place {
  /** The chunk that takes them in; without one they become a chunk of their own. */
  readonly into: chunks.ChunkPlace | undefined;
  /** Where the next chunk begins. */
  readonly end: number;
}

/** Where young samples go that begin at a moment: into the chunk around it, or one beside it that has not grown. */
async function placeFor(
  work: Work,
  streamId: number,
  { first, sizes }: { first: number; sizes: Sizes },
): Promise<Place> {
  const before = await chunks.chunkBefore(work, streamId, first);
  const after = await chunks.chunkAfter(work, streamId, first);
  const end = after?.first_at ?? Infinity;
  if (before && (first <= before.last_at || before.count < sizes.grown)) return { into: before, end };
  if (!after || after.count >= sizes.grown) return { into: undefined, end };
  const beyond = await chunks.chunkAfter(work, streamId, after.first_at);
  return { into: after, end: beyond?.first_at ?? Infinity };
}

async function fold(
  work: Work,
  streamId: number,
  { into, samples: young, last, sizes }: Young & { into: Place['into']; sizes: Sizes },
): Promise<void> {
  const old = into && (await chunks.getChunk(work, streamId, into));
  const samples = merge(old ? openChunk(work, old) : [], young);
  if (old) await chunks.deleteChunk(work, streamId, old.first_at);
  await chunks.insertChunks(
    work,
    streamId,
    split(samples, sizes.chunk).map((part) => sealChunk(work, part)),
  );
  await streams.foldedTo(work, streamId, { to: last + 1, chunksTo: (samples.at(-1)?.at ?? last) + 1 });
}

/** In equal parts, none of them too long. */
function split(samples: readonly KeptSample[], most: number): KeptSample[][] {
  const parts = Math.ceil(samples.length / most);
  const size = Math.ceil(samples.length / parts);
  return Array.from({ length: parts }, (_, n) => samples.slice(n * size, (n + 1) * size));
}
