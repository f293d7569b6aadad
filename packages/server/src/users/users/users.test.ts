import { describe, expect, it } from 'vitest';
import { runConcurrently } from '../../../test/concurrent-calls.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { HOUR, isoTimestamp } from '../../platform/clock.ts';

const service = useTestService();
const team = useTestTeam(service);

const UNKNOWN = '01890000-0000-7000-8000-000000000000';

const statuses = (answers: { status: number }[]) =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);

describe('creating a user', () => {
  it('returns the user as in the contract', async () => {
    const now = isoTimestamp(service.clock.now());
    const { status, json } = await team.post('/v2/user', {
      client_user_id: 'shape',
      fallback_time_zone: 'America/New_York',
      fallback_birth_date: '1990-02-28',
      ingestion_start: '2026-01-01',
      unknown_field: true,
    });
    expect(status).toBe(200);
    expect(json).toEqual({
      user_id: expect.stringMatching(/^[0-9a-f-]{14}7/),
      team_id: team.tenant.teamId,
      client_user_id: 'shape',
      created_on: now,
      connected_sources: [],
      fallback_time_zone: {
        id: 'America/New_York',
        source_slug: 'manual',
        updated_at: now,
      },
      fallback_birth_date: {
        value: '1990-02-28',
        source_slug: 'manual',
        updated_at: now,
      },
      ingestion_start: '2026-01-01',
      ingestion_end: null,
    });
    expect((await team.get(`/v2/user/${json.user_id}`)).json).toEqual(json);
    expect((await team.get('/v2/user/resolve/shape')).json).toEqual(json);
  });

  it('responds with 400 and the existing user when the client user id is taken', async () => {
    const first = await team.post('/v2/user', { client_user_id: 'taken' });
    const second = await team.post('/v2/user/', { client_user_id: 'taken' });
    expect(second.status).toBe(400);
    expect(second.json).toEqual({
      detail: {
        error_type: 'INVALID_REQUEST',
        error_message: 'Client user id already exists.',
        user_id: first.json.user_id,
        created_on: first.json.created_on,
      },
    });
  });

  it('creates one user for sixteen concurrent calls', async () => {
    const calls = Array.from({ length: 16 }, () => team.post('/v2/user', { client_user_id: 'crowd' }));
    const answers = await Promise.all(calls);
    expect(statuses(answers)).toEqual([200, ...Array.from({ length: 15 }, () => 400)]);
    const made = answers.find(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 400);
    for (const { json } of refused) expect(json.detail.user_id).toBe(made?.json.user_id);
  });

  it('lets each team and each environment use the same client user id', async () => {
    const other = await service.team();
    for (const each of [team, other, await service.team('production')]) {
      expect((await each.post('/v2/user', { client_user_id: 'everywhere' })).status).toBe(200);
    }
  });

  it.each([
    [{}, 'client_user_id'],
    [{ client_user_id: '' }, 'client_user_id'],
    [{ client_user_id: 7 }, 'client_user_id'],
    [{ client_user_id: 'x'.repeat(256) }, 'client_user_id'],
    [{ client_user_id: 'nul\u0000' }, 'client_user_id'],
    [{ client_user_id: 'a', fallback_time_zone: 'Mars/Olympus' }, 'fallback_time_zone'],
    [{ client_user_id: 'a', fallback_time_zone: '+01:00' }, 'fallback_time_zone'],
    [{ client_user_id: 'a', fallback_time_zone: 'BST' }, 'fallback_time_zone'],
    [{ client_user_id: 'a', fallback_time_zone: 'pst' }, 'fallback_time_zone'],
    [{ client_user_id: 'a', fallback_time_zone: 'SystemV/AST4' }, 'fallback_time_zone'],
    [{ client_user_id: 'a', fallback_birth_date: '2026-03-02' }, 'fallback_birth_date'],
    [{ client_user_id: 'a', fallback_birth_date: '1990-02-30' }, 'fallback_birth_date'],
    [{ client_user_id: 'a', ingestion_start: '2026-02-02', ingestion_end: '2026-02-01' }, 'ingestion_end'],
  ])('refuses %j at %s', async (body, field) => {
    const { status, json } = await team.post('/v2/user', body);
    expect(status).toBe(422);
    expect(json.detail).toEqual([expect.objectContaining({ loc: ['body', field] })]);
  });

  it.each(['UTC', 'CET', 'EST5EDT', 'GB', 'Etc/GMT+5', 'America/Argentina/Buenos_Aires'])(
    'takes the time zone %s',
    async (zone) => {
      const { json } = await team.post('/v2/user', { client_user_id: zone, fallback_time_zone: zone });
      expect(json.fallback_time_zone.id).toBe(zone);
    },
  );

  it('enforces the limit of users, and still reports a conflict as one', async () => {
    const small = await service.team();
    await small.user('one');
    await service.ownerPool.query(
      `update team_environment set settings = settings || '{"max_users": 2}' where team_id = $1`,
      [small.tenant.teamId],
    );
    const answers = await Promise.all(
      ['two', 'three', 'four'].map((id) => small.post('/v2/user', { client_user_id: id })),
    );
    expect(statuses(answers)).toEqual([200, 400, 400]);
    expect((await small.get('/v2/user')).json.total).toBe(2);
    const conflict = await small.post('/v2/user', { client_user_id: 'one' });
    expect(conflict.json.detail.error_type).toBe('INVALID_REQUEST');
  });
});

