import { describe, expect, it } from 'vitest';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { RESOURCES, SUMMARIES, TIMESERIES } from '../../readings/readings.ts';
import { DEMO_SLUGS } from './demo-connection.ts';
import { createPerson } from './person.ts';

const service = useTestService();
const team = useTestTeam(service);

/** Menstrual cycles need a woman below fifty. */
const SEED = Array.from({ length: 40 }, (_, index) => `person ${index}`).find((seed) => {
  const { sex, birthDate } = createPerson(seed, undefined, seed);
  return sex === 'female' && birthDate > '1980';
});

const SPAN = 'start_date=2026-01-25&end_date=2026-03-02';

async function openDemos(): Promise<string[]> {
  expect(SEED).toBeDefined();
  const users = await Promise.all(DEMO_SLUGS.map(() => team.user()));
  for (const [index, provider] of DEMO_SLUGS.entries()) {
    const body = { user_id: users[index], provider, seed: SEED };
    expect((await team.post('/v2/link/connect/demo', body)).status).toBe(200);
  }
  await service.settle();
  return users;
}

const countIn = (value: unknown): number =>
  Array.isArray(value)
    ? value.length
    : value !== null && typeof value === 'object'
      ? Object.values(value).reduce((sum: number, one) => sum + countIn(one), 0)
      : 0;

describe('the demos together', () => {
  it('fill every resource of the interface', async () => {
    const users = await openDemos();
    const counts = new Map<string, number>();
    const read = async (resource: string, path: (user: string) => string) => {
      for (const user of users) {
        const { status, json } = await team.get(path(user));
        expect([resource, status]).toEqual([resource, 200]);
        const count = resource === 'profile' ? Number(json.height !== null) : countIn(json);
        counts.set(resource, (counts.get(resource) ?? 0) + count);
        if (count > 0) return;
      }
    };
    for (const name of Object.keys(TIMESERIES)) {
      const row = TIMESERIES[name as 'weight'];
      const path = 'path' in row ? row.path : name;
      await read(name, (user) => `/v2/timeseries/${user}/${path}/grouped?${SPAN}`);
    }
    for (const name of Object.keys(SUMMARIES).filter(
      (one) => one !== 'workout_stream' && one !== 'profile',
    )) {
      await read(name, (user) => `/v2/summary/${name}/${user}?${SPAN}`);
    }
    expect([...counts].filter(([, count]) => count === 0)).toEqual([]);
    expect(counts.size).toBe(Object.keys(RESOURCES).length - 2);
  });

  it('send the events of the last day at once', async () => {
    const own = await service.team();
    const user = await own.user();
    await own.post('/v2/link/connect/demo', { user_id: user, provider: 'fitbit' });
    await service.settle();
    const { rows } = await service.ownerPool.query<{ event_type: string }>(
      'select event_type from event where user_id = $1 order by position',
      [user],
    );
    const types = rows.map(({ event_type: type }) => type);
    expect(types).toContain('historical.data.heartrate.created');
    expect(types).toContain('daily.data.heartrate.created');
    expect(types.indexOf('historical.data.heartrate.created')).toBeLessThan(
      types.indexOf('daily.data.heartrate.created'),
    );
  });
});
