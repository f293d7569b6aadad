import { emit, type Subject } from '../../events/events.ts';
import type { Work } from '../../platform/work.ts';
import { deviceCreated, deviceUpdated, resourceEvents } from '../events.ts';
import type { Sample, SampledResource } from '../readings.ts';
import type { PutSummary } from '../records/records.ts';
import { viewSummary } from '../records/records.ts';
import { viewSample, viewSource, type FoundSource, type StoredSource } from '../samples/samples.ts';
import type { TimeseriesName } from '../timeseries/timeseries.ts';

/** The most that one event carries. */
export const SAMPLES_PER_EVENT = 2500;
export const BYTES_PER_EVENT = 256 * 1024;
/** Of them for what stands around the samples: the source and the envelope. */
const AROUND_BYTES = 8 * 1024;

/** Devices that were seen for the first time or that are not as they were. */
export async function tellDevice(
  work: Work,
  subject: Subject,
  { deviceChange }: Pick<FoundSource, 'deviceChange'>,
): Promise<void> {
  if (!deviceChange) return;
  const event = deviceChange.change === 'created' ? deviceCreated : deviceUpdated;
  await emit(work, event, { subject, data: deviceChange.device });
}

export async function tellSummary(
  work: Work,
  subject: Subject,
  { change, summary }: PutSummary,
): Promise<void> {
  if (change === 'none' || !summary) return;
  const event = resourceEvents[summary.resource][change];
  await emit(work, event, { subject, data: viewSummary(summary) });
}

interface TellSamples {
  readonly resource: SampledResource;
  readonly change: 'created' | 'updated';
  readonly source: StoredSource;
  readonly samples: readonly Sample[];
}

/** Samples of one resource and one source, in as many events as they need. */
export async function tellSamples(
  work: Work,
  subject: Subject,
  { resource, change, source, samples }: TellSamples,
): Promise<void> {
  if (!isTold(resource) || samples.length === 0) return;
  const event = resourceEvents[resource][change];
  const whose = { user_id: subject.userId, source_id: source.id, source: viewSource(source) };
  for (const data of eventsOf(samples.map((sample) => viewSample(resource, sample))))
    await emit(work, event, { subject, data: { ...whose, data } });
}

/** Nobody is told of the stages of a sleep one by one. */
const isTold = (resource: SampledResource): resource is TimeseriesName => resource !== 'hypnogram';

function* eventsOf(views: readonly object[]): Generator<object[]> {
  let event: object[] = [];
  let bytes = AROUND_BYTES;
  for (const view of views) {
    const more = Buffer.byteLength(JSON.stringify(view)) + 1;
    if (event.length > 0 && (event.length === SAMPLES_PER_EVENT || bytes + more > BYTES_PER_EVENT)) {
      yield event;
      [event, bytes] = [[], AROUND_BYTES];
    }
    event.push(view);
    bytes += more;
  }
  if (event.length > 0) yield event;
}

const STREAM_MESSAGE =
  'The stream is too long for an event: read it at /v2/timeseries/workouts/{workout_id}/stream';

interface TellStream {
  readonly change: 'created' | 'updated';
  /** The workout as callers see it. */
  readonly workout: Readonly<Record<string, unknown>>;
}

/** Says that the stream of a workout can be read. */
export async function tellStream(
  work: Work,
  subject: Subject,
  { change, workout }: TellStream,
): Promise<void> {
  const { user_id, id, provider_id, source, sport } = workout;
  const message = STREAM_MESSAGE.replace('{workout_id}', String(id));
  const data = { user_id, workout_id: id, provider_id, message, source, sport };
  await emit(work, resourceEvents.workout_stream[change], { subject, data });
}
