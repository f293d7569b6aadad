import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWearableProviders } from '../../src/adapters/wearable-provider/choose.ts';
import type { WearableProvider } from '../../src/adapters/wearable-provider/port.ts';
import { manualClock } from '../../src/platform/clock.ts';
import type { HealthReading } from '../../src/readings/readings.ts';
import { connect, pullAll } from './connect.ts';
import { openStandIn, utcMillis } from './stand-in.ts';
import { openStandIns, type StandIns } from './stand-ins.ts';
import { withingsProtocol } from './withings.ts';

let standIns: StandIns;
let providers: ReadonlyMap<string, WearableProvider>;
beforeAll(async () => {
  standIns = await openStandIns();
  providers = createWearableProviders({
    origins: standIns.at,
    clock: manualClock(new Date('2026-03-15T12:00:00Z')),
  });
});
afterAll(() => standIns.close());

const DAY = { from: new Date('2026-03-07T12:00:00Z'), to: new Date('2026-03-08T12:00:00Z') };

async function pullReadings(slug: string, resource: string, span = DAY): Promise<HealthReading[]> {
  const provider = providers.get(slug);
  if (!provider) throw new Error(`There is no ${slug}`);
  return pullAll(provider, await connect(provider), { resource, span });
}

const summaryWith = (resource: string, body: object, more: object = {}) =>
  expect.objectContaining({ kind: 'summary', resource, body: expect.objectContaining(body), ...more });
const samplesWith = (resource: string, ...samples: object[]) =>
  expect.objectContaining({
    kind: 'samples',
    resource,
    samples: expect.arrayContaining(samples.map((sample) => expect.objectContaining(sample))),
  });

