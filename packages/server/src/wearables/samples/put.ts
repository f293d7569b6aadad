import { RetryTransactionError } from '../../platform/db/transact.ts';
import type { Work } from '../../platform/work.ts';
import type { ReadingOrigin, HealthSample, SampleReading } from '../../readings/readings.ts';
import { toSampleColumns } from './columns.ts';
import { compareSamples } from './compare.ts';
import { mergeDevice } from './devices.ts';
import { scheduleCompaction } from './schedule-compaction.ts';
import { lockSamples } from './origin-store.ts';
import { computeOriginKey, upsertSource, toStoredSource, type KnownWorkout } from './origins.ts';
import * as store from './put-store.ts';
import { evict, toCacheKey, findCached, cacheStream } from './stream-cache.ts';
import { normalizeSamples } from './sample.ts';
import { sealSegment } from './sealed-chunk.ts';
import type { UpsertedSource } from './stored.ts';
import { createStream, markUncompactedFrom, type SampleStreamKey } from './stream-store.ts';

/** The new and the changed samples of a write. */
export interface PutSamplesResult {
  readonly created: readonly HealthSample[];
  readonly updated: readonly HealthSample[];
  readonly source: UpsertedSource;
}

/** The maximum number of samples in one statement. */
const BATCH_SIZE = 5000;

export async function put(
  work: Work,
  userId: string,
  reading: SampleReading & Partial<KnownWorkout>,
): Promise<PutSamplesResult> {
  const origin = toKnownOrigin(reading);
  const puts: PutSamplesResult[] = [];
  for (const [type, samples] of groupByType(reading)) {
    const ordered = normalizeSamples(samples);
    for (let start = 0; start < ordered.length; start += BATCH_SIZE) {
      const some = ordered.length <= BATCH_SIZE ? ordered : ordered.slice(start, start + BATCH_SIZE);
      puts.push(await putBatch(work, { userId, resource: reading.resource, origin, type, samples: some }));
    }
  }
  const [first, ...others] = puts;
  if (!first) return { created: [], updated: [], source: await upsertSource(work, userId, origin) };
  return others.length === 0 ? first : combineResults(puts, first);
}

// Hot path: fields are listed because object spread is several times slower.
function toKnownOrigin({
  origin,
  workoutId = null,
}: SampleReading & Partial<KnownWorkout>): ReadingOrigin & KnownWorkout {
  const { provider, type, appId, device, workout } = origin;
  return { provider, type, appId, device, workout, workoutId };
}

/** The device change is in the result of the batch that made it. */
function combineResults(puts: readonly PutSamplesResult[], { source }: PutSamplesResult): PutSamplesResult {
  const deviceChange = puts.find((one) => one.source.deviceChange)?.source.deviceChange ?? null;
  return {
    created: puts.flatMap(({ created }) => created),
    updated: puts.flatMap(({ updated }) => updated),
    source: { ...(puts.at(-1)?.source ?? source), deviceChange },
  };
}

/** Only cholesterol has a separate stream per type. */
function groupByType({ resource, samples }: SampleReading): Iterable<[string, readonly HealthSample[]]> {
  if (resource !== 'cholesterol') return [['', samples]];
  const types = new Map<string, HealthSample[]>();
  for (const sample of samples) {
    const type = sample.type ?? '';
    const same = types.get(type);
    if (same) same.push(sample);
    else types.set(type, [sample]);
  }
  return types;
}

interface SampleBatch {
  readonly userId: string;
  readonly resource: string;
  readonly origin: ReadingOrigin & KnownWorkout;
  readonly type: string;
  /** Sorted by time, one per timestamp, at least one. */
  readonly samples: readonly HealthSample[];
}

/** At least this many samples are written as a segment; fewer as rows. */
const SEGMENT_MIN = 4;

const encodeSamples = (work: Work, samples: readonly HealthSample[]): store.EncodedSamples =>
  samples.length < SEGMENT_MIN
    ? { rows: toSampleColumns(work, samples) }
    : { segment: sealSegment(work, samples) };

