import { afterAll, beforeAll, expect, it } from 'vitest';
import { wearableProviders } from '../../src/adapters/wearable-provider/choose.ts';
import type { WearableProvider } from '../../src/adapters/wearable-provider/port.ts';
import { handClock } from '../../src/platform/clock.ts';
import type { Reading } from '../../src/wearables/readings.ts';
import { connect, pulled } from './connect.ts';
import { openStandIn, utc } from './core.ts';
import { openStandIns, type StandIns } from './stand-ins.ts';
import { withingsWire } from './withings.ts';

let standIns: StandIns;
let providers: ReadonlyMap<string, WearableProvider>;
beforeAll(async () => {
  standIns = await openStandIns();
  providers = wearableProviders({ at: standIns.at, clock: handClock(new Date('2026-03-15T12:00:00Z')) });
});
afterAll(() => standIns.close());

const DAY = { from: new Date('2026-03-07T12:00:00Z'), to: new Date('2026-03-08T12:00:00Z') };

async function told(slug: string, resource: string, span = DAY): Promise<Reading[]> {
  const provider = providers.get(slug);
  if (!provider) throw new Error(`There is no ${slug}`);
  return pulled(provider, await connect(provider), { resource, span });
}

const of = (resource: string, body: object, more: object = {}) =>
  expect.objectContaining({ kind: 'summary', resource, body: expect.objectContaining(body), ...more });
const sampled = (resource: string, ...samples: object[]) =>
  expect.objectContaining({
    kind: 'samples',
    resource,
    samples: expect.arrayContaining(samples.map((sample) => expect.objectContaining(sample))),
  });

