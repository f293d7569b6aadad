import type { EventSubject } from '../../events/events.ts';
import type { Work } from '../../platform/work.ts';
import type { ReadingOrigin, SummaryReading, WorkoutStreamReading } from '../../readings/readings.ts';
import { replaceDerived } from './replace-derived.ts';
import {
  findSummary,
  putSummaries,
  putWorkoutStream,
  deriveSummaryId,
  toSummaryView,
} from '../records/records.ts';
import { countReceived, upsertOrigin, putSamples, type UpsertedSource } from '../samples/samples.ts';
import { toOriginKey, toRefusal, type MergedSampleReading } from './check.ts';
import { createFault } from './fault.ts';
import type { ChangedSpans } from './spans.ts';
import {
  addResults,
  EMPTY_RESULT,
  type IngestionCount,
  type IngestionRefusal,
  type IngestionResult,
} from './result.ts';
import { emitDevice, emitSamples, emitStream, emitSummary } from './emit-events.ts';

/** The user, whether to emit an event per change, and where changed spans are collected. */
export interface IngestionContext {
  readonly userId: string;
  readonly subject: EventSubject;
  readonly emitEvents: boolean;
  readonly spans: ChangedSpans;
}

const toResult = (resource: string, count: Partial<IngestionCount>): IngestionResult => ({
  ...EMPTY_RESULT,
  counts: { [resource]: { created: 0, updated: 0, unchanged: 0, ...count } },
});

export async function storeSummaries(
  work: Work,
  { userId, subject, emitEvents, spans }: IngestionContext,
  readings: readonly SummaryReading[],
): Promise<IngestionResult> {
  const sources = await upsertSources(work, { userId, subject }, readings);
  const { readings: coming, replaced } = await replaceDerived(work, userId, readings);
  const sourced = coming.flatMap((reading) => {
    const source = sources.get(toOriginKey(withoutWorkout(reading.origin)));
    return source ? [{ reading, source }] : [];
  });
  const put = await putSummaries(work, userId, sourced);
  for (const { summary } of put)
    if (summary) spans.widen(summary.provider, summary.resource, [summary.at.getTime()]);
  if (emitEvents)
    for (const one of put) await emitSummary(work, subject, { ...one, replaces: replaced.get(one.id) ?? [] });
  const changed = put
    .flatMap(({ change, summary }) =>
      change === 'none' || !summary ? [] : [toResult(summary.resource, { [change]: 1 })],
    )
    .reduce(addResults, EMPTY_RESULT);
  // Repeated readings count as unchanged.
  const came = readings
    .map(({ resource }) => toResult(resource, { unchanged: 1 }))
    .reduce(addResults, EMPTY_RESULT);
  const counts = Object.entries(came.counts).map(([resource, { unchanged }]) => {
    const { created = 0, updated = 0 } = changed.counts[resource] ?? {};
    return toResult(resource, { created, updated, unchanged: unchanged - created - updated });
  });
  return counts.reduce(addResults, EMPTY_RESULT);
}

/** Sources of summaries have no workout. */
const withoutWorkout = (origin: ReadingOrigin): ReadingOrigin => ({ ...origin, workout: null });

async function upsertSources(
  work: Work,
  { userId, subject }: Pick<IngestionContext, 'userId' | 'subject'>,
  readings: readonly SummaryReading[],
): Promise<Map<string, UpsertedSource>> {
  const origins = new Map(
    readings.map(({ origin }) => withoutWorkout(origin)).map((one) => [toOriginKey(one), one]),
  );
  const sources = new Map<string, UpsertedSource>();
  for (const [name, origin] of [...origins].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const source = await upsertOrigin(work, userId, origin);
    await emitDevice(work, subject, source);
    sources.set(name, source);
  }
  return sources;
}

export async function storeSamples(
  work: Work,
  { userId, subject, emitEvents, spans }: IngestionContext,
  readings: readonly MergedSampleReading[],
): Promise<IngestionResult> {
  let taken = EMPTY_RESULT;
  let stored = 0;
  for (const reading of readings) {
    const { resource, receivedCount } = reading;
    const workoutId = getWorkoutId(userId, reading.origin);
    const { created, updated, source } = await putSamples(work, userId, { ...reading, workoutId });
    await emitDevice(work, subject, source);
    for (const changed of [created, updated]) {
      spans.widen(
        source.provider,
        resource,
        changed.map(({ at }) => at),
      );
    }
    if (emitEvents) {
      await emitSamples(work, subject, { resource, change: 'created', source, samples: created });
      await emitSamples(work, subject, { resource, change: 'updated', source, samples: updated });
    }
    const changed = { created: created.length, updated: updated.length };
    const unchanged = receivedCount - changed.created - changed.updated;
    taken = addResults(taken, toResult(resource, { ...changed, unchanged }));
    stored += created.length + updated.length;
  }
  if (stored > 0) countReceived(work, userId, stored);
  return taken;
}

const getWorkoutId = (userId: string, { provider, workout }: ReadingOrigin): string | null =>
  workout && deriveWorkoutId(userId, provider, workout.key);

const deriveWorkoutId = (userId: string, provider: string, key: string): string =>
  deriveSummaryId({ userId, resource: 'workouts', provider, key });

export async function storeStreams(
  work: Work,
  { userId, subject, emitEvents, spans }: IngestionContext,
  readings: readonly (WorkoutStreamReading & { readonly index: number })[],
): Promise<{ taken: IngestionResult; refused: IngestionRefusal[] }> {
  let taken = EMPTY_RESULT;
  const refused: IngestionRefusal[] = [];
  for (const reading of readings) {
    const id = deriveWorkoutId(userId, reading.origin.provider, reading.workoutKey);
    const workout = await findSummary(work, 'workouts', id);
    if (!workout) {
      const missing = createFault(['workoutKey'], 'expected the key of a stored workout');
      refused.push(toRefusal({ reading, index: reading.index }, missing));
      continue;
    }
    const change = await putWorkoutStream(work, id, reading.columns);
    taken = addResults(taken, toResult('workout_stream', { [change === 'none' ? 'unchanged' : change]: 1 }));
    if (change === 'none') continue;
    spans.widen(workout.provider, 'workout_stream', [workout.at.getTime()]);
    if (emitEvents) await emitStream(work, subject, { change, workout: toSummaryView(workout) });
  }
  return { taken, refused };
}
