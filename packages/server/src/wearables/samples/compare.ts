import type { Work } from '../../platform/work.ts';
import type { HealthSample } from '../../readings/readings.ts';
import type { StoredSample } from './chunk.ts';
import { readNextChunks } from './chunk-store.ts';
import { listRowsAt } from './row-store.ts';
import { isSameSample, decryptSample } from './sample.ts';
import { openChunk, openSegment } from './sealed-chunk.ts';
import { readNextSegments } from './segment-store.ts';

interface SampleComparison {
  readonly created: HealthSample[];
  readonly updated: HealthSample[];
  /** Created and updated samples, sorted by time. */
  readonly changed: HealthSample[];
}

interface ComparedStream {
  readonly stream_id: number;
  readonly rows_from: number | null;
  readonly chunks_to: number | null;
  /** The source of the samples. */
  readonly sourceId: number;
}

/** Splits samples (at least one, sorted by time) into new and changed ones, compared with a stream. */
export async function compareSamples(
  work: Work,
  stream: ComparedStream,
  samples: readonly HealthSample[],
): Promise<SampleComparison> {
  const kept = await findStored(
    work,
    stream,
    samples.map(({ at }) => at),
  );
  const changed = samples.filter((sample) => {
    const old = kept.get(sample.at);
    return !old || !isSameSample(old, { ...sample, sourceId: stream.sourceId });
  });
  const created = changed.filter(({ at }) => !kept.has(at));
  return { changed, created, updated: changed.filter(({ at }) => kept.has(at)) };
}

/** The stored samples at sorted timestamps. A row overrides a segment, and a segment overrides a chunk. */
async function findStored(
  work: Work,
  { stream_id: id, rows_from: from, chunks_to: to }: ComparedStream,
  moments: readonly number[],
): Promise<Map<number, StoredSample>> {
  const young = moments.filter((at) => from !== null && at >= from);
  const old = moments.filter((at) => to !== null && at < to);
  const [folded, together, rows] = await Promise.all([
    readPackedAt(old, {
      next: (span) => readNextChunks(work, id, span),
      open: (chunk) => openChunk(work, chunk),
    }),
    readPackedAt(young, {
      next: (span) => readNextSegments(work, id, span),
      open: (segment) => openSegment(work, segment),
    }),
    young.length > 0 ? listRowsAt(work, id, young) : [],
  ]);
  const single = rows.map((row) => decryptSample(work, row));
  return new Map([...folded, ...together, ...single].map((sample) => [sample.at, sample]));
}

interface PackedLayer<R> {
  readonly next: (span: { from: number; to: number }) => Promise<R[]>;
  readonly open: (packed: R) => StoredSample[];
}

/** The samples of chunks or segments at timestamps. Decrypts only those that may contain one. */
async function readPackedAt<R extends { first_at: number; last_at: number }>(
  moments: readonly number[],
  { next, open }: PackedLayer<R>,
): Promise<StoredSample[]> {
  const wanted = new Set(moments);
  const end = (moments.at(-1) ?? 0) + 1;
  const found: StoredSample[] = [];
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
