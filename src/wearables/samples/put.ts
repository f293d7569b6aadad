import type { Work } from '../../platform/work.ts';
import type { Origin, Sample, SampleReading } from '../readings.ts';
import type { KeptSample } from './chunk.ts';
import * as chunks from './chunk-store.ts';
import { columnsOf } from './columns.ts';
import { changedDevice } from './devices.ts';
import { foldLater } from './fold-later.ts';
import { lockSamples } from './origin-store.ts';
import { originKey, sourceIn, storedSource, type Known } from './origins.ts';
import * as store from './row-store.ts';
import { inOrder, isSame, sampleOf } from './sample.ts';
import { openChunk } from './sealed-chunk.ts';
import type { FoundSource } from './stored.ts';

/** What became of samples: those that are new, and those that say something else than before. */
export interface Put {
  readonly created: Sample[];
  readonly updated: Sample[];
  readonly source: FoundSource;
}

/** So many samples go out in one statement. */
const BATCH = 5000;

export async function put(work: Work, userId: string, reading: SampleReading & Partial<Known>): Promise<Put> {
  const origin = { ...reading.origin, workoutId: reading.workoutId ?? null };
  const asked = { userId, resource: reading.resource, origin, originKey: originKey(work, origin) };
  let source: FoundSource | undefined;
  const [created, updated]: [Sample[], Sample[]] = [[], []];
  for (const [type, samples] of byType(reading)) {
    const ordered = inOrder(samples);
    for (let start = 0; start < ordered.length; start += BATCH) {
      const batch = { ...asked, type, samples: ordered.slice(start, start + BATCH), source };
      const done = await putBatch(work, batch);
      created.push(...done.created);
      updated.push(...done.updated);
      source = { ...done.source, deviceChange: source?.deviceChange ?? done.source.deviceChange };
    }
  }
  source ??= await sourceIn(work, userId, origin);
  return { created, updated, source };
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
  readonly originKey: Buffer;
  readonly type: string;
  /** In the order of time, one for each moment, at least one. */
  readonly samples: readonly Sample[];
}

async function putBatch(work: Work, batch: Batch): Promise<Put> {
  const { userId, origin, samples } = batch;
  const columns = columnsOf(work, userId, samples);
  const stream = streamKey(batch);
  const [first, last, count] = [samples[0]?.at ?? 0, samples.at(-1)?.at ?? 0, samples.length];
  lockSamples(work, userId);
  const given = { columns, originKey: batch.originKey, stream, first, last, count };
  const quick = await store.putKnown(work, given);
  if (!quick) return putSlowly(work, batch);
  const isKnown = !adds(work, quick, batch);
  const source = isKnown
    ? { ...storedSource(quick), deviceChange: null }
    : await sourceIn(work, userId, origin);
  const { created, updated } = told(samples, quick.outcome);
  const isWritten = created.length > 0 || updated.length > 0;
  if (isWritten) await begin(work, { id: quick.stream_id, rowsFrom: quick.rows_from, userId }, samples);
  return { created, updated, source };
}

const streamKey = ({ userId, resource, origin, type }: Batch): store.StreamKey => ({
  user_id: userId,
  resource,
  provider: origin.provider,
  source_type: origin.type,
  type,
});

/** Whether an origin says something of its source or its device that is not known. */
function adds(work: Work, quick: store.KnownPut, { origin }: Batch): boolean {
  const { device_type: type, private: sealed } = quick;
  if (type !== null && sealed !== null) {
    if (changedDevice(work, { source_type: type, private: sealed }, origin)) return true;
  }
  const workoutId = origin.workoutId ?? quick.workout_id;
  return workoutId !== quick.workout_id || (origin.workout?.sport ?? quick.sport) !== quick.sport;
}

/** The first samples of their source or stream, or some that may lie where it is folded. */
async function putSlowly(work: Work, batch: Batch): Promise<Put> {
  const { userId, origin, samples } = batch;
  const source = await sourceIn(work, userId, origin);
  const stream = await store.holdStream(work, streamKey(batch));
  const given = samples.map((sample) => ({ ...sample, sourceId: source.id }));
  const folded = await foldedOf(work, stream, given);
  const kept = folded.size > 0 ? await withRows(work, stream.id, folded) : folded;
  const writing = samples.filter((sample) => {
    const old = kept.get(sample.at);
    return !old || !isSame(old, { ...sample, sourceId: source.id });
  });
  if (writing.length === 0) return { created: [], updated: [], source };
  const columns = columnsOf(work, userId, writing);
  const outcome = await store.putIn(work, { streamId: stream.id, sourceId: source.id, columns });
  const { created, updated } = told(writing, outcome);
  await begin(work, { id: stream.id, rowsFrom: stream.rows_from, userId }, writing);
  if (kept.size === 0) return { created, updated, source };
  const isNew = new Set(created.filter(({ at }) => !kept.has(at)));
  return { created: [...isNew], updated: writing.filter((sample) => !isNew.has(sample)), source };
}

/** What the chunks say of the moments of these samples. */
async function foldedOf(
  work: Work,
  { id, chunks_to: to }: store.StreamRow,
  samples: readonly KeptSample[],
): Promise<Map<number, KeptSample>> {
  const late = samples.filter(({ at }) => to !== null && at < to).map(({ at }) => at);
  const folded = new Map<number, KeptSample>();
  const wanted = new Set(late);
  const end = (late.at(-1) ?? 0) + 1;
  for (let next = late[0]; next !== undefined;) {
    const found = await chunks.nextChunks(work, id, { from: next, to: end });
    for (const chunk of found) {
      const isWanted = late.some((at) => at >= chunk.first_at && at <= chunk.last_at);
      const old = isWanted ? openChunk(work, chunk) : [];
      for (const sample of old) if (wanted.has(sample.at)) folded.set(sample.at, sample);
    }
    const last = found.at(-1)?.last_at ?? Infinity;
    next = late.find((at) => at > last);
  }
  return folded;
}

/** The same with the rows of those moments, which win. */
async function withRows(
  work: Work,
  streamId: number,
  folded: ReadonlyMap<number, KeptSample>,
): Promise<Map<number, KeptSample>> {
  const rows = await store.listRowsAt(work, streamId, [...folded.keys()]);
  return new Map([...folded, ...rows.map((row) => [row.at, sampleOf(work, row)] as const)]);
}

/** Which samples are new, and which are changed. */
function told(samples: readonly Sample[], outcome: store.Outcome): { created: Sample[]; updated: Sample[] } {
  const changed = new Set(outcome.changed_at);
  const updated = changed.size === 0 ? [] : samples.filter(({ at }) => changed.has(at));
  if (outcome.new_count === samples.length) return { created: [...samples], updated };
  const fresh = new Set(outcome.new_at);
  return { created: fresh.size === 0 ? [] : samples.filter(({ at }) => fresh.has(at)), updated };
}

interface StreamInHand {
  readonly id: number;
  readonly rowsFrom: number | null;
  readonly userId: string;
}

/** Notes that rows of a stream begin earlier than they did, and sees to it that they are folded. */
async function begin(work: Work, stream: StreamInHand, written: readonly Sample[]): Promise<void> {
  const first = written[0]?.at;
  if (first === undefined || (stream.rowsFrom !== null && first >= stream.rowsFrom)) return;
  store.rowsBegin(work, stream.id, first);
  await foldLater(work, stream.userId, first);
}
