import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';

let service: TestService;
let team: TestTeam;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
});
afterAll(() => service.close());

interface PushedSteps {
  readonly user: string;
  readonly value: number;
  readonly hour?: number;
  readonly type?: string;
}

const push = async ({ user, value, hour = 9, type = 'watch' }: PushedSteps, resource = 'steps') => {
  const time = (at: number) => `2026-03-02T${String(at).padStart(2, '0')}:00:00Z`;
  const data = [{ timestamp: time(hour), end: time(hour + 1), value }];
  const source = { provider: 'apple_health_kit', type };
  const answer = await team.post(`/v2/timeseries/${user}/${resource}`, { source, data });
  expect(answer.status).toBe(200);
  return answer.json;
};

const activity = async (user: string) =>
  (await team.get(`/v2/summary/activity/${user}?start_date=2026-03-01&end_date=2026-03-03`)).json.activity;

const events = async (user: string): Promise<string[]> => {
  const { rows } = await service.ownerPool.query(
    `select event_type from event where user_id = $1 and event_type like 'daily.data.activity.%' order by id`,
    [user],
  );
  return rows.map((row) => row.event_type);
};

describe('a push of steps and nothing else', () => {
  it('fills the activity of the day, and later pushes change it', async () => {
    const user = await team.user();
    expect(await push({ user, value: 600 })).toMatchObject({ received: 1, created: 1 });
    const [first] = await activity(user);
    expect(first).toMatchObject({ calendar_date: '2026-03-02', steps: 600, derived: true, distance: null });
    expect(first).toMatchObject({ source: { provider: 'apple_health_kit', type: 'watch' } });
    await push({ user, value: 600 });
    expect(await events(user)).toEqual(['daily.data.activity.created']);
    await push({ user, value: 700 });
    await push({ user, value: 500, type: 'phone' });
    await push({ user, value: 50, type: 'phone', hour: 12 });
    await push({ user, value: 900 }, 'distance');
    const days = await activity(user);
    expect(days).toMatchObject([{ id: first.id, steps: 750, distance: 900, derived: true }]);
    expect(days[0].source.type).toBe('multiple_sources');
    expect(await events(user)).toEqual([
      'daily.data.activity.created',
      ...Array.from({ length: 3 }, () => 'daily.data.activity.updated'),
    ]);
  });

  it('counts toward the day of the user', async () => {
    const user = await team.user();
    await team.patch(`/v2/user/${user}`, { fallback_time_zone: 'Asia/Tokyo' });
    await push({ user, value: 600, hour: 20 });
    expect(await activity(user)).toMatchObject([{ calendar_date: '2026-03-03', steps: 600 }]);
  });

  it('is replaced by the summary of the provider, which then stays', async () => {
    const user = await team.user();
    await push({ user, value: 600 });
    const stated = { calendar_date: '2026-03-02', steps: 640 };
    await team.post(`/v2/summary/activity/${user}`, {
      source: { provider: 'apple_health_kit', type: 'watch' },
      data: [stated],
    });
    await push({ user, value: 700 });
    const days = await activity(user);
    expect(days).toMatchObject([stated]);
    expect(days[0]).not.toHaveProperty('derived');
  });

  it('is gone when the provider sends its summary under another id, and the event says so', async () => {
    const user = await team.user();
    await push({ user, value: 600 });
    const [first] = await activity(user);
    const receiver = await team.endpoint({ filter_types: ['daily.data.activity.*'] });
    const source = { provider: 'apple_health_kit', type: 'watch' };
    const data = [{ calendar_date: '2026-03-02', steps: 640, external_id: 'ring-7' }];
    await team.post(`/v2/summary/activity/${user}`, { source, data });
    const days = await activity(user);
    expect(days).toMatchObject([{ calendar_date: '2026-03-02', steps: 640 }]);
    expect(days[0].id).not.toBe(first.id);
    await service.settle();
    const told = receiver.received.map(({ body }) => [body.event_type, body.data.id, body.data.replaces]);
    expect(told).toEqual([['daily.data.activity.created', days[0].id, [first.id]]]);
    expect(days[0]).not.toHaveProperty('replaces');
    await push({ user, value: 700 });
    expect(await activity(user)).toEqual(days);
  });

  it('fills every day of a push of several years, also those of a user who is deleted meanwhile', async () => {
    const first = Date.UTC(2022, 8, 1, 9);
    const data = Array.from({ length: 1200 }, (_, day) => ({
      timestamp: new Date(first + day * 86_400_000).toISOString(),
      end: new Date(first + day * 86_400_000 + 3_600_000).toISOString(),
      value: 100 + day,
    }));
    const source = { provider: 'apple_health_kit', type: 'watch' };
    const [user, gone] = [await team.user(), await team.user()];
    for (const id of [user, gone])
      expect((await team.post(`/v2/timeseries/${id}/steps`, { source, data })).json.created).toBe(1200);
    await team.delete(`/v2/user/${gone}`);
    await service.settle();
    const { json } = await team.get(`/v2/summary/activity/${user}?start_date=2022-09-01&end_date=2026-01-31`);
    const days = json.activity.toSorted((one: { date: string }, other: { date: string }) =>
      one.date < other.date ? -1 : 1,
    );
    expect(days).toHaveLength(1200);
    expect([days[0].steps, days[1199].steps]).toEqual([100, 1299]);
  });

  it('counts both of two pushes at once', async () => {
    const user = await team.user();
    await Promise.all([push({ user, value: 100 }), push({ user, value: 50, hour: 14 })]);
    expect(await activity(user)).toMatchObject([{ steps: 150 }]);
  });
});
