import type {
  ReadingOrigin,
  HealthSample,
  SampleReading,
  SummaryReading,
  SummaryResource,
  WorkoutStreamReading,
} from '../src/readings/readings.ts';

/** The origin of readings: a watch of one provider. */
export const origin = (changes: Partial<ReadingOrigin> = {}): ReadingOrigin => ({
  provider: 'fitbit',
  type: 'watch',
  appId: null,
  device: null,
  workout: null,
  ...changes,
});

export const sample = (
  at: string | number,
  value: number | null,
  changes: Partial<HealthSample> = {},
): HealthSample => ({
  at: typeof at === 'number' ? at : Date.parse(at),
  until: null,
  offset: null,
  type: null,
  value,
  more: null,
  ...changes,
});

export const samples = (
  resource: SampleReading['resource'],
  list: readonly HealthSample[],
  from: ReadingOrigin = origin(),
): SampleReading => ({ kind: 'samples', resource, origin: from, samples: list });

export const summary = (
  resource: SummaryResource,
  body: Readonly<Record<string, unknown>>,
  changes: Partial<SummaryReading> = {},
): SummaryReading => ({
  kind: 'summary',
  resource,
  origin: origin(),
  key: '2026-03-01',
  at: Date.parse('2026-03-01T00:00:00Z'),
  day: '2026-03-01',
  body,
  raw: null,
  ...changes,
});

/** The minimal valid body of each resource. */
export const MINIMAL_BODIES: Readonly<Record<SummaryResource, Readonly<Record<string, unknown>>>> = {
  activity: { steps: 4000 },
  sleep: {
    bedtime_start: '2026-02-28T23:10:00+01:00',
    bedtime_stop: '2026-03-01T07:10:00+01:00',
    duration: 28_800,
    total: 26_000,
    awake: 2800,
    light: 14_000,
    rem: 6000,
    deep: 6000,
  },
  sleep_cycle: {
    session_start: '2026-02-28T22:10:00Z',
    session_end: '2026-03-01T06:10:00Z',
    stage_start_offset_second: [0, 600],
    stage_end_offset_second: [600, 28_800],
    stage_type: [2, 1],
  },
  workouts: {
    sport: { name: 'Running', slug: 'running' },
    time_start: '2026-03-01T09:00:00Z',
    time_end: '2026-03-01T09:30:00Z',
  },
  body: { weight: 71.3 },
  profile: { height: 181 },
  meal: { timestamp: '2026-03-01T12:00:00Z', name: 'lunch' },
  menstrual_cycle: { period_start: '2026-02-20' },
  electrocardiogram: {
    session_start: '2026-03-01T12:00:00Z',
    session_end: '2026-03-01T12:00:30Z',
    voltage_sample_count: 15_360,
  },
};

export const stream = (
  workoutKey: string,
  columns: WorkoutStreamReading['columns'],
): WorkoutStreamReading => ({ kind: 'workout_stream', origin: origin(), workoutKey, columns });
