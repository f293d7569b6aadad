import type { Origin, Reading, Sample, SampledResource, SummaryReading } from '../src/wearables/readings.ts';
import { takeIn } from '../src/wearables/taking-in/taking-in.ts';
import type { House, TeamInHand } from './house.ts';

/** The morning of the day of the house. */
export const MORNING = Date.parse('2026-03-02T08:00:00Z');
const DAY = '2026-03-02';

export const origin = (more: Partial<Origin> = {}): Origin => ({
  provider: 'fitbit',
  type: 'watch',
  appId: null,
  device: { id: 'SN-1', manufacturer: 'Fitbit', model: 'Sense 2', version: '1.0' },
  workout: null,
  ...more,
});

export const sample = (more: Partial<Sample> = {}): Sample => ({
  at: MORNING,
  until: null,
  offset: null,
  type: null,
  value: 60,
  more: null,
  ...more,
});

export const samplesOf = (
  resource: SampledResource,
  samples: readonly Sample[],
  from: Origin = origin(),
): Reading => ({ kind: 'samples', resource, origin: from, samples });

type Summed = Pick<SummaryReading, 'resource' | 'body'> & Partial<SummaryReading>;

export const summaryOf = (given: Summed): SummaryReading => ({
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
export const SUMMARIES_OF_A_DAY: readonly SummaryReading[] = [
  summaryOf({ resource: 'activity', body: { steps: 8000 }, raw: { stepCount: 8000 } }),
  summaryOf({ resource: 'sleep', body: { ...night, ...seconds } }),
  summaryOf({ resource: 'body', body: { weight: 70.5 } }),
  summaryOf({ resource: 'workouts', body: { ...times, sport, distance: 2000 }, raw: { logId: 7 } }),
  summaryOf({ resource: 'profile', body: { height: 180 } }),
  summaryOf({ resource: 'meal', body: { name: 'breakfast', timestamp: times.time_start } }),
  summaryOf({ resource: 'menstrual_cycle', body: { period_start: DAY } }),
  summaryOf({ resource: 'electrocardiogram', body: { ...session, voltage_sample_count: 0 } }),
  summaryOf({
    resource: 'sleep_cycle',
    key: 'sleep-1',
    body: { ...session, stage_start_offset_second: [0], stage_end_offset_second: [60], stage_type: [1] },
  }),
];

export interface Somebody {
  readonly house: House;
  readonly team: TeamInHand;
  readonly userId: string;
}

/** Takes readings in, all of them: a refused one fails the test. */
export async function bring({ house, team, userId }: Somebody, readings: readonly Reading[]): Promise<void> {
  const taken = await takeIn(house.app, { tenant: team.tenant, userId }, readings, { told: false });
  if (taken.refusedCount > 0) throw new Error(`Refused: ${JSON.stringify(taken.refused.slice(0, 3))}`);
}

/** What a stranger might ask for: a workout, a sleep and a device of somebody. */
export async function measured(somebody: Somebody) {
  const { team, userId } = somebody;
  await bring(somebody, SUMMARIES_OF_A_DAY);
  const idOf = async (resource: string) =>
    (await team.get(`/v2/summary/${resource}/${userId}?start_date=${DAY}`)).json[resource][0].id;
  return {
    workout_id: await idOf('workouts'),
    sleep_id: await idOf('sleep'),
    device_id: (await team.get(`/v2/user/${userId}/device`)).json[0].id,
  };
}