/** Appends are written unchecked; backfills are compared with what is stored. */
async function putBatch(work: Work, batch: SampleBatch): Promise<PutSamplesResult> {
  const { samples } = batch;
  const [first, last] = [samples[0]?.at ?? 0, samples.at(-1)?.at ?? 0];
  const form = encodeSamples(work, samples);
  const given = { first, last, form };
  lockSamples(work, batch.userId);
  const key = toCacheKey(work.tenant, batch);
  const memory = findCached(key, given);
  if (memory) {
    store.putIntoCachedStream(work, memory, { first, last, form, failed: () => evict(key) });
    return { created: samples, updated: [], source: memory.source };
  }
  const { stream, source, isKnown } = await appendBatch(work, batch, given);
  if ((stream.taken_to ?? -Infinity) >= given.first) {
    evict(key);
    return mergeBatch(work, batch, { stream, source });
  }
  if (isKnown) cacheStream(key, stream, given);
  await markUncompacted(work, stream, batch);
  return { created: samples, updated: [], source };
}

interface PutTarget {
  readonly stream: store.KnownStreamPut;
  readonly source: UpsertedSource;
}

/** Appends a batch if it is after all stored samples. Creates its source and stream if necessary. */
async function appendBatch(
  work: Work,
  batch: SampleBatch,
  given: EncodedBatch,
): Promise<PutTarget & { isKnown: boolean }> {
  const known = { ...given, originKey: computeOriginKey(work, batch.origin), stream: toStreamKey(batch) };
  const stream = await store.putIntoKnownStream(work, known);
  if (stream && !hasNewDetails(work, stream, batch))
    return { stream, source: { ...toStoredSource(stream), deviceChange: null }, isKnown: true };
  const source = await upsertSource(work, batch.userId, batch.origin);
  if (stream) return { stream, source, isKnown: false };
  await createStream(work, known.stream);
  const made = await store.putIntoKnownStream(work, known);
  if (!made) throw new RetryTransactionError('The stream was deleted concurrently');
  return { stream: made, source, isKnown: true };
}

/** Compares the overlapping samples with stored ones, writes new and changed ones as rows, and appends the rest. */
async function mergeBatch(
  work: Work,
  batch: SampleBatch,
  { stream, source }: PutTarget,
): Promise<PutSamplesResult> {
  const after = batch.samples.filter(({ at }) => at > (stream.taken_to ?? -Infinity));
  const among = batch.samples.slice(0, batch.samples.length - after.length);
  const { created, updated, changed } = await compareSamples(work, { ...stream, sourceId: source.id }, among);
  const place = { streamId: stream.stream_id, sourceId: source.id };
  if (changed.length > 0)
    store.putIntoLockedStream(work, { ...place, form: { rows: toSampleColumns(work, changed) } });
  if (after.length > 0) store.putIntoLockedStream(work, { ...place, form: encodeSamples(work, after) });
  await markUncompacted(work, stream, { ...batch, samples: [...changed, ...after] });
  return { created: [...created, ...after], updated, source };
}

type EncodedBatch = Pick<store.KnownStreamSamples, 'first' | 'last' | 'form'>;

const toStreamKey = ({ userId, resource, origin, type }: SampleBatch): SampleStreamKey => ({
  user_id: userId,
  resource,
  provider: origin.provider,
  source_type: origin.type,
  type,
});

/** Whether an origin has details of its source or device that are not stored yet. */
function hasNewDetails(work: Work, known: store.KnownStreamPut, { origin }: SampleBatch): boolean {
  const { device_type: type, private: sealed } = known;
  if (type !== null && sealed !== null) {
    if (mergeDevice(work, { source_type: type, private: sealed }, origin)) return true;
  }
  const workoutId = origin.workoutId ?? known.workout_id;
  return workoutId !== known.workout_id || (origin.workout?.sport ?? known.sport) !== known.sport;
}

/** Records that a stream has earlier uncompacted samples, and schedules their compaction. */
async function markUncompacted(
  work: Work,
  { stream_id: streamId, rows_from: from }: store.KnownStreamPut,
  { userId, samples }: Pick<SampleBatch, 'userId' | 'samples'>,
): Promise<void> {
  const first = samples[0]?.at;
  if (first === undefined || (from !== null && first >= from)) return;
  markUncompactedFrom(work, streamId, first);
  await scheduleCompaction(work, userId, first);
}
