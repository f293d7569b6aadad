import type { Work } from '../../platform/work.ts';
import type { StoredSample, SampleRange } from './chunk.ts';
import {
  CHUNKS_PER_READ,
  readNextChunks,
  type SampleChunkExtent,
  type SampleChunkRow,
} from './chunk-store.ts';
import { listRows } from './row-store.ts';
import { mergeSamples, decryptSample } from './sample.ts';
import { openChunk, openSegment } from './sealed-chunk.ts';
import { readNextSegments, SEGMENTS_PER_READ, type SampleSegmentRow } from './segment-store.ts';
import type { SampleStreamRow } from './stream-store.ts';

interface StreamPeriod {
  /** Milliseconds since 1970; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
}

/** Reads the samples of a stream in time order, one chunk, segment or batch of rows at a time. */
export interface StreamReader {
  readonly stream: SampleStreamRow;
  /** The next buffered sample; undefined if the buffer is empty. */
  readonly head: StoredSample | undefined;
  /** Takes up to `count` buffered samples. */
  take(count: number): readonly StoredSample[];
  /** Fills the empty buffer with about `most` samples. It stays empty at the end of the stream. */
  more(most: number): Promise<void>;
}

interface StreamReadOptions extends StreamPeriod {
  readonly rowsAtOnce: number;
}

/**
 * Opens a reader that merges rows, segments and chunks. Rows are read before the segments of the same time, and those
 * before its chunks, so that samples that are compacted concurrently are read twice (and deduplicated), never missed.
 * For equal timestamps the row wins, then the segment.
 */
export function openStream(work: Work, stream: SampleStreamRow, reading: StreamReadOptions): StreamReader {
  const { to } = reading;
  let [hand, place, next]: [readonly StoredSample[], number, number] = [[], 0, reading.from];
  const rows = openRows(work, stream, reading);
  const chunks = openLayer(createChunkLayer(work, stream), () => {});
  const segments = openLayer(createSegmentLayer(work, stream), chunks.forget);
  const step = async (most: number) => {
    if (next >= rows.end()) {
      await rows.read();
      segments.forget();
      chunks.forget();
    }
    const young = await segments.read({ from: next, to: rows.end(), limit: most }, rows.end());
    const old = await chunks.read({ from: next, to: young.end, limit: most }, segments.end());
    const packed = mergeSamples(old.samples, sliceByTime(young.samples, next, old.end));
    [hand, place, next] = [mergeSamples(packed, rows.take(next, old.end)), 0, old.end];
  };
  return {
    stream,
    get head() {
      return hand[place];
    },
    take: (count) => {
      const start = place;
      place = Math.min(place + count, hand.length);
      return hand.slice(start, place);
    },
    more: async (most) => {
      while (place >= hand.length && next < to) await step(most);
    },
  };
}

function openRows(work: Work, stream: SampleStreamRow, { from, to, rowsAtOnce }: StreamReadOptions) {
  let rows: readonly StoredSample[] = [];
  // Everything before `end` is in `rows` or was taken.
  let end = stream.rows_from === null ? to : Math.min(Math.max(from, stream.rows_from), to);
  return {
    end: () => end,
    read: async () => {
      const page = await listRows(work, stream.id, { from: end, to, limit: rowsAtOnce });
      rows = page.map((row) => decryptSample(work, row));
      const last = page.length === rowsAtOnce ? rows.at(-1) : undefined;
      end = last ? last.at + 1 : to;
    },
    take: (since: number, before: number) => {
      const taken = sliceByTime(rows, since, before);
      rows = rows.slice(taken.length);
      return taken;
    },
  };
}

interface StreamLayer<R> {
  /** Whether the layer can have samples in a period. */
  readonly isIn: (span: StreamPeriod) => boolean;
  /** Fetches the first `atOnce` chunks or segments of a period. */
  readonly next: (span: StreamPeriod) => Promise<R[]>;
  readonly atOnce: number;
  readonly open: (packed: R, part: SampleRange) => StoredSample[];
}

const createChunkLayer = (work: Work, stream: SampleStreamRow): StreamLayer<SampleChunkRow> => ({
  isIn: () => stream.chunks_to !== null || stream.rows_from !== null,
  next: (span) => readNextChunks(work, stream.id, span),
  atOnce: CHUNKS_PER_READ,
  open: (chunk, part) => openChunk(work, chunk, part),
});

const createSegmentLayer = (work: Work, stream: SampleStreamRow): StreamLayer<SampleSegmentRow> => ({
  isIn: ({ to }) => stream.rows_from !== null && to > stream.rows_from,
  next: (span) => readNextSegments(work, stream.id, span),
  atOnce: SEGMENTS_PER_READ,
  open: (segment, part) => openSegment(work, segment, part),
});

interface LayerSamples {
  readonly samples: readonly StoredSample[];
  /** There are no other samples before this timestamp. */
  readonly end: number;
}

/** Reads chunks or segments. `fetched` is called after each fetch: lower layers must then be fetched again. */
function openLayer<R extends SampleChunkExtent>(
  { isIn, next, atOnce, open }: StreamLayer<R>,
  fetched: () => void,
) {
  let packed: R[] = [];
  // Everything before `end` is in `packed` or was taken.
  let end = -Infinity;
  const bring = async (span: StreamPeriod) => {
    if (!isIn(span)) return (end = span.to);
    packed = await next(span);
    fetched();
    return (end = packed.length === atOnce ? (packed.at(-1)?.last_at ?? 0) + 1 : span.to);
  };
  return {
    end: () => end,
    /** Discards what was fetched: it may be outdated. */
    forget: () => {
      [packed, end] = [[], -Infinity];
    },
    /** Reads samples of one chunk or segment; fetches those before `to` if necessary. */
    read: async (part: SampleRange, to: number): Promise<LayerSamples> => {
      if (part.from >= end) await bring({ from: part.from, to });
      while (packed[0] && packed[0].last_at < part.from) packed.shift();
      const [first] = packed;
      const partEnd = Math.min(part.to, end);
      if (!first || first.first_at >= partEnd) return { samples: [], end: partEnd };
      const firstEnd = Math.min(partEnd, first.last_at + 1);
      const samples = open(first, { ...part, to: firstEnd });
      const last = samples.length === part.limit ? samples.at(-1) : undefined;
      return { samples, end: last ? last.at + 1 : firstEnd };
    },
  };
}

/** The samples of a sorted list in [from, to). */
function sliceByTime(samples: readonly StoredSample[], from: number, to: number): readonly StoredSample[] {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first && last && first.at >= from && last.at < to) return samples;
  return samples.filter(({ at }) => at >= from && at < to);
}
