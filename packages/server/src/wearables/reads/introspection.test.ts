import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import {
  ingestReadings,
  MORNING,
  origin,
  sample,
  samplesReading,
  summaryReading,
} from '../../../test/wearable-data.ts';
import { DAY, isoTimestamp, MINUTE } from '../../platform/clock.ts';

let service: TestService;
let team: TestTeam;
const oura = origin({ provider: 'oura', type: 'ring', device: null });

beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
});
afterAll(() => service.close());

const ask = async (query: string, caller = team) => await caller.get(`/v2/introspect/resources?${query}`);

describe('the available data of a user', () => {
  it('is listed by provider and resource, with its interval', async () => {
    const userId = await team.user();
    const at = (minutes: number) => sample({ at: MORNING + minutes * MINUTE });
    await ingestReadings({ service, team, userId }, [
      samplesReading('heartrate', [at(0), at(5)]),
      samplesReading('heartrate', [at(9)], origin({ type: 'chest_strap' })),
      samplesReading('heartrate', [at(-3)], oura),
      summaryReading({ resource: 'body', key: 'a', body: { weight: 70 } }),
      summaryReading({
        resource: 'body',
        key: 'b',
        body: { weight: 70 },
        at: MORNING - DAY,
        day: '2026-03-01',
      }),
    ]);
    const { json } = await ask(`user_id=${userId}`);
    const told = { last_attempt: null, sent_count: null };
    expect(json).toEqual({
      data: [
        {
          user_id: userId,
          provider: {
            fitbit: {
              body: {
                ...told,
                oldest_data: '2026-03-01T08:00:00.000+00:00',
                newest_data: '2026-03-02T08:00:00.000+00:00',
              },
              heartrate: {
                ...told,
                oldest_data: '2026-03-02T08:00:00.000+00:00',
                newest_data: '2026-03-02T08:09:00.000+00:00',
              },
            },
            oura: {
              heartrate: {
                ...told,
                oldest_data: '2026-03-02T07:57:00.000+00:00',
                newest_data: '2026-03-02T07:57:00.000+00:00',
              },
            },
          },
        },
      ],
      next: null,
      next_cursor: null,
    });
    const onlyOura = (await ask(`user_id=${userId}&provider=oura`)).json.data[0].provider;
    expect(Object.keys(onlyOura)).toEqual(['oura']);
  });

  it('is empty for a user without data, and a 404 for a missing user', async () => {
    const userId = await team.user();
    expect((await ask(`user_id=${userId}`)).json.data).toEqual([{ user_id: userId, provider: {} }]);
    expect((await ask('user_id=01900000-0000-7000-8000-000000000000')).status).toBe(404);
    expect((await ask('provider=sundial')).status).toBe(422);
    expect((await ask('user_limit=0')).status).toBe(422);
    expect((await ask('user_limit=501')).status).toBe(422);
    expect((await ask('next_cursor=2')).status).toBe(422);
  });
});

describe('a connection', () => {
  const connection = `insert into connection (team_id, environment, id, user_id, provider, kind, status, private,
    resources, pulled_to, fault, errored_at, created_at, updated_at)
    values ($1, 'sandbox', gen_random_uuid(), $2, $3, 'oauth', $4, '', '{sleep,steps}', $5, $6, $7, $8, $8) returning id`;
  const pull = `insert into historical_pull (team_id, environment, connection_id, resource, status, range_start,
    range_end, reached_at, scheduled_at, ended_at) values ($1, 'sandbox', $2, 'sleep', 'success', $3, $3, $3, $3, $3)`;

  it('has its last attempt even without data', async () => {
    const clinic = await service.team();
    const { teamId } = clinic.tenant;
    const userId = await clinic.user();
    const [now, before] = [service.clock.now(), new Date(MORNING)];
    const { rows } = await service.ownerPool.query(connection, [
      teamId,
      userId,
      'oura',
      'connected',
      null,
      null,
      null,
      now,
    ]);
    await service.ownerPool.query(pull, [teamId, rows[0].id, before]);
    const fault = ['error', before, 'token_refresh_failed', now];
    await service.ownerPool.query(connection, [teamId, userId, 'fitbit', ...fault, now]);
    const [one] = (await ask('', clinic)).json.data;
    const attempt = (at: Date, status: string) => ({ timestamp: isoTimestamp(at), status });
    expect(one).toMatchObject({
      user_id: userId,
      provider: {
        oura: { sleep: { last_attempt: attempt(before, 'success'), oldest_data: null } },
        fitbit: {
          sleep: { last_attempt: attempt(now, 'failure') },
          steps: { last_attempt: attempt(now, 'failure') },
        },
      },
    });
    expect(Object.keys(one.provider.oura)).toEqual(['sleep']);
  });
});

describe('the available data of all users', () => {
  it('is paginated, for existing users with data', async () => {
    const clinic = await service.team();
    const users = await Promise.all([0, 1, 2, 3, 4].map(() => clinic.user()));
    const [gone, without, ...measured] = users;
    for (const userId of [gone ?? '', ...measured])
      await ingestReadings({ service, team: clinic, userId }, [samplesReading('steps', [sample()], oura)]);
    expect((await clinic.delete(`/v2/user/${gone}`)).status).toBe(200);
    const told: string[] = [];
    let cursor = '';
    do {
      const { json } = await ask(`user_limit=1&next_cursor=${cursor}`, clinic);
      expect(json.next).toBe(json.next_cursor);
      for (const { user_id } of json.data) told.push(user_id);
      cursor = json.next_cursor ?? '';
    } while (cursor !== '' && told.length < 10);
    expect(told).toEqual(measured.toSorted());
    expect(told).not.toContain(without);
    const whole = (await ask('', clinic)).json;
    expect(whole.data.map(({ user_id }: { user_id: string }) => user_id)).toEqual(told);
    const theirs = (await ask('user_limit=1', clinic)).json.next_cursor ?? '';
    expect((await ask(`next_cursor=${theirs}`)).status).toBe(422);
  });

  it('is limited to users of a provider', async () => {
    const clinic = await service.team();
    const users = (await Promise.all([0, 1, 2, 3].map(() => clinic.user()))).toSorted();
    const [first = '', second = '', third = '', fourth = ''] = users;
    const steps = (from = oura) => [samplesReading('steps', [sample()], from)];
    await ingestReadings({ service, team: clinic, userId: first }, steps(origin()));
    await ingestReadings({ service, team: clinic, userId: second }, steps());
    await ingestReadings({ service, team: clinic, userId: third }, steps(origin()));
    const demo = { user_id: fourth, provider: 'oura' };
    expect((await clinic.post('/v2/link/connect/demo', demo)).status).toBe(200);
    const told = async (query: string) => (await ask(query, clinic)).json;
    const ids = ({ data }: { data: { user_id: string }[] }) => data.map(({ user_id }) => user_id);
    expect(ids(await told('provider=oura'))).toEqual([second, fourth]);
    expect(ids(await told('provider=fitbit'))).toEqual([first, third]);
    expect(await told('provider=garmin')).toEqual({ data: [], next: null, next_cursor: null });
    const page = await told('provider=oura&user_limit=1');
    expect(ids(page)).toEqual([second]);
    const rest = await told(`provider=oura&user_limit=1&next_cursor=${page.next_cursor}`);
    expect([ids(rest), rest.next_cursor]).toEqual([[fourth], null]);
  });
});