/** Expected readings by provider and resource. */
const EXPECTED_READINGS: [string, string, unknown[]][] = [
  ['fitbit', 'profile', [summaryWith('profile', { height: 172 }, { key: 'GGNJL9' })]],
  [
    'fitbit',
    'activity',
    [
      summaryWith(
        'activity',
        {
          distance: 6250,
          calories_total: 2210,
          low: 201,
          heart_rate: { resting_bpm: 58 },
          timezone_offset: -18_000,
        },
        { day: '2026-03-08', at: utcMillis('2026-03-08', '05:00:00') },
      ),
    ],
  ],
  [
    'fitbit',
    'workouts',
    [
      summaryWith(
        'workouts',
        {
          sport: { name: 'Cycling', slug: 'cycling' },
          distance: 18_500,
          hr_zones: [2100, 1500, 0, 0],
          timezone_offset: -18_000,
        },
        { at: utcMillis('2026-03-07', '23:30:00') },
      ),
    ],
  ],
  [
    'fitbit',
    'weight',
    [samplesWith('weight', { value: 70.5, offset: -14_400, at: utcMillis('2026-03-08', '11:15:30') })],
  ],
  ['fitbit', 'body', [summaryWith('body', { weight: 70.5, fat: 21.5, body_mass_index: 23.7 })]],
  ['fitbit', 'vo2_max', [samplesWith('vo2_max', { value: 46 })]],
  // The day of the DST change has 23 hours.
  [
    'fitbit',
    'body_temperature_delta',
    [
      samplesWith('body_temperature_delta', {
        value: -0.4,
        at: utcMillis('2026-03-08', '05:00:00'),
        until: utcMillis('2026-03-09', '04:00:00'),
      }),
    ],
  ],
  [
    'fitbit',
    'steps',
    [
      samplesWith('steps', {
        at: utcMillis('2026-03-08', '08:00:00'),
        until: utcMillis('2026-03-08', '08:15:00'),
        value: 160,
      }),
    ],
  ],
  ['fitbit', 'water', [samplesWith('water', { value: 1800 })]],
  ['oura', 'profile', [summaryWith('profile', { height: 172, sex: 'female' })]],
  [
    'oura',
    'activity',
    [
      summaryWith(
        'activity',
        { low: 120, medium: 30, high: 10, distance: 6300, timezone_offset: 7200 },
        { key: 'activity-2026-03-08' },
      ),
    ],
  ],
  [
    'oura',
    'workouts',
    [
      summaryWith('workouts', {
        sport: { name: 'Trail running', slug: 'trail_running' },
        time_start: '2026-03-07T15:15:00.000+00:00',
      }),
    ],
  ],
  ['oura', 'hrv', [samplesWith('hrv', { value: 40, at: utcMillis('2026-03-07', '21:05:00'), offset: 7200 })]],
  [
    'withings',
    'weight',
    [samplesWith('weight', { value: 65.75, offset: 3600, at: utcMillis('2026-03-08', '06:30:00') })],
  ],
  [
    'withings',
    'blood_pressure',
    [samplesWith('blood_pressure', { value: null, more: { systolic: 121, diastolic: 78 } })],
  ],
  ['withings', 'body_temperature', [samplesWith('body_temperature', { value: 36.6 })]],
  [
    'withings',
    'body',
    [
      summaryWith('body', {
        weight: 65.75,
        fat: 21.51,
        water_percentage: 54.75,
        bone_mass_percentage: 3.95,
        visceral_fat_index: 3,
      }),
    ],
  ],
  [
    'withings',
    'workouts',
    [
      summaryWith('workouts', {
        sport: { name: 'Running', slug: 'running' },
        moving_time: 2280,
        hr_zones: [60, 600, 1200, 540],
      }),
    ],
  ],
  ['withings', 'steps', [samplesWith('steps', { value: 71, until: utcMillis('2026-03-07', '13:01:00') })]],
  ['strava', 'profile', [summaryWith('profile', { sex: 'female' }, { key: '134815' })]],
  ['whoop_v2', 'profile', [summaryWith('profile', { height: 183 })]],
  [
    'whoop_v2',
    'activity',
    [summaryWith('activity', { calories_total: 2000, timezone_offset: 7200 }, { day: '2026-03-08' })],
  ],
  [
    'whoop_v2',
    'workouts',
    [
      summaryWith('workouts', {
        calories: 375.1,
        hr_zones: [600, 900, 900, 600, 300],
        sport: { name: 'Strength training', slug: 'strength_training' },
      }),
    ],
  ],
  [
    'whoop_v2',
    'sleep',
    [
      summaryWith(
        'sleep',
        {
          total: 27_000,
          deep: 6300,
          score: 94,
          recovery_readiness_score: 61,
          hr_resting: 52,
          average_hrv: 61.8,
        },
        { day: '2026-03-08' },
      ),
    ],
  ],
  ['polar', 'activity', [summaryWith('activity', { steps: 8823, distance: 6590.5 }, { key: '2026-03-08' })]],
  [
    'polar',
    'workouts',
    [
      summaryWith('workouts', {
        hr_zones: [2400, 1450],
        time_end: '2026-03-08T09:44:12.000+00:00',
        timezone_offset: 7200,
      }),
    ],
  ],
  [
    'polar',
    'heartrate',
    [samplesWith('heartrate', { value: 73, at: utcMillis('2026-03-07', '21:02:08'), offset: 7200 })],
  ],
  [
    'polar',
    'hrv',
    [
      samplesWith(
        'hrv',
        { value: 44, at: utcMillis('2026-03-07', '21:45:00') },
        { value: 52, at: utcMillis('2026-03-07', '22:41:00') },
      ),
    ],
  ],
  [
    'dexcom_v3',
    'glucose',
    [
      samplesWith(
        'glucose',
        { value: 6.6054, offset: -25_200, type: 'automatic', at: utcMillis('2026-03-07', '12:00:00') },
        { offset: -25_200, at: utcMillis('2026-03-07', '13:00:00') },
      ),
    ],
  ],
  [
    'dexcom_v3',
    'insulin_injection',
    [samplesWith('insulin_injection', { value: 4.5, type: 'rapid_acting' })],
  ],
  ['dexcom_v3', 'carbohydrates', [samplesWith('carbohydrates', { value: 45 })]],
  [
    'dexcom_v3',
    'workout_duration',
    [
      samplesWith('workout_duration', {
        value: 30,
        until: utcMillis('2026-03-07', '15:30:00'),
        more: { intensity: 'high' },
      }),
    ],
  ],
];

it.each(EXPECTED_READINGS)('%s: %s', async (slug, resource, expected) => {
  expect(await pullReadings(slug, resource)).toEqual(expect.arrayContaining(expected));
});

const sleepStages = (readings: readonly HealthReading[]) =>
  readings.flatMap((reading) =>
    reading.kind === 'summary' && reading.resource === 'sleep_cycle'
      ? [[reading.key, reading.body['stage_start_offset_second'], reading.body['stage_type']]]
      : [],
  );