/** What a provider told, and what it has become. */
const TOLD: [string, string, unknown[]][] = [
  [
    'fitbit',
    'profile',
    [of('profile', { height: 172, birth_date: '1990-12-10', sex: 'female' }, { key: 'GGNJL9' })],
  ],
  [
    'fitbit',
    'activity',
    [
      of(
        'activity',
        {
          distance: 6250,
          calories_total: 2210,
          low: 201,
          heart_rate: { resting_bpm: 58 },
          timezone_offset: -18_000,
        },
        { day: '2026-03-08', at: utc('2026-03-08', '05:00:00') },
      ),
    ],
  ],
  [
    'fitbit',
    'workouts',
    [
      of(
        'workouts',
        {
          sport: { name: 'Cycling', slug: 'cycling' },
          distance: 18_500,
          hr_zones: [2100, 1500],
          timezone_offset: -18_000,
        },
        { at: utc('2026-03-07', '23:30:00') },
      ),
    ],
  ],
  [
    'fitbit',
    'weight',
    [sampled('weight', { value: 70.5, offset: -14_400, at: utc('2026-03-08', '11:15:30') })],
  ],
  ['fitbit', 'body', [of('body', { weight: 70.5, fat: 21.5, body_mass_index: 23.5 })]],
  ['fitbit', 'vo2_max', [sampled('vo2_max', { value: 46 })]],
  // The day of the change has 23 hours.
  [
    'fitbit',
    'body_temperature_delta',
    [
      sampled('body_temperature_delta', {
        value: -0.4,
        at: utc('2026-03-08', '05:00:00'),
        until: utc('2026-03-09', '04:00:00'),
      }),
    ],
  ],
  [
    'fitbit',
    'steps',
    [
      sampled('steps', {
        at: utc('2026-03-08', '08:00:00'),
        until: utc('2026-03-08', '08:15:00'),
        value: 160,
      }),
    ],
  ],
  ['fitbit', 'water', [sampled('water', { value: 1800 })]],
  ['oura', 'profile', [of('profile', { height: 172, sex: 'female' })]],
  [
    'oura',
    'activity',
    [
      of(
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
      of('workouts', {
        sport: { name: 'Trail running', slug: 'trail_running' },
        time_start: '2026-03-07T15:15:00.000+00:00',
      }),
    ],
  ],
  ['oura', 'hrv', [sampled('hrv', { value: 40, at: utc('2026-03-07', '21:05:00'), offset: 7200 })]],
  [
    'withings',
    'weight',
    [sampled('weight', { value: 65.75, offset: 3600, at: utc('2026-03-08', '06:30:00') })],
  ],
  [
    'withings',
    'blood_pressure',
    [sampled('blood_pressure', { value: null, more: { systolic: 121, diastolic: 78 } })],
  ],
  ['withings', 'body_temperature', [sampled('body_temperature', { value: 36.6 })]],
  [
    'withings',
    'body',
    [
      of('body', {
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
      of('workouts', {
        sport: { name: 'Running', slug: 'running' },
        moving_time: 2280,
        hr_zones: [60, 600, 1200, 540],
      }),
    ],
  ],
  ['withings', 'steps', [sampled('steps', { value: 71, until: utc('2026-03-07', '13:01:00') })]],
  ['strava', 'profile', [of('profile', { sex: 'female' }, { key: '134815' })]],
  ['whoop_v2', 'profile', [of('profile', { height: 183 })]],
  [
    'whoop_v2',
    'activity',
    [of('activity', { calories_total: 2000, timezone_offset: 7200 }, { day: '2026-03-08' })],
  ],
  [
    'whoop_v2',
    'workouts',
    [
      of('workouts', {
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
      of(
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
  ['polar', 'activity', [of('activity', { steps: 8823, distance: 6590.5 }, { key: '2026-03-08' })]],
  [
    'polar',
    'workouts',
    [
      of('workouts', {
        hr_zones: [2400, 1450],
        time_end: '2026-03-08T09:44:12.000+00:00',
        timezone_offset: 7200,
      }),
    ],
  ],
  [
    'polar',
    'heartrate',
    [sampled('heartrate', { value: 73, at: utc('2026-03-07', '21:02:08'), offset: 7200 })],
  ],
  [
    'polar',
    'hrv',
    [
      sampled(
        'hrv',
        { value: 44, at: utc('2026-03-07', '21:45:00') },
        { value: 52, at: utc('2026-03-07', '22:41:00') },
      ),
    ],
  ],
  [
    'dexcom_v3',
    'glucose',
    [
      sampled(
        'glucose',
        { value: 6.6054, offset: -25_200, type: 'automatic', at: utc('2026-03-07', '12:00:00') },
        { offset: -25_200, at: utc('2026-03-07', '13:00:00') },
      ),
    ],
  ],
  ['dexcom_v3', 'insulin_injection', [sampled('insulin_injection', { value: 4.5, type: 'rapid_acting' })]],
  ['dexcom_v3', 'carbohydrates', [sampled('carbohydrates', { value: 45 })]],
  [
    'dexcom_v3',
    'workout_duration',
    [
      sampled('workout_duration', {
        value: 30,
        until: utc('2026-03-07', '15:30:00'),
        more: { intensity: 'high' },
      }),
    ],
  ],
];

it.each(TOLD)('%s: %s', async (slug, resource, expected) => {
  expect(await told(slug, resource)).toEqual(expect.arrayContaining(expected));
});

const stagesIn = (readings: readonly Reading[]) =>
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
])('%s: the stages of a sleep', async (slug, key, starts, types) => {
  expect(stagesIn(await told(slug, 'sleep'))).toContainEqual([key, starts, types]);
});

it('gives a sleep of Oura the score of its day, and leaves out what was deleted', async () => {
  const nights = (await told('oura', 'sleep')).filter((reading) => reading.kind === 'summary');
  expect(nights).toContainEqual(
    of('sleep', {
      score: 81,
      recovery_readiness_score: 79,
      temperature_delta: -0.12,
      light: 90,
      type: 'long_sleep',
    }),
  );
  expect(nights.filter(({ key }) => key.startsWith('deleted'))).toEqual([]);
});

it('reads the streams of Strava, those aside that there are not', async () => {
  const readings = await told('strava', 'workout_stream');
  const [workout, stream] = readings;
  expect(workout).toMatchObject({ kind: 'summary', resource: 'workouts' });
  const from = utc('2026-03-07', '14:00:00') / 1000;
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
  // Eight a day: one is entered by hand, of one nothing was recorded.
  expect(readings).toHaveLength(2 * 6);
});

it('reads the samples and the route of an exercise of Polar', async () => {
  const [workout, stream] = await told('polar', 'workout_stream');
  expect(workout).toMatchObject({ resource: 'workouts', origin: { device: { model: 'Polar Vantage V3' } } });
  const from = utc('2026-03-08', '08:40:02') / 1000;
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

it('begins a day of Withings at its own midnight, also where the clock is changed on that day', async () => {
  const sydney = await openStandIn({
    ...withingsWire,
    data: ({ form }) => ({
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
    const provider = wearableProviders({ at: { withings: sydney.url } }).get('withings');
    if (!provider) throw new Error('There is no Withings');
    const span = { from: new Date('2026-04-04T00:00:00Z'), to: new Date('2026-04-06T00:00:00Z') };
    const days = await pulled(provider, await connect(provider), { resource: 'activity', span });
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

it('asks the devices of Withings by name', async () => {
  const origins = (await told('withings', 'weight')).map(({ origin }) => origin);
  expect(origins).toContainEqual(
    expect.objectContaining({ type: 'scale', device: expect.objectContaining({ model: 'Body Comp' }) }),
  );
});
