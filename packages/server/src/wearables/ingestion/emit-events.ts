import { emit, type EventSubject } from '../../events/events.ts';
import type { Work } from '../../platform/work.ts';
import { deviceCreated, deviceUpdated, resourceEvents } from '../events.ts';
import type { HealthSample, SampledResource, TimeseriesName } from '../../readings/readings.ts';
import { findSummary, type PutSummaryResult, toSummaryView } from '../records/records.ts';
import { toSampleView, toSourceView, type UpsertedSource, type StoredSource } from '../samples/samples.ts';

/** The maximum size of one event. */
export const SAMPLES_PER_EVENT = 2500;
export const BYTES_PER_EVENT = 256 * 1024;
/** The part of BYTES_PER_EVENT that is reserved for the source and the envelope. */
const ENVELOPE_BYTES = 8 * 1024;

/** Emits that a device was created or changed. */
export async function emitDevice(
  work: Work,
  subject: EventSubject,
  { deviceChange }: Pick<UpsertedSource, 'deviceChange'>,
): Promise<void> {
  if (!deviceChange) return;
  const event = deviceChange.change === 'created' ? deviceCreated : deviceUpdated;
  await emit(work, event, { subject, data: deviceChange.device });
}

interface SummaryEventInput extends PutSummaryResult {
  /** The ids of the derived summaries that it replaced. */
  readonly replaces: readonly string[];
}

/** Emits the change of a summary. To have replaced another one is a change, too. */
export async function emitSummary(
  work: Work,
  subject: EventSubject,
  { id, change, summary: written, replaces }: SummaryEventInput,
): Promise<void> {
  if (change === 'none' && replaces.length === 0) return;
  const summary = written ?? (await findSummary(work, 'activity', id));
  if (!summary) return;
  const event = resourceEvents[summary.resource][change === 'none' ? 'updated' : change];
  const data = { ...toSummaryView(summary), ...(replaces.length > 0 && { replaces }) };
  await emit(work, event, { subject, data });
}

interface SampleEventInput {
  readonly resource: SampledResource;
  readonly change: 'created' | 'updated';
  readonly source: StoredSource;
  readonly samples: readonly HealthSample[];
}

/** Emits samples of one resource and source, in as many events as necessary. */
export async function emitSamples(
  work: Work,
  subject: EventSubject,
  { resource, change, source, samples }: SampleEventInput,
): Promise<void> {
  if (!isTimeseries(resource) || samples.length === 0) return;
  const event = resourceEvents[resource][change];
  const whose = { user_id: subject.userId, source_id: source.id, source: toSourceView(source) };
  for (const data of splitIntoEvents(samples.map((sample) => toSampleView(resource, sample))))
    await emit(work, event, { subject, data: { ...whose, data } });
}

/** Hypnograms have no events. */
const isTimeseries = (resource: SampledResource): resource is TimeseriesName => resource !== 'hypnogram';

function* splitIntoEvents(views: readonly object[]): Generator<object[]> {
  let event: object[] = [];
  let bytes = ENVELOPE_BYTES;
  for (const view of views) {
    const more = Buffer.byteLength(JSON.stringify(view)) + 1;
    if (event.length > 0 && (event.length === SAMPLES_PER_EVENT || bytes + more > BYTES_PER_EVENT)) {
      yield event;
      [event, bytes] = [[], ENVELOPE_BYTES];
    }
    event.push(view);
    bytes += more;
  }
  if (event.length > 0) yield event;
}

const STREAM_MESSAGE =
  'The stream is too long for an event; read it at /v2/timeseries/workouts/{workout_id}/stream';

interface StreamEventInput {
  readonly change: 'created' | 'updated';
  /** The workout in the format of the contract. */
  readonly workout: Readonly<Record<string, unknown>>;
}

/** Emits that the stream of a workout can be read. */
export async function emitStream(
  work: Work,
  subject: EventSubject,
  { change, workout }: StreamEventInput,
): Promise<void> {
  const { user_id, id, provider_id, source, sport } = workout;
  const message = STREAM_MESSAGE.replace('{workout_id}', String(id));
  const data = { user_id, workout_id: id, provider_id, message, source, sport };
  await emit(work, resourceEvents.workout_stream[change], { subject, data });
}
