import type { Subject } from '../../events/events.ts';
import type { Work } from '../../platform/work.ts';
import type { Origin, SummaryReading, WorkoutStreamReading } from '../readings.ts';
import { findSummary, putSummaries, putWorkoutStream, summaryIdOf, viewSummary } from '../records/records.ts';
import { originIn, putSamples, type FoundSource } from '../samples/samples.ts';
import { originName, refusalOf, type JoinedReading } from './check.ts';
import { fault } from './fault.ts';
import type { Spans } from './spans.ts';
import { addTaken, NOTHING_TAKEN, type Count, type Refusal, type Taken } from './taken.ts';
import { tellDevice, tellSamples, tellStream, tellSummary } from './tell.ts';

/** Whose readings are kept, whether daily events tell of them, and where the spans of what changed are noted. */
export interface Keeping {
  readonly userId: string;
  readonly subject: Subject;
  readonly told: boolean;
  readonly spans: Spans;
}

const kept = (resource: string, count: Partial<Count>): Taken => ({
  ...NOTHING_TAKEN,
  counts: { [resource]: { created: 0, updated: 0, unchanged: 0, ...count } },
});

export async function keepSummaries(
  work: Work,
  { userId, subject, told, spans }: Keeping,
  readings: readonly SummaryReading[],
): Promise<Taken> {
  const sources = await sourcesOf(work, { userId, subject }, readings);
  const sourced = readings.flatMap((reading) => {
    const source = sources.get(originName(ofNoWorkout(reading.origin)));
    return source ? [{ reading, source }] : [];
  });
  const put = await putSummaries(work, userId, sourced);
  for (const { summary } of put)
    if (summary) spans.widen(summary.provider, summary.resource, [summary.at.getTime()]);
  if (told) for (const one of put) await tellSummary(work, subject, one);
  const changed = put
    .flatMap(({ change, summary }) =>
      change === 'none' || !summary ? [] : [kept(summary.resource, { [change]: 1 })],
    )
    .reduce(addTaken, NOTHING_TAKEN);
  // What came twice counts with what was there already.
  const came = readings
    .map(({ resource }) => kept(resource, { unchanged: 1 }))
    .reduce(addTaken, NOTHING_TAKEN);
  const counts = Object.entries(came.counts).map(([resource, { unchanged }]) => {
    const { created = 0, updated = 0 } = changed.counts[resource] ?? {};
    return kept(resource, { created, updated, unchanged: unchanged - created - updated });
  });
  return counts.reduce(addTaken, NOTHING_TAKEN);
}

/** A summary is of no workout: it is one, or has none. */
const ofNoWorkout = (origin: Origin): Origin => ({ ...origin, workout: null });

async function sourcesOf(
  work: Work,
  { userId, subject }: Pick<Keeping, 'userId' | 'subject'>,
  readings: readonly SummaryReading[],
): Promise<Map<string, FoundSource>> {
  const origins = new Map(
    readings.map(({ origin }) => ofNoWorkout(origin)).map((one) => [originName(one), one]),
  );
  const sources = new Map<string, FoundSource>();
  for (const [name, origin] of [...origins].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const source = await originIn(work, userId, origin);
    await tellDevice(work, subject, source);
    sources.set(name, source);
  }
  return sources;
}

export async function keepSamples(
  work: Work,
  { userId, subject, told, spans }: Keeping,
  readings: readonly JoinedReading[],
): Promise<Taken> {
  let taken = NOTHING_TAKEN;
  for (const reading of readings) {
    const { resource, came } = reading;
    const workoutId = workoutOf(userId, reading.origin);
    const { created, updated, source } = await putSamples(work, userId, { ...reading, workoutId });
    await tellDevice(work, subject, source);
    for (const changed of [created, updated]) {
      spans.widen(
        source.provider,
        resource,
        changed.map(({ at }) => at),
      );
    }
    if (told) {
      await tellSamples(work, subject, { resource, change: 'created', source, samples: created });
      await tellSamples(work, subject, { resource, change: 'updated', source, samples: updated });
    }
    const changed = { created: created.length, updated: updated.length };
    const unchanged = came - changed.created - changed.updated;
    taken = addTaken(taken, kept(resource, { ...changed, unchanged }));
  }
  return taken;
}

const workoutOf = (userId: string, { provider, workout }: Origin): string | null =>
  workout && workoutIdOf(userId, provider, workout.key);

const workoutIdOf = (userId: string, provider: string, key: string): string =>
  summaryIdOf({ userId, resource: 'workouts', provider, key });

export async function keepStreams(
  work: Work,
  { userId, subject, told, spans }: Keeping,
  readings: readonly (WorkoutStreamReading & { readonly index: number })[],
): Promise<{ taken: Taken; refused: Refusal[] }> {
  let taken = NOTHING_TAKEN;
  const refused: Refusal[] = [];
  for (const reading of readings) {
    const id = workoutIdOf(userId, reading.origin.provider, reading.workoutKey);
    const workout = await findSummary(work, 'workouts', id);
    if (!workout) {
      const missing = fault(['workoutKey'], 'expected a workout that is kept');
      refused.push(refusalOf({ reading, index: reading.index }, missing));
      continue;
    }
    const change = await putWorkoutStream(work, id, reading.columns);
    taken = addTaken(taken, kept('workout_stream', { [change === 'none' ? 'unchanged' : change]: 1 }));
    if (change === 'none') continue;
    spans.widen(workout.provider, 'workout_stream', [workout.at.getTime()]);
    if (told) await tellStream(work, subject, { change, workout: viewSummary(workout) });
  }
  return { taken, refused };
}
