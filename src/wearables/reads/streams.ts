import { found } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import type { SampledResource, StreamColumns } from '../readings.ts';
import { findSummary, readWorkoutStream, type Summary } from '../records/records.ts';
import { readSamples, viewSample } from '../samples/samples.ts';
import { LIST_SAMPLES_MAX, tooMany } from './samples-of.ts';
import type { WorkoutStream } from './stream-schema.ts';

const NOTHING: StreamColumns = { time: [] };

/** The stream of a workout; empty columns where nothing was measured second by second. */
export async function workoutStreamOf(work: Work, workoutId: string): Promise<WorkoutStream> {
  const { id } = found(await findSummary(work, 'workouts', workoutId), 'Workout');
  return viewStream((await readWorkoutStream(work, id)) ?? NOTHING);
}

const copy = (column: readonly (number | null)[] | undefined) => [...(column ?? [])];

const viewStream = (columns: StreamColumns): WorkoutStream => ({
  time: [...columns.time],
  cadence: copy(columns.cadence),
  altitude: copy(columns.altitude),
  velocity_smooth: copy(columns.velocity_smooth),
  heartrate: copy(columns.heartrate),
  lat: copy(columns.lat),
  lng: copy(columns.lng),
  distance: copy(columns.distance),
  power: copy(columns.power),
  resistance: copy(columns.resistance),
  temperature: copy(columns.temperature),
});

/** What a sleep's provider measured from going to bed until getting up. */
export async function sleepStreamOf(work: Work, sleepId: string) {
  const sleep = found(await findSummary(work, 'sleep', sleepId), 'Sleep');
  const [hrv, heartrate, hypnogram, respiratory_rate] = await Promise.all([
    samplesIn(work, sleep, 'hrv'),
    samplesIn(work, sleep, 'heartrate'),
    samplesIn(work, sleep, 'hypnogram'),
    samplesIn(work, sleep, 'respiratory_rate'),
  ]);
  return { hrv, heartrate, hypnogram, respiratory_rate };
}

async function samplesIn(work: Work, sleep: Summary, resource: SampledResource) {
  const [from, to] = [momentIn(sleep, 'bedtime_start'), momentIn(sleep, 'bedtime_stop')];
  const { groups, next } = await readSamples(work, {
    userId: sleep.user_id,
    resource,
    provider: sleep.provider,
    from,
    to: to + 1,
    limit: LIST_SAMPLES_MAX,
  });
  if (next !== null) throw tooMany(['path', 'sleep_id'], resource);
  const samples = groups.flatMap((group) => group.samples).toSorted((a, b) => a.at - b.at);
  return samples.map((sample) => viewSample(resource, sample));
}

/** Bodies are parsed when they are taken in; one without its times is as long as its beginning. */
function momentIn({ body, at }: Summary, field: 'bedtime_start' | 'bedtime_stop'): number {
  const moment = Date.parse(String(body[field]));
  return Number.isNaN(moment) ? at.getTime() : moment;
}
