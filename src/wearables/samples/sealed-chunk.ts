import type { Work } from '../../platform/work.ts';
import { packChunk, unpackChunk, type KeptSample, type Part } from './chunk.ts';
import type { ChunkRow } from './chunk-store.ts';

const PLACE = 'sample_chunk.samples';

/** A chunk's row; there is at least one sample. */
export const sealChunk = ({ cipher }: Work, samples: readonly KeptSample[]): ChunkRow => ({
  first_at: samples[0]?.at ?? 0,
  last_at: samples.at(-1)?.at ?? 0,
  count: samples.length,
  samples: cipher.sealPiece(packChunk(samples), PLACE),
});

export const openChunk = ({ cipher }: Work, row: ChunkRow, part?: Part): KeptSample[] =>
  unpackChunk(cipher.openPiece(row.samples, PLACE), part);
