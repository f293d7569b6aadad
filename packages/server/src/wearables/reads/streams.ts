import { invalidField, requireFound } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import type { SampledResource, StreamColumns } from '../../readings/readings.ts';
import {
  findSummary,
  listSummaries,
  readWorkoutStream,
  toSummaryView,
  type Summary,
} from '../records/records.ts';
import { readSamples, toSampleView } from '../samples/samples.ts';
import { LIST_SAMPLES_MAX, tooManySamples } from './read-samples.ts';
import { toSummaryQuery, type SummaryListInput } from './read-summaries.ts';
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
  return readSleepStream(work, sleep, ['path', 'sleep_id']);
}

/** The maximum number of sleeps in one list with streams: a year of nights and some naps. */
const SLEEPS_MAX = 400;

/**
 * The sleeps of a range of days, each with its stream, as the mobile SDKs read them. 422 at `start_date` above
 * SLEEPS_MAX sleeps, or LIST_SAMPLES_MAX samples in all of them.
 */
export async function readSleepStreamList(work: Work, input: SummaryListInput) {
  const sleeps = await listSummaries(work, await toSummaryQuery(work, 'sleep', input));
  if (sleeps.length > SLEEPS_MAX)
    throw invalidField(START_DATE, `expected a period of at most ${SLEEPS_MAX} sleeps`);
  const views = [];
  let samples = 0;
  for (const sleep of sleeps) {
    const stream = await readSleepStream(work, sleep, START_DATE);
    samples += Object.values(stream).reduce((sum, column) => sum + column.length, 0);
    if (samples > LIST_SAMPLES_MAX)
      throw invalidField(
        START_DATE,
        `expected a period with at most ${LIST_SAMPLES_MAX} samples in its sleeps; request fewer days`,
      );
    views.push({ ...toSummaryView(sleep), sleep_stream: stream });
  }
  return { sleep: views };
}

const START_DATE = ['query', 'start_date'];

async function readSleepStream(work: Work, sleep: Summary, loc: string[]) {
  const read = (resource: SampledResource) => readSleepSamples(work, sleep, { resource, loc });
  const [hrv, heartrate, hypnogram, respiratory_rate] = await Promise.all([
    read('hrv'),
    read('heartrate'),
    read('hypnogram'),
    read('respiratory_rate'),
  ]);
  return { hrv, heartrate, hypnogram, respiratory_rate };
}

/** `loc` is the parameter that a 422 names. */
async function readSleepSamples(
  work: Work,
  sleep: Summary,
  { resource, loc }: { resource: SampledResource; loc: string[] },
) {
  const [from, to] = [getBedtime(sleep, 'bedtime_start'), getBedtime(sleep, 'bedtime_stop')];
  const { groups, next } = await readSamples(work, {
    userId: sleep.user_id,
    resource,
    provider: sleep.provider,
    from,
    to: to + 1,
    limit: LIST_SAMPLES_MAX,
  });
  if (next !== null) throw tooManySamples(loc, resource);
  const samples = groups.flatMap((group) => group.samples).toSorted((a, b) => a.at - b.at);
  return samples.map((sample) => toSampleView(resource, sample));
}

/** Bodies are validated at ingestion. Without a bedtime, falls back to the start of the summary. */
function getBedtime({ body, at }: Summary, field: 'bedtime_start' | 'bedtime_stop'): number {
  const moment = Date.parse(String(body[field]));
  return Number.isNaN(moment) ? at.getTime() : moment;
}