it.each([
  // Awake, and again for a minute in the middle of light sleep.
  ['fitbit', '205200', [0, 600, 1800, 1860, 3600, 7200], [4, 2, 4, 2, 1, 3]],
  ['oura', 'sleep-2026-03-08', [0, 60, 150, 210], [4, 2, 1, 3]],
  ['withings', '20520', [0, 600, 1200, 1800, 2400], [4, 2, 1, 3, -1]],
  ['polar', '2026-03-08', [0, 653, 2633, 5453, 8453, 8753], [2, 2, 1, 3, 4, -1]],
])('%s: sleep stages', async (slug, key, starts, types) => {
  expect(sleepStages(await pullReadings(slug, 'sleep'))).toContainEqual([key, starts, types]);
});

it('adds the daily score to Oura sleeps, and skips deleted ones', async () => {
  const nights = (await pullReadings('oura', 'sleep')).filter((reading) => reading.kind === 'summary');
  expect(nights).toContainEqual(
    summaryWith('sleep', {
      score: 81,
      recovery_readiness_score: 79,
      temperature_delta: -0.12,
      light: 90,
      type: 'long_sleep',
    }),
  );
  expect(nights.filter(({ key }) => key.startsWith('deleted'))).toEqual([]);
});

it('reads the streams of Strava, except missing ones', async () => {
  const readings = await pullReadings('strava', 'workout_stream');
  const [workout, stream] = readings;
  expect(workout).toMatchObject({ kind: 'summary', resource: 'workouts' });
  const from = utcMillis('2026-03-07', '14:00:00') / 1000;
  expect(stream).toEqual({
    kind: 'workout_stream',
    origin: expect.objectContaining({ provider: 'strava' }),
    workoutKey: workout?.kind === 'summary' ? workout.key : '',
    columns: {
      time: [from, from + 1, from + 3],
      lat: [37.8, 37.81, null],
      lng: [-122.4, -122.41, null],
      distance: [0, 7.2, 14.5],
      altitude: [20.1, 20.3, 20.4],
      heartrate: [120, 121, null],
    },
  });
  // Eight per day: one is manual, one has no streams.
  expect(readings).toHaveLength(2 * 6);
});

it('reads the samples and the route of an exercise of Polar', async () => {
  const [workout, stream] = await pullReadings('polar', 'workout_stream');
  expect(workout).toMatchObject({ resource: 'workouts', origin: { device: { model: 'Polar Vantage V3' } } });
  const from = utcMillis('2026-03-08', '08:40:02') / 1000;
  expect(stream).toMatchObject({
    columns: {
      time: [from, from + 5, from + 10, from + 15],
      heartrate: [100, 102, null, 97],
      velocity_smooth: [0, 2.5, 5, 10],
      distance: [0, 5.5, 20.1, null],
      lat: [60.219, null, 60.22, null],
    },
  });
});

it('starts a day of Withings at local midnight, also on the day of a DST change', async () => {
  const sydney = await openStandIn({
    ...withingsProtocol,
    answerUser: ({ form }) => ({
      body: {
        status: 0,
        body: {
          activities: ['2026-04-04', '2026-04-05', '2026-04-06'].map((date) => ({
            date,
            timezone: 'Australia/Sydney',
            steps: 100,
          })),
          more: form.get('action') !== 'getactivity',
        },
      },
    }),
  });
  try {
    const provider = createWearableProviders({ origins: { withings: sydney.url } }).get('withings');
    if (!provider) throw new Error('There is no Withings');
    const span = { from: new Date('2026-04-04T00:00:00Z'), to: new Date('2026-04-06T00:00:00Z') };
    const days = await pullAll(provider, await connect(provider), { resource: 'activity', span });
    const began = days.map((day) =>
      day.kind === 'summary' ? [day.day, new Date(day.at).toISOString(), day.body['timezone_offset']] : [],
    );
    expect(began).toEqual([
      ['2026-04-04', '2026-04-03T13:00:00.000Z', 39_600],
      ['2026-04-05', '2026-04-04T13:00:00.000Z', 39_600],
      ['2026-04-06', '2026-04-05T14:00:00.000Z', 36_000],
    ]);
  } finally {
    await sydney.close();
  }
});

it('identifies Withings devices by model', async () => {
  const origins = (await pullReadings('withings', 'weight')).map(({ origin }) => origin);
  expect(origins).toContainEqual(
    expect.objectContaining({ type: 'scale', device: expect.objectContaining({ model: 'Body Comp' }) }),
  );
});
