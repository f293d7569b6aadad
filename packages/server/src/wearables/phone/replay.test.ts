import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANDROID, IOS, Phone, type PhonePortion } from '../../../test/phone.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { HOUR, MINUTE } from '../../platform/clock.ts';

let service: TestService;
let team: TestTeam;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
});
afterAll(() => service.close());

const WATCH = { source_bundle: 'com.apple.health.1', product_type: 'Watch7,1' };
const timeseries = (name: string, data: unknown): PhonePortion => ({
  path: (user) => `/v2/timeseries/${user}/${name}`,
  backfill: name,
  data,
});
const summary = (name: string, data: unknown): PhonePortion => ({
  path: (user) => `/v2/summary/${name}/${user}`,
  backfill: name,
  data,
});
const sample = (value: number, unit: string, at = '09', more: object = WATCH) => ({
  value,
  unit,
  start_date: `2026-03-02T${at}:00:00Z`,
  end_date: `2026-03-02T${at}:10:00Z`,
  metadata: {},
  ...more,
});
const steps = (value: number) => [
  {
    day_summary: {
      calendar_date: '2026-03-02',
      steps_sum: value,
      active_energy_burned_sum: 300,
      basal_energy_burned_sum: 1200,
    },
  },
];

const FIRST: PhonePortion[] = [
  summary('profile', { biological_sex: 'female', date_of_birth: '1990-05-04T00:00:00Z', height: 171 }),
  summary('body', {
    body_mass: [sample(61.5, 'kg')],
    body_fat_percentage: [sample(22, '%')],
    body_mass_index: [],
  }),
  summary('activity', steps(4000)),
  summary('sleep', [
    {
      id: '5E0AC0C6-6B4C-4D4B-9B8C-0A0A0A0A0A0A',
      start_date: '2026-03-01T22:00:00Z',
      end_date: '2026-03-02T05:00:00Z',
      ...WATCH,
      heart_rate_minimum: 48,
      heart_rate_mean: 55,
      sleep_stages: {
        deep_sleep_samples: [
          { ...sample(1, 'stage'), start_date: '2026-03-01T22:00:00Z', end_date: '2026-03-02T00:00:00Z' },
        ],
        awakeSleepSamples: [
          { ...sample(4, 'stage'), start_date: '2026-03-02T00:00:00Z', end_date: '2026-03-02T00:30:00Z' },
        ],
      },
      metadata: {},
    },
  ]),
  summary('workouts', [
    {
      id: 'W-1',
      start_date: '2026-03-02T06:00:00Z',
      end_date: '2026-03-02T06:30:00Z',
      ...WATCH,
      sport: 'running',
      distance: 5000,
      calories: 310,
      heart_rate_zone1: 60,
      heart_rate_zone_2: 120,
    },
  ]),
  timeseries('heartrate', [sample(61, 'bpm'), sample(64, 'bpm', '10')]),
  timeseries('glucose', []),
];

/** The types of all events about the user, in their order. */
async function eventsOf(user: string): Promise<string[]> {
  await service.settle();
  const { rows } = await service.ownerPool.query(
    `select event_type from event where user_id = $1 and event_type like '%.data.%' order by id`,
    [user],
  );
  return rows.map((row) => row.event_type);
}

async function openPhone(platform: typeof IOS | typeof ANDROID) {
  const user = await team.user();
  const phone = new Phone(service, platform);
  await phone.signIn((await team.post(`/v2/user/${user}/sign_in_token`)).json.sign_in_token);
  await phone.connect();
  return { user, phone };
}

const PERIOD = '?start_date=2026-03-01&end_date=2026-03-03';
const read = async (user: string, resource: string) =>
  (await team.get(`/v2/summary/${resource}/${user}${PERIOD}`)).json[resource];

const NEW: PhonePortion[] = [
  summary('activity', steps(5200)),
  timeseries('heartrate', [sample(70, 'bpm', '14')]),
];