describe('listing users', () => {
  it('lists the oldest first, in pages, with the total', async () => {
    const many = await service.team();
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      ids.push(await many.user(`list-${index}`));
      if (index === 2) service.clock.move(HOUR);
    }
    const all = await many.get('/v2/user/');
    expect(all.json).toMatchObject({ total: 5, offset: 0, limit: 100 });
    expect(all.json.users.map((user: { user_id: string }) => user.user_id)).toEqual(ids);
    const page = await many.get('/v2/user?offset=3&limit=1');
    expect(page.json).toMatchObject({ users: [{ user_id: ids[3] }], total: 5, offset: 3, limit: 1 });
    expect((await many.get('/v2/user?offset=9')).json).toMatchObject({ users: [], total: 5 });
  });

  it.each(['limit=0', 'limit=501', 'offset=-1', 'limit=ten'])('refuses %s', async (query) => {
    expect((await team.get(`/v2/user?${query}`)).status).toBe(422);
  });

  it('finds users by a part of the client user id or the beginning of the id', async () => {
    const own = await service.team();
    const id = await own.user('Patient_100%');
    await own.user('somebody else');
    const search = async (text: string) =>
      (await own.get(`/v2/team/users/search?query_id=${encodeURIComponent(text)}`)).json.map(
        (user: { user_id: string }) => user.user_id,
      );
    for (const text of ['patient', '100%', 'NT_1', id, id.toUpperCase()])
      expect(await search(text)).toEqual([id]);
    expect(await search('%%')).toEqual([]);
    expect((await own.get('/v2/team/users/search?query_id=x')).status).toBe(422);
    expect((await own.get('/v2/team/users/search')).json).toEqual([]);
  });

  it('counts users and tests', async () => {
    const own = await service.team();
    await own.user();
    expect((await own.get('/v2/user/metrics')).json).toEqual({
      team_id: own.tenant.teamId,
      number_of_connected_sources: 0,
      number_of_users: 1,
      number_of_errored_connected_sources: 0,
      number_of_connected_sources_by_week: [],
      number_of_ordered_tests: 0,
    });
  });

  it('counts connections by week', async () => {
    const own = await service.team();
    const at = async (day: string) => {
      const user = await own.user();
      await own.post('/v2/link/connect/demo', { user_id: user, provider: 'oura' });
      const made = 'update connection set created_at = $1 where user_id = $2';
      await service.ownerPool.query(made, [`${day}Z`, user]);
      return user;
    };
    const weeks = async () =>
      (await own.get('/v2/user/metrics')).json.number_of_connected_sources_by_week.map(
        ({ date, value, all }: Record<string, unknown>) => [String(date).slice(0, 19), value, all],
      );
    // 2026-03-02 is a Monday, and the day of the house.
    await at('2026-02-15T23:59:59');
    await at('2026-02-16T00:00:00');
    const gone = await at('2026-03-02T00:30:00');
    expect(await weeks()).toEqual([
      ['2026-02-09T00:00:00', 1, 1],
      ['2026-02-16T00:00:00', 1, 2],
      ['2026-02-23T00:00:00', 0, 2],
      ['2026-03-02T00:00:00', 1, 3],
    ]);
    await own.delete(`/v2/user/${gone}`);
    await at('2020-01-01T00:00:00');
    const year = await weeks();
    expect([year.length, year[0], year.at(-1)]).toEqual([
      52,
      ['2025-03-10T00:00:00', 0, 1],
      ['2026-03-02T00:00:00', 0, 3],
    ]);
  });
});

