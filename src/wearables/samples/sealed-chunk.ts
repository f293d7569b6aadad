import type { Work } from '../../platform/work.ts';
import type { Sample } from '../readings.ts';
import { packChunk, unpackChunk, type KeptSample, type Part } from './chunk.ts';
import type { ChunkRow } from './chunk-store.ts';
import type { SealedSegment } from './put-store.ts';
import type { SegmentRow } from './segment-store.ts';

const CHUNK = 'sample_chunk.samples';
const SEGMENT = 'sample_segment.samples';

/** A chunk's row; there is at least one sample. */
export const sealChunk = ({ cipher }: Work, samples: readonly KeptSample[]): ChunkRow => ({
  first_at: samples[0]?.at ?? 0,
  last_at: samples.at(-1)?.at ?? 0,
  count: samples.length,
  samples: cipher.sealPiece(packChunk(samples), CHUNK),
});

export const openChunk = ({ cipher }: Work, row: ChunkRow, part?: Part): KeptSample[] =>
  unpackChunk(cipher.openPiece(row.samples, CHUNK), part);

/** Its samples are of one source, whose id stands beside them: it is found by the statement that writes them. */
export const sealSegment = ({ cipher }: Work, samples: readonly Sample[]): SealedSegment => ({
  first: samples[0]?.at ?? 0,
  last: samples.at(-1)?.at ?? 0,
  count: samples.length,
  samples: cipher.sealPiece(packChunk(samples), SEGMENT),
});

export const openSegment = ({ cipher }: Work, row: SegmentRow, part?: Part): KeptSample[] =>
  unpackChunk(cipher.openPiece(row.samples, SEGMENT), part, row.source_id);
