import type { HealthReading } from '../../readings/readings.ts';

/** A reading, or a part of its samples, with its position in the input. */
export interface IngestionPiece {
  readonly reading: HealthReading;
  /** The zero-based index of the reading. */
  readonly index: number;
  /** The number of earlier samples of the same reading. */
  readonly before: number;
}

/** The cost of one reading, in samples. */
const WEIGHTS = { summary: 10, workout_stream: 500 } as const;

/** Splits readings into batches of a transaction each, with a total weight of at most `limit`. Keeps the order. */
export async function* toBatches(
  readings: AsyncIterable<HealthReading> | Iterable<HealthReading>,
  limit: number,
): AsyncGenerator<IngestionPiece[]> {
  let batch: IngestionPiece[] = [];
  let weight = 0;
  for await (const piece of toPieces(readings, limit)) {
    const more = getWeight(piece.reading);
    if (batch.length > 0 && weight + more > limit) {
      yield batch;
      [batch, weight] = [[], 0];
    }
    batch.push(piece);
    weight += more;
  }
  if (batch.length > 0) yield batch;
}

async function* toPieces(
  readings: AsyncIterable<HealthReading> | Iterable<HealthReading>,
  limit: number,
): AsyncGenerator<IngestionPiece> {
  let index = 0;
  for await (const reading of readings) {
    yield* splitReading(reading, index, limit);
    index += 1;
  }
}

/** Splits samples into parts of at most `limit`. */
function* splitReading(reading: HealthReading, index: number, limit: number): Generator<IngestionPiece> {
  if (reading.kind !== 'samples' || reading.samples.length <= limit)
    return yield { reading, index, before: 0 };
  for (let before = 0; before < reading.samples.length; before += limit)
    yield { reading: { ...reading, samples: reading.samples.slice(before, before + limit) }, index, before };
}

const getWeight = (reading: HealthReading): number =>
  reading.kind === 'samples' ? reading.samples.length : WEIGHTS[reading.kind];
