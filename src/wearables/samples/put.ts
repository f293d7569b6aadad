import { TryAgain } from '../../platform/db/transact.ts';
import type { Work } from '../../platform/work.ts';
import type { Origin, Sample, SampleReading } from '../readings.ts';
import { columnsOf } from './columns.ts';
import { compare } from './compare.ts';
import { changedDevice } from './devices.ts';
import { foldLater } from './fold-later.ts';
import { lockSamples } from './origin-store.ts';
import { originKey, sourceIn, storedSource, type Known } from './origins.ts';
import * as store from './put-store.ts';
import { forget, memoryKey, recall, remember } from './remembered-streams.ts';
import { inOrder } from './sample.ts';
import { sealSegment } from './sealed-chunk.ts';
import type { FoundSource } from './stored.ts';
import { makeStream, youngBegin, type StreamKey } from './stream-store.ts';

/** What became of samples: those that are new, and those that say something else than before. */
export interface Put {
  readonly created: readonly Sample[];
  readonly updated: readonly Sample[];
  readonly source: FoundSource;
}

/** So many samples go out in one statement. */
const BATCH = 5000;

export async function put(work: Work, userId: string, reading: SampleReading & Partial<Known>): Promise<Put> {
  const origin = knownOrigin(reading);
  const puts: Put[] = [];
  for (const [type, samples] of byType(reading)) {
    const ordered = inOrder(samples);
    for (let start = 0; start < ordered.length; start += BATCH) {
      const some = ordered.length <= BATCH ? ordered : ordered.slice(start, start + BATCH);
      puts.push(await putBatch(work, { userId, resource: reading.resource, origin, type, samples: some }));
    }
  }
  const [first, ...others] = puts;
  if (!first) return { created: [], updated: [], source: await sourceIn(work, userId, origin) };
  return others.length === 0 ? first : putsTogether(puts, first);
}

// What every push makes is written out: objects that are spread cost several times as much.
function knownOrigin({ origin, workoutId = null }: SampleReading & Partial<Known>): Origin & Known {
  const { provider, type, appId, device, workout } = origin;
  return { provider, type, appId, device, workout, workoutId };
}

/** A change of the device is told by the first batch, which made it. */
function putsTogether(puts: readonly Put[], { source }: Put): Put {
  const deviceChange = puts.find((one) => one.source.deviceChange)?.source.deviceChange ?? null;
  return {
    created: puts.flatMap(({ created }) => created),
    updated: puts.flatMap(({ updated }) => updated),
    source: { ...(puts.at(-1)?.source ?? source), deviceChange },
  };
}

/** Only cholesterol has a stream for each of its types. */
function byType({ resource, samples }: SampleReading): Iterable<[string, readonly Sample[]]> {
  if (resource !== 'cholesterol') return [['', samples]];
  const types = new Map<string, Sample[]>();
  for (const sample of samples) {
    const type = sample.type ?? '';
    const same = types.get(type);
    if (same) same.push(sample);
    else types.set(type, [sample]);
  }
  return types;
}

interface Batch {
  readonly userId: string;
  readonly resource: string;
  readonly origin: Origin & Known;
  readonly type: string;
  /** In the order of time, one for each moment, at least one. */
  readonly samples: readonly Sample[];
}

/** From so many on samples become a segment; fewer become rows. */
const SEGMENT_LEAST = 4;

const formOf = (work: Work, samples: readonly Sample[]): store.Form =>
  samples.length < SEGMENT_LEAST
    ? { rows: columnsOf(work, samples) }
    : { segment: sealSegment(work, samples) };

/** What lies after all that is there is written as it is; what lies among others is compared with them. */
async function putBatch(work: Work, batch: Batch): Promise<Put> {
  const { samples } = batch;
  const [first, last] = [samples[0]?.at ?? 0, samples.at(-1)?.at ?? 0];
  const form = formOf(work, samples);
  const given = { first, last, form };
  lockSamples(work, batch.userId);
  const key = memoryKey(work.tenant, batch);
  const memory = recall(key, given);
  if (memory) {
    store.putRemembered(work, memory, { first, last, form, failed: () => forget(key) });
    return { created: samples, updated: [], source: memory.source };
  }
  const { stream, source, isKnown } = await putWhole(work, batch, given);
  if ((stream.taken_to ?? -Infinity) >= given.first) {
    forget(key);
    return putAmong(work, batch, { stream, source });
  }
  if (isKnown) remember(key, stream, given);
  await begin(work, stream, batch);
  return { created: samples, updated: [], source };
}

interface Place {
  readonly stream: store.KnownPut;
  readonly source: FoundSource;
}

/** Writes all of a batch, if it lies after all that is there; the first of its source or its stream makes them. */
async function putWhole(work: Work, batch: Batch, given: Given): Promise<Place & { isKnown: boolean }> {
  const known = { ...given, originKey: originKey(work, batch.origin), stream: streamKey(batch) };
  const stream = await store.putKnown(work, known);
  if (stream && !adds(work, stream, batch))
    return { stream, source: { ...storedSource(stream), deviceChange: null }, isKnown: true };
  const source = await sourceIn(work, batch.userId, batch.origin);
  if (stream) return { stream, source, isKnown: false };
  await makeStream(work, known.stream);
  const made = await store.putKnown(work, known);
  if (!made) throw new TryAgain('The stream was erased meanwhile');
  return { stream: made, source, isKnown: true };
}

/** Compares what lies among others with them, and writes what is new or changed as rows, and what comes after them. */
async function putAmong(work: Work, batch: Batch, { stream, source }: Place): Promise<Put> {
  const after = batch.samples.filter(({ at }) => at > (stream.taken_to ?? -Infinity));
  const among = batch.samples.slice(0, batch.samples.length - after.length);
  const { created, updated, changed } = await compare(work, { ...stream, sourceId: source.id }, among);
  const place = { streamId: stream.stream_id, sourceId: source.id };
  if (changed.length > 0) store.putInto(work, { ...place, form: { rows: columnsOf(work, changed) } });
  if (after.length > 0) store.putInto(work, { ...place, form: formOf(work, after) });
  await begin(work, stream, { ...batch, samples: [...changed, ...after] });
  return { created: [...created, ...after], updated, source };
}

type Given = Pick<store.KnownSamples, 'first' | 'last' | 'form'>;

const streamKey = ({ userId, resource, origin, type }: Batch): StreamKey => ({
  user_id: userId,
  resource,
  provider: origin.provider,
  source_type: origin.type,
  type,
});

/** Whether an origin says something of its source or its device that is not known. */
function adds(work: Work, known: store.KnownPut, { origin }: Batch): boolean {
  const { device_type: type, private: sealed } = known;
  if (type !== null && sealed !== null) {
    if (changedDevice(work, { source_type: type, private: sealed }, origin)) return true;
  }
  const workoutId = origin.workoutId ?? known.workout_id;
  return workoutId !== known.workout_id || (origin.workout?.sport ?? known.sport) !== known.sport;
}

/** Notes that a stream has something earlier that is not folded, and sees to it that it will be. */
async function begin(
  work: Work,
  { stream_id: streamId, rows_from: from }: store.KnownPut,
  { userId, samples }: Pick<Batch, 'userId' | 'samples'>,
): Promise<void> {
  const first = samples[0]?.at;
  if (first === undefined || (from !== null && first >= from)) return;
  youngBegin(work, streamId, first);
  await foldLater(work, userId, first);
}
