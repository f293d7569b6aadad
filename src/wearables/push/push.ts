import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import type {
  Origin,
  SampledResource,
  SampleReading,
  SummedResource,
  WorkoutStreamReading,
} from '../readings.ts';
import {
  countAll,
  isFault,
  takeInWork,
  REFUSALS_KEPT,
  sampleFormOf,
  type Fault,
  type Taken,
} from '../taking-in/taking-in.ts';
import { readItems, refusal, type ReadItem, type ReadItems } from './items.ts';
import { sampleOf } from './sample-items.ts';
import type { Pushed, PushRefusal, PushSamples, PushSummaries } from './schema.ts';
import { streamOf } from './stream-of.ts';
import { fieldOf, summaryOf, type PushedSummary } from './summary-items.ts';

/** Takes in samples that a team's own app brings. What is wrong is told item by item, and the rest is kept. */
export async function pushSamples(
  work: Work,
  { userId, resource }: { readonly userId: string; readonly resource: SampledResource },
  batch: PushSamples,
): Promise<Pushed> {
  const form = sampleFormOf(resource);
  if (!form) throw new Error(`There are no samples of ${resource}`);
  const { read, refused } = readItems(batch, (item) => sampleOf(form, item));
  const groups = [...bySource(read)];
  const readings = groups.map(([origin, items]): SampleReading => {
    const samples = items.map(({ value }) => value);
    return { kind: 'samples', resource, origin, samples };
  });
  const taken = await takeInWork(work, userId, readings, { told: true });
  const later = taken.refused.map(({ reading, loc: [, place, ...loc], msg, type }) =>
    refusal(groups[reading]?.[1][Number(place)]?.index ?? 0, { loc, msg, type }),
  );
  return answerOf(batch.data.length, taken, [...refused, ...later]);
}

function bySource<T>(items: readonly ReadItem<T>[]): Map<Origin, ReadItem<T>[]> {
  const groups = new Map<Origin, ReadItem<T>[]>();
  for (const item of items) {
    const group = groups.get(item.origin);
    if (group) group.push(item);
    else groups.set(item.origin, [item]);
  }
  return groups;
}

/** The same for summaries; workouts may bring their streams. A stream that cannot be kept does not cost its workout. */
export async function pushSummaries(
  work: Work,
  { userId, resource }: { readonly userId: string; readonly resource: SummedResource },
  batch: PushSummaries,
): Promise<Pushed> {
  const { read, refused } = readItems(batch, (item, origin) =>
    summaryOf(item, { resource, origin, now: work.now }),
  );
  const streams = resource === 'workouts' ? streamsOf(read) : { read: [], refused: [] };
  const items = [...read, ...streams.read];
  const readings = items.map(({ value }) => value.reading);
  const taken = await takeInWork(work, userId, readings, { told: true });
  const later = taken.refused.map(({ reading, resource: of, loc, msg, type }) =>
    refusal(items[reading]?.index ?? 0, { loc: placeOf(resource, of, loc), msg, type }),
  );
  return answerOf(batch.data.length, taken, [...refused, ...streams.refused, ...later]);
}

/** The streams of workouts that have one. */
function streamsOf(
  workouts: readonly ReadItem<PushedSummary>[],
): ReadItems<{ reading: WorkoutStreamReading }> {
  const read: ReadItem<{ reading: WorkoutStreamReading }>[] = [];
  const refused: PushRefusal[] = [];
  for (const { index, origin, value } of workouts) {
    if (value.stream === undefined || value.stream === null) continue;
    const columns = streamOf(value.stream);
    if (isFault(columns)) refused.push(refusal(index, columns));
    else {
      const workoutKey = value.reading.key;
      read.push({
        index,
        origin,
        value: { reading: { kind: 'workout_stream', origin, workoutKey, columns } },
      });
    }
  }
  return { read, refused };
}

/** Where in the item a fault is. */
function placeOf(resource: SummedResource, of: string, [field = '', ...loc]: Fault['loc']): Fault['loc'] {
  if (of !== 'workout_stream') return field === 'body' ? [] : [fieldOf(resource, field), ...loc];
  return field === 'workoutKey' ? ['stream'] : ['stream', field, ...loc];
}

/** 422 where nothing at all could be kept: who sends one item and reads no answer's body must hear of it. */
function answerOf(received: number, taken: Taken, faults: readonly PushRefusal[]): Pushed {
  const { workout_stream: streams, ...others } = taken.counts;
  const { created, updated, unchanged } = countAll({ counts: others });
  const refused = faults.toSorted((one, other) => one.index - other.index).slice(0, REFUSALS_KEPT);
  const isNothing = Object.values(countAll(taken)).every((count) => count === 0);
  if (isNothing && refused.length > 0)
    throw new DomainError(
      'invalid',
      refused.map(({ index, loc, msg, type }) => ({ loc: ['body', 'data', index, ...loc], msg, type })),
    );
  const more = taken.refusedCount - taken.refused.length;
  const counts = { received, created, updated, unchanged, ...(streams && { streams }) };
  return { ...counts, refused, refused_count: faults.length + more };
}
