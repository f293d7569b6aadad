import { describe, expect, it } from 'vitest';
import { MINIMAL_BODIES, sample, samples, stream, summary } from '../../../test/readings.ts';
import type { HealthReading } from '../../readings/readings.ts';
import { toBatches, type IngestionPiece } from './batches.ts';

const of = (count: number): HealthReading =>
  samples(
    'heartrate',
    Array.from({ length: count }, (_, at) => sample(at, 60)),
  );
const shown = ({ reading, index, before }: IngestionPiece) =>
  `${index}+${before}:${reading.kind === 'samples' ? reading.samples.length : reading.kind}`;

async function batched(readings: readonly HealthReading[], limit: number): Promise<string[]> {
  const batches: string[] = [];
  for await (const batch of toBatches(readings, limit)) batches.push(batch.map(shown).join(' '));
  return batches;
}

describe('readings in batches', () => {
  // prettier-ignore
  const cases: [string, readonly HealthReading[], string[]][] = [
    ['nothing',                   [],                                                  []],
    ['a few samples',             [of(3)],                                             ['0+0:3']],
    ['samples without samples',   [of(0)],                                             ['0+0:0']],
    ['exactly a batch',           [of(1000)],                                          ['0+0:1000']],
    ['one more than a batch',     [of(1001)],                                          ['0+0:1000', '0+1000:1']],
    ['several that fit together', [of(400), of(600)],                                  ['0+0:400 1+0:600']],
    ['several that do not',       [of(400), of(601), of(2100)],                        ['0+0:400', '1+0:601', '2+0:1000', '2+1000:1000', '2+2000:100']],
    ['streams and summaries',     [summary('workouts', MINIMAL_BODIES.workouts), stream('a', { time: [1] }), stream('b', { time: [1] })], ['0+0:summary 1+0:workout_stream', '2+0:workout_stream']],
  ];

  it.each(cases)('of %s', async (_what, readings, expected) => {
    expect(await batched(readings, 1000)).toEqual(expected);
  });

  it('reads no more readings than it yields', async () => {
    let asked = 0;
    function* endless(): Generator<HealthReading> {
      for (;;) {
        asked += 1;
        yield of(600);
      }
    }
    for await (const batch of toBatches(endless(), 1000)) {
      expect(batch).toHaveLength(1);
      if (asked > 3) break;
    }
    expect(asked).toBe(4);
  });
});
