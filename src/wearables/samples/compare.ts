import type { Work } from '../../platform/work.ts';
import type { Sample } from '../readings.ts';
import type { KeptSample } from './chunk.ts';
import { nextChunks } from './chunk-store.ts';
import { listRowsAt } from './row-store.ts';
import { isSame, sampleOf } from './sample.ts';
import { openChunk, openSegment } from './sealed-chunk.ts';
import { nextSegments } from './segment-store.ts';

export interface Compared {
  readonly created: Sample[];
  readonly updated: Sample[];
  /** Both in the order of time. */
  readonly changed: Sample[];
}

interface Stream {
  readonly stream_id: number;
  readonly rows_from: number | null;
  readonly chunks_to: number | null;
  /** The source that the samples are of. */
  readonly sourceId: number;
}

/** Which samples are new to a stream, and which say something else than what is kept; there is at least one. */
export async function compare(work: Work, stream: Stream, samples: readonly Sample[]): Promise<Compared> {
  const kept = await keptOf(
    work,
    stream,
    samples.map(({ at }) => at),
  );
  const changed = samples.filter((sample) => {
    const old = kept.get(sample.at);
    return !old || !isSame(old, { ...sample, sourceId: stream.sourceId });
  });
  const created = changed.filter(({ at }) => !kept.has(at));
  return { changed, created, updated: changed.filter(({ at }) => kept.has(at)) };
}

/** What is kept of moments, which are in order: a row wins over a segment, and that over a chunk. */
async function keptOf(
  work: Work,
  { stream_id: id, rows_from: from, chunks_to: to }: Stream,
  moments: readonly number[],
): Promise<Map<number, KeptSample>> {
  const young = moments.filter((at) => from !== null && at >= from);
  const old = moments.filter((at) => to !== null && at < to);
  const [folded, together, rows] = await Promise.all([
    packedAt(old, {
      next: (span) => nextChunks(work, id, span),
      open: (chunk) => openChunk(work, chunk),
    }),
    packedAt(young, {
      next: (span) => nextSegments(work, id, span),
      open: (segment) => openSegment(work, segment),
    }),
    young.length > 0 ? listRowsAt(work, id, young) : [],
  ]);
  const single = rows.map((row) => sampleOf(work, row));
  return new Map([...folded, ...together, ...single].map((sample) => [sample.at, sample]));
}

interface Layer<R> {
  readonly next: (span: { from: number; to: number }) => Promise<R[]>;
  readonly open: (packed: R) => KeptSample[];
}

/** What chunks or segments say of moments, opening those alone that hold one of them. */
async function packedAt<R extends { first_at: number; last_at: number }>(
  moments: readonly number[],
  { next, open }: Layer<R>,
): Promise<KeptSample[]> {
  const wanted = new Set(moments);
  const end = (moments.at(-1) ?? 0) + 1;
  const found: KeptSample[] = [];
  for (let from = moments[0]; from !== undefined;) {
    const packed = await next({ from, to: end });
    for (const one of packed) {
      if (!moments.some((at) => at >= one.first_at && at <= one.last_at)) continue;
      found.push(...open(one).filter(({ at }) => wanted.has(at)));
    }
    const last = packed.at(-1)?.last_at ?? Infinity;
    from = moments.find((at) => at > last);
  }
  return found;
}
