import { requireFound } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import type { SampledResource, StreamColumns } from '../../readings/readings.ts';
import { findSummary, readWorkoutStream, type Summary } from '../records/records.ts';
import { readSamples, toSampleView } from '../samples/samples.ts';
import { LIST_SAMPLES_MAX, tooManySamples } from './read-samples.ts';
import type { WorkoutStream } from './stream-schema.ts';

const EMPTY_STREAM: StreamColumns = { time: [] };

/** The stream of a workout; all columns are empty if it has none. */
export async function getWorkoutStream(work: Work, workoutId: string): Promise<WorkoutStream> {
  const { id } = requireFound(await findSummary(work, 'workouts', workoutId), 'Workout');
  return toStreamView((await readWorkoutStream(work, id)) ?? EMPTY_STREAM);
}

const copyColumn = (column: readonly (number | null)[] | undefined) => [...(column ?? [])];

const toStreamView = (columns: StreamColumns): WorkoutStream => ({
  time: [...columns.time],
  cadence: copyColumn(columns.cadence),
  altitude: copyColumn(columns.altitude),
  velocity_smooth: copyColumn(columns.velocity_smooth),
  heartrate: copyColumn(columns.heartrate),
  lat: copyColumn(columns.lat),
  lng: copyColumn(columns.lng),
  distance: copyColumn(columns.distance),
  power: copyColumn(columns.power),
  resistance: copyColumn(columns.resistance),
  temperature: copyColumn(columns.temperature),
});

/** The samples that the provider of a sleep measured during it. */
export async function getSleepStream(work: Work, sleepId: string) {
  const sleep = requireFound(await findSummary(work, 'sleep', sleepId), 'Sleep');
  const [hrv, heartrate, hypnogram, respiratory_rate] = await Promise.all([
    readSleepSamples(work, sleep, 'hrv'),
    readSleepSamples(work, sleep, 'heartrate'),
    readSleepSamples(work, sleep, 'hypnogram'),
    readSleepSamples(work, sleep, 'respiratory_rate'),
  ]);
  return { hrv, heartrate, hypnogram, respiratory_rate };
}

async function readSleepSamples(work: Work, sleep: Summary, resource: SampledResource) {
  const [from, to] = [getBedtime(sleep, 'bedtime_start'), getBedtime(sleep, 'bedtime_stop')];
  const { groups, next } = await readSamples(work, {
    userId: sleep.user_id,
    resource,
    provider: sleep.provider,
    from,
    to: to + 1,
    limit: LIST_SAMPLES_MAX,
  });
  if (next !== null) throw tooManySamples(['path', 'sleep_id'], resource);
  const samples = groups.flatMap((group) => group.samples).toSorted((a, b) => a.at - b.at);
  return samples.map((sample) => toSampleView(resource, sample));
}

/** Bodies are validated at ingestion. Without a bedtime, falls back to the start of the summary. */
function getBedtime({ body, at }: Summary, field: 'bedtime_start' | 'bedtime_stop'): number {
  const moment = Date.parse(String(body[field]));
  return Number.isNaN(moment) ? at.getTime() : moment;
}
