import type { Work } from '../../platform/work.ts';
import type { HealthSample } from '../../readings/readings.ts';
import { packChunk, unpackChunk, type StoredSample, type SampleRange } from './chunk.ts';
import type { SampleChunkRow } from './chunk-store.ts';
import type { SealedSegment } from './put-store.ts';
import type { SampleSegmentRow } from './segment-store.ts';

const CHUNK_CONTEXT = 'sample_chunk.samples';
const SEGMENT_CONTEXT = 'sample_segment.samples';

/** Packs and encrypts at least one sample. */
export const sealChunk = ({ cipher }: Work, samples: readonly StoredSample[]): SampleChunkRow => ({
  first_at: samples[0]?.at ?? 0,
  last_at: samples.at(-1)?.at ?? 0,
  count: samples.length,
  samples: cipher.sealChunk(packChunk(samples), CHUNK_CONTEXT),
});

export const openChunk = ({ cipher }: Work, row: SampleChunkRow, part?: SampleRange): StoredSample[] =>
  unpackChunk(cipher.openChunk(row.samples, CHUNK_CONTEXT), part);

/** The samples of a segment have one source, whose id is a column: the writing statement looks it up. */
export const sealSegment = ({ cipher }: Work, samples: readonly HealthSample[]): SealedSegment => ({
  first: samples[0]?.at ?? 0,
  last: samples.at(-1)?.at ?? 0,
  count: samples.length,
  samples: cipher.sealChunk(packChunk(samples), SEGMENT_CONTEXT),
});

export const openSegment = ({ cipher }: Work, row: SampleSegmentRow, part?: SampleRange): StoredSample[] =>
  unpackChunk(cipher.openChunk(row.samples, SEGMENT_CONTEXT), part, row.source_id);