describe('changing a user', () => {
  it('changes given fields, clears null fields and keeps the rest', async () => {
    const { json: user } = await team.post('/v2/user', {
      client_user_id: 'before',
      fallback_time_zone: 'UTC',
      ingestion_start: '2026-01-01',
    });
    const patched = await team.patch(`/v2/user/${user.user_id}`, {
      client_user_id: 'after',
      fallback_time_zone: null,
      ingestion_end: '2026-02-01',
    });
    expect([patched.status, patched.text]).toEqual([204, '']);
    expect((await team.get(`/v2/user/${user.user_id}`)).json).toEqual({
      ...user,
      client_user_id: 'after',
      fallback_time_zone: null,
      ingestion_end: '2026-02-01',
    });
    expect((await team.get('/v2/user/resolve/before')).status).toBe(404);
    expect((await team.patch(`/v2/user/${user.user_id}`, {})).status).toBe(204);
    const early = await team.patch(`/v2/user/${user.user_id}`, { ingestion_end: '2025-12-31' });
    expect(early.status).toBe(422);
  });

  it('responds with 400 and the user who has the client user id', async () => {
    const holder = await team.user('holder');
    const id = await team.user();
    for (const headers of [{}, { 'x-idempotency-key': 'rename' }]) {
      const { status, json } = await team.patch(`/v2/user/${id}`, { client_user_id: 'holder' }, headers);
      expect([status, json.detail.user_id]).toEqual([400, holder]);
    }
  });

  it('gives a client user id to one of two concurrent calls', async () => {
    const ids = [await team.user(), await team.user()];
    const answers = await Promise.all([
      ...ids.map((id) => team.patch(`/v2/user/${id}`, { client_user_id: 'wanted' })),
      team.post('/v2/user', { client_user_id: 'wanted' }),
    ]);
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(2);
  });

  it('keeps concurrent changes of other fields', async () => {
    const id = await team.user('old name');
    const [rename, zone] = await runConcurrently(service, id, [
      () => team.patch(`/v2/user/${id}`, { client_user_id: 'new name' }),
      () => team.patch(`/v2/user/${id}`, { fallback_time_zone: 'America/New_York' }),
    ]);
    expect([rename?.status, zone?.status]).toEqual([204, 204]);
    expect((await team.get(`/v2/user/${id}`)).json).toMatchObject({
      client_user_id: 'new name',
      fallback_time_zone: { id: 'America/New_York' },
    });
  });

  it('answers 404 for a user that is not there', async () => {
    const { status, json } = await team.patch(`/v2/user/${UNKNOWN}`, { fallback_time_zone: 'UTC' });
    expect([status, json]).toEqual([404, { detail: 'User not found' }]);
  });
});

it('hides a user from another team and from the other environment', async () => {
  const id = await team.user('private');
  for (const stranger of [await service.team(), await service.team('production')]) {
    const answers = [
      await stranger.get(`/v2/user/${id}`),
      await stranger.get('/v2/user/resolve/private'),
      await stranger.patch(`/v2/user/${id}`, { client_user_id: 'mine' }),
      await stranger.delete(`/v2/user/${id}`),
      await stranger.get(`/v2/user/providers/${id}`),
      await stranger.get(`/v2/user/${id}/info/latest`),
    ];
    expect(statuses(answers)).toEqual([404, 404, 404, 404, 404, 404]);
  }
  expect((await team.get(`/v2/user/${id}`)).json.client_user_id).toBe('private');
});
