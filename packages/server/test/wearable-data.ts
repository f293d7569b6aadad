import type {
  ReadingOrigin,
  HealthReading,
  HealthSample,
  SampledResource,
  SummaryReading,
} from '../src/readings/readings.ts';
import { ingest } from '../src/wearables/ingestion/ingestion.ts';
import type { TestService, TestTeam } from './service.ts';

/** The morning of the test service's day. */
export const MORNING = Date.parse('2026-03-02T08:00:00Z');
const DAY = '2026-03-02';

export const origin = (more: Partial<ReadingOrigin> = {}): ReadingOrigin => ({
  provider: 'fitbit',
  type: 'watch',
  appId: null,
  device: { id: 'SN-1', manufacturer: 'Fitbit', model: 'Sense 2', version: '1.0' },
  workout: null,
  ...more,
});

export const sample = (more: Partial<HealthSample> = {}): HealthSample => ({
  at: MORNING,
  until: null,
  offset: null,
  type: null,
  value: 60,
  more: null,
  ...more,
});

export const samplesReading = (
  resource: SampledResource,
  samples: readonly HealthSample[],
  from: ReadingOrigin = origin(),
): HealthReading => ({ kind: 'samples', resource, origin: from, samples });

type SummaryFields = Pick<SummaryReading, 'resource' | 'body'> & Partial<SummaryReading>;

export const summaryReading = (given: SummaryFields): SummaryReading => ({
  kind: 'summary',
  origin: origin(),
  key: `${given.resource}-1`,
  at: MORNING,
  day: DAY,
  raw: null,
  ...given,
});

const session = { session_start: '2026-03-02T07:00:00Z', session_end: '2026-03-02T07:30:00Z' };
const night = { bedtime_start: '2026-03-01T23:00:00+01:00', bedtime_stop: '2026-03-02T07:00:00+01:00' };
const seconds = { duration: 28_800, total: 27_000, awake: 1800, light: 15_000, rem: 6000, deep: 6000 };
const times = { time_start: '2026-03-02T08:00:00Z', time_end: '2026-03-02T08:10:00Z' };
const sport = { id: 1, name: 'Running', slug: 'running' };

/** One summary of each resource. */
export const DAY_SUMMARIES: readonly SummaryReading[] = [
  summaryReading({ resource: 'activity', body: { steps: 8000 }, raw: { stepCount: 8000 } }),
  summaryReading({ resource: 'sleep', body: { ...night, ...seconds } }),
  summaryReading({ resource: 'body', body: { weight: 70.5 } }),
  summaryReading({ resource: 'workouts', body: { ...times, sport, distance: 2000 }, raw: { logId: 7 } }),
  summaryReading({ resource: 'profile', body: { height: 180 } }),
  summaryReading({ resource: 'meal', body: { name: 'breakfast', timestamp: times.time_start } }),
  summaryReading({ resource: 'menstrual_cycle', body: { period_start: DAY } }),
  summaryReading({ resource: 'electrocardiogram', body: { ...session, voltage_sample_count: 0 } }),
  summaryReading({
    resource: 'sleep_cycle',
    key: 'sleep-1',
    body: { ...session, stage_start_offset_second: [0], stage_end_offset_second: [60], stage_type: [1] },
  }),
];

interface DataOwner {
  readonly service: TestService;
  readonly team: TestTeam;
  readonly userId: string;
}

/** Ingests readings; a rejected one fails the test. */
export async function ingestReadings(
  { service, team, userId }: DataOwner,
  readings: readonly HealthReading[],
): Promise<void> {
  const taken = await ingest(service.app, { tenant: team.tenant, userId }, readings, { emitEvents: false });
  if (taken.refusedCount > 0) throw new Error(`Rejected: ${JSON.stringify(taken.refused.slice(0, 3))}`);
}

/** Adds wearable data of a user; returns the ids of a workout, a sleep and a device. */
export async function addWearableData(somebody: DataOwner) {
  const { team, userId } = somebody;
  await ingestReadings(somebody, DAY_SUMMARIES);
  const idOf = async (resource: string) =>
    (await team.get(`/v2/summary/${resource}/${userId}?start_date=${DAY}`)).json[resource][0].id;
  return {
    workout_id: await idOf('workouts'),
    sleep_id: await idOf('sleep'),
    device_id: (await team.get(`/v2/user/${userId}/device`)).json[0].id,
  };
}
