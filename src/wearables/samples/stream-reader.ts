import type { Work } from '../../platform/work.ts';
import type { KeptSample, Part } from './chunk.ts';
import { nextChunks, type ChunkRow } from './chunk-store.ts';
import { listRows, type StreamRow } from './row-store.ts';
import { merge, sampleOf } from './sample.ts';
import { openChunk } from './sealed-chunk.ts';

export interface Period {
  /** Milliseconds since 1970; `to` is the first that is not wanted. */
  readonly from: number;
  readonly to: number;
}

/** Samples of one stream in the order of time, one chunk or some rows at a time. */
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
 * Rows are read before the chunks of the same time: what is folded between the two is then read twice, and not at all
 * the other way round.
 */
export function openStream(work: Work, stream: StreamRow, reading: Reading): StreamReader {
  const { to } = reading;
  let [hand, place, next]: [readonly KeptSample[], number, number] = [[], 0, reading.from];
  const rows = openRows(work, stream, reading);
  const packed = openChunks(work, stream);
  const step = async (most: number) => {
    if (next >= rows.end()) {
      await rows.read();
      packed.forget();
    }
    const { old, end } = await packed.read({ from: next, to: rows.end(), limit: most });
    [hand, place, next] = [merge(old, rows.take(next, end)), 0, end];
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

function openChunks(work: Work, stream: StreamRow) {
  const hasChunks = stream.chunks_to !== null || stream.rows_from !== null;
  let packed: ChunkRow[] = [];
  const current = async ({ from, to }: Period) => {
    while (packed[0] && packed[0].last_at < from) packed.shift();
    if (packed.length === 0 && hasChunks) packed = await nextChunks(work, stream.id, { from, to });
    return packed[0];
  };
  return {
    /** What was read before more rows were is not what is there now. */
    forget: () => {
      packed = [];
    },
    /** Samples of one chunk, and up to where there are no others. */
    read: async (part: Part): Promise<{ old: readonly KeptSample[]; end: number }> => {
      const chunk = await current(part);
      if (!chunk || chunk.first_at >= part.to) return { old: [], end: part.to };
      const end = Math.min(part.to, chunk.last_at + 1);
      const old = openChunk(work, chunk, { ...part, to: end });
      const last = old.length === part.limit ? old.at(-1) : undefined;
      return { old, end: last ? last.at + 1 : end };
    },
  };
}

/** Those of an ordered list from a moment on and before another. */
function within(samples: readonly KeptSample[], from: number, to: number): readonly KeptSample[] {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first && last && first.at >= from && last.at < to) return samples;
  return samples.filter(({ at }) => at >= from && at < to);
}
