import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import type { Origin, SampledResource, SampleReading, SummedResource } from '../readings.ts';
import { countAll, takeInWork, REFUSALS_KEPT, sampleFormOf, type Taken } from '../taking-in/taking-in.ts';
import { readItems, refusal, type ReadItem } from './items.ts';
import { sampleOf } from './sample-items.ts';
import type { Pushed, PushRefusal, PushSamples, PushSummaries } from './schema.ts';
import { fieldOf, summaryOf } from './summary-items.ts';

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

/** The same for summaries. */
export async function pushSummaries(
  work: Work,
  { userId, resource }: { readonly userId: string; readonly resource: SummedResource },
  batch: PushSummaries,
): Promise<Pushed> {
  const { read, refused } = readItems(batch, (item, origin) =>
    summaryOf(item, { resource, origin, now: work.now }),
  );
  const readings = read.map(({ value }) => value);
  const taken = await takeInWork(work, userId, readings, { told: true });
  const later = taken.refused.map(({ reading, loc: [field = '', ...loc], msg, type }) =>
    refusal(read[reading]?.index ?? 0, { loc: [fieldOf(resource, field), ...loc], msg, type }),
  );
  return answerOf(batch.data.length, taken, [...refused, ...later]);
}

/** 422 where nothing at all could be kept: who sends one item and reads no answer's body must hear of it. */
function answerOf(received: number, taken: Taken, faults: readonly PushRefusal[]): Pushed {
  const { created, updated, unchanged } = countAll(taken);
  const refused = faults.toSorted((one, other) => one.index - other.index).slice(0, REFUSALS_KEPT);
  if (created + updated + unchanged === 0 && refused.length > 0)
    throw new DomainError(
      'invalid',
      refused.map(({ index, loc, msg, type }) => ({ loc: ['body', 'data', index, ...loc], msg, type })),
    );
  const more = taken.refusedCount - taken.refused.length;
  return { received, created, updated, unchanged, refused, refused_count: faults.length + more };
}