describe.each([
  ['iOS', IOS],
  ['Android', ANDROID],
])('a phone with %s', (_name, platform) => {
  it('has everything in the API after its first sync', async () => {
    const { user, phone } = await openPhone(platform);
    const pushed = await phone.sync(FIRST);
    for (const { answer } of pushed) expect(answer).toMatchObject({ refused: [], refused_count: 0 });
    expect((await team.get(`/v2/summary/profile/${user}`)).json).toMatchObject({
      height: 171,
      birth_date: '1990-05-04',
      sex: 'female',
    });
    expect(await read(user, 'body')).toMatchObject([{ calendar_date: '2026-03-02', weight: 61.5, fat: 22 }]);
    expect(await read(user, 'activity')).toMatchObject([
      { steps: 4000, calories_active: 300, calories_total: 1500 },
    ]);
    expect(await read(user, 'sleep')).toMatchObject([
      {
        calendar_date: '2026-03-02',
        duration: 25_200,
        deep: 7200,
        awake: 1800,
        total: 7200,
        hr_lowest: 48,
        timezone_offset: 3600,
      },
    ]);
    expect(await read(user, 'workouts')).toMatchObject([
      { provider_id: 'W-1', sport: { slug: 'running' }, distance: 5000, hr_zones: [60, 120, 0, 0, 0, 0] },
    ]);
    const { groups } = (await team.get(`/v2/timeseries/${user}/heartrate/grouped${PERIOD}`)).json;
    const values = groups[platform.provider].flatMap(({ data }: { data: { value: number }[] }) =>
      data.map(({ value }) => value),
    );
    expect(values.toSorted()).toEqual([61, 64]);
    const { json } = await team.get(`/v2/user/providers/${user}`);
    expect(json.providers).toMatchObject([{ slug: platform.provider, status: 'connected' }]);
  });

  it('has each history told once, also where responses are lost', async () => {
    const { user, phone } = await openPhone(platform);
    await phone.sync(FIRST, { losesResponses: true });
    const once = (await eventsOf(user)).filter((type) => type.startsWith('historical.'));
    expect(once).toEqual([...new Set(once)]);
    expect(once).toEqual(
      expect.arrayContaining(
        ['activity', 'body', 'weight', 'sleep', 'workouts', 'heartrate', 'profile'].map(
          (name) => `historical.data.${name}.created`,
        ),
      ),
    );
    await phone.sync(FIRST);
    service.clock.move(20 * MINUTE);
    expect((await eventsOf(user)).filter((type) => type.startsWith('historical.'))).toEqual(once);
  });

  it('has what is new told as it arrives, after its tokens have expired', async () => {
    const { user, phone } = await openPhone(platform);
    await phone.sync(FIRST);
    service.clock.move(2 * HOUR);
    const before = await eventsOf(user);
    const pushed = await phone.sync(NEW);
    expect(pushed.map(({ stage }) => stage)).toEqual(['daily', 'daily']);
    const told = (await eventsOf(user)).slice(before.length);
    expect(told).toEqual(['daily.data.activity.updated', 'daily.data.heartrate.created']);
    await phone.sync(NEW);
    expect(await eventsOf(user)).toEqual([...before, ...told]);
    expect(await read(user, 'activity')).toMatchObject([{ steps: 5200 }]);
  });

  it('stops when its provider is disconnected', async () => {
    const { user, phone } = await openPhone(platform);
    expect(await phone.syncState()).toMatchObject({
      status: 'active',
      pull_preferences: { historical_days_to_pull: 30 },
    });
    expect((await phone.call('DELETE', `/v2/user/${user}/${platform.provider}`)).status).toBe(200);
    expect(await phone.syncState()).toMatchObject({ status: 'error' });
  });
});

describe('the history of a resource of which a phone has nothing', () => {
  it('is told once', async () => {
    const { user, phone } = await openPhone(IOS);
    const nothing = [timeseries('glucose', [])];
    await phone.sync(nothing, { losesResponses: true });
    await phone.sync(nothing);
    expect(await eventsOf(user)).toEqual(['historical.data.glucose.created']);
  });
});
