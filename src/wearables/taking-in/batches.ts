import type { Reading } from '../readings.ts';

/** A reading or a part of its samples, with its place among all that come. */
export interface Piece {
  readonly reading: Reading;
  /** Which of the readings it is, from 0. */
  readonly index: number;
  /** How many samples of the reading came before. */
  readonly before: number;
}

/** What one reading weighs, in samples: a transaction holds so much and no more. */
const WEIGHT = { summary: 10, workout_stream: 500 } as const;

/** Pieces that go into one transaction each: `limit` samples at most, in the order in which they came. */
export async function* batchesOf(
  readings: AsyncIterable<Reading> | Iterable<Reading>,
  limit: number,
): AsyncGenerator<Piece[]> {
  let batch: Piece[] = [];
  let weight = 0;
  for await (const piece of piecesOf(readings, limit)) {
    const more = weightOf(piece.reading);
    if (batch.length > 0 && weight + more > limit) {
      yield batch;
      [batch, weight] = [[], 0];
    }
    batch.push(piece);
    weight += more;
  }
  if (batch.length > 0) yield batch;
}

async function* piecesOf(
  readings: AsyncIterable<Reading> | Iterable<Reading>,
  limit: number,
): AsyncGenerator<Piece> {
  let index = 0;
  for await (const reading of readings) {
    yield* cut(reading, index, limit);
    index += 1;
  }
}

/** Samples in parts of a batch's size. */
function* cut(reading: Reading, index: number, limit: number): Generator<Piece> {
  if (reading.kind !== 'samples' || reading.samples.length <= limit)
    return yield { reading, index, before: 0 };
  for (let before = 0; before < reading.samples.length; before += limit)
    yield { reading: { ...reading, samples: reading.samples.slice(before, before + limit) }, index, before };
}

const weightOf = (reading: Reading): number =>
  reading.kind === 'samples' ? reading.samples.length : WEIGHT[reading.kind];
