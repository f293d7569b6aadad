import type { Work } from '../../platform/work.ts';
import type { KeptSample, Part } from './chunk.ts';
import { CHUNKS_AT_ONCE, nextChunks, type ChunkPlace, type ChunkRow } from './chunk-store.ts';
import { listRows } from './row-store.ts';
import { merge, sampleOf } from './sample.ts';
import { openChunk, openSegment } from './sealed-chunk.ts';
import { nextSegments, SEGMENTS_AT_ONCE, type SegmentRow } from './segment-store.ts';
import type { StreamRow } from './stream-store.ts';

export interface Period {
  /** Milliseconds since 1970; `to` is the first that is not wanted. */
  readonly from: number;
  readonly to: number;
}

/** Samples of one stream in the order of time, one chunk, one segment or some rows at a time. */
export interface StreamReader {
  readonly stream: StreamRow;
  /** The next one, if it is in hand; `more` brings some. */
  readonly head: KeptSample | undefined;
  /** So many of those in hand, or all of them. */
  take(count: number): readonly KeptSample[];
  /** Brings the next samples into the hand, some `most` of them, when it is empty; it stays empty at the end. */
  more(most: number): Promise<void>;
}

interface Reading extends Period {
  readonly rowsAtOnce: number;
}

/**
 * Rows are read before the segments of the same time, and these before its chunks: what is folded in between is then
 * read twice, and not at all the other way round. Of one moment the row wins, then the segment.
 */
export function openStream(work: Work, stream: StreamRow, reading: Reading): StreamReader {
  const { to } = reading;
  let [hand, place, next]: [readonly KeptSample[], number, number] = [[], 0, reading.from];
  const rows = openRows(work, stream, reading);
  const chunks = openPacked(chunksOf(work, stream), () => {});
  const segments = openPacked(segmentsOf(work, stream), chunks.forget);
  const step = async (most: number) => {
    if (next >= rows.end()) {
      await rows.read();
      segments.forget();
      chunks.forget();
    }
    const young = await segments.read({ from: next, to: rows.end(), limit: most }, rows.end());
    const old = await chunks.read({ from: next, to: young.end, limit: most }, segments.end());
    const packed = merge(old.samples, within(young.samples, next, old.end));
    [hand, place, next] = [merge(packed, rows.take(next, old.end)), 0, old.end];
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

function openRows(work: Work, stream: StreamRow, { from, to, rowsAtOnce }: Reading) {
  let rows: readonly KeptSample[] = [];
  // Everything before it is in `rows`, or was taken.
  let end = stream.rows_from === null ? to : Math.min(Math.max(from, stream.rows_from), to);
  return {
    end: () => end,
    read: async () => {
      const page = await listRows(work, stream.id, { from: end, to, limit: rowsAtOnce });
      rows = page.map((row) => sampleOf(work, row));
      const last = page.length === rowsAtOnce ? rows.at(-1) : undefined;
      end = last ? last.at + 1 : to;
    },
    take: (since: number, before: number) => {
      const taken = within(rows, since, before);
      rows = rows.slice(taken.length);
      return taken;
    },
  };
}

interface Layer<R> {
  /** Whether there can be any in a span. */
  readonly isIn: (span: Period) => boolean;
  /** The first ones of a span, so many at once. */
  readonly next: (span: Period) => Promise<R[]>;
  readonly atOnce: number;
  readonly open: (packed: R, part: Part) => KeptSample[];
}

const chunksOf = (work: Work, stream: StreamRow): Layer<ChunkRow> => ({
  isIn: () => stream.chunks_to !== null || stream.rows_from !== null,
  next: (span) => nextChunks(work, stream.id, span),
  atOnce: CHUNKS_AT_ONCE,
  open: (chunk, part) => openChunk(work, chunk, part),
});

const segmentsOf = (work: Work, stream: StreamRow): Layer<SegmentRow> => ({
  isIn: ({ to }) => stream.rows_from !== null && to > stream.rows_from,
  next: (span) => nextSegments(work, stream.id, span),
  atOnce: SEGMENTS_AT_ONCE,
  open: (segment, part) => openSegment(work, segment, part),
});

interface PackedPart {
  readonly samples: readonly KeptSample[];
  /** Up to where there are no others. */
  readonly end: number;
}

/** Chunks or segments; `fetched` is called when more of them were, since what is read after them must be newer. */
function openPacked<R extends ChunkPlace>({ isIn, next, atOnce, open }: Layer<R>, fetched: () => void) {
  let packed: R[] = [];
  // All before it are in hand, or were taken.
  let end = -Infinity;
  const bring = async (span: Period) => {
    if (!isIn(span)) return (end = span.to);
    packed = await next(span);
    fetched();
    return (end = packed.length === atOnce ? (packed.at(-1)?.last_at ?? 0) + 1 : span.to);
  };
  return {
    end: () => end,
    /** What was read before is not what is there now. */
    forget: () => {
      [packed, end] = [[], -Infinity];
    },
    /** Samples of one of them, and up to where there are no others; where none is in hand, those before `to` are fetched. */
    read: async (part: Part, to: number): Promise<PackedPart> => {
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

/** Those of an ordered list from a moment on and before another. */
function within(samples: readonly KeptSample[], from: number, to: number): readonly KeptSample[] {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first && last && first.at >= from && last.at < to) return samples;
  return samples.filter(({ at }) => at >= from && at < to);
}
