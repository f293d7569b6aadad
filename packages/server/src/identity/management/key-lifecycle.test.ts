import { describe, expect, it } from 'vitest';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { DAY, HOUR, later } from '../../platform/clock.ts';
import { areaOfTag } from './api-areas.ts';
import { startKeyUseRecorder } from './management.ts';

const service = useTestService();

const keysOf = (team: TestTeam, environment = 'sandbox') =>
  `/v1/org/${team.orgId}/team_api_keys/${environment}/us`;
const inTime = (milliseconds: number) => later(service.clock.now(), milliseconds).toISOString();

async function createKey(team: TestTeam, limits: object, environment = 'sandbox') {
  const body = { label: 'Made', team_id: team.tenant.teamId, ...limits };
  const answer = await team.management.post(keysOf(team, environment), body);
  expect(answer.status).toBe(200);
  return { ...answer.json, caller: service.client({ 'x-service-api-key': answer.json.value }) };
}

const advance = async (team: TestTeam, seconds: number) => {
  const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/clock`;
  expect((await team.management.post(path, { advance_seconds: seconds })).status).toBe(200);
};

describe('a key that expires', () => {
  it('becomes invalid at its expiry on the sandbox clock', async () => {
    const team = await service.team();
    const { caller, id } = await createKey(team, { expires_at: inTime(2 * HOUR) });
    expect((await caller.get('/v2/user')).status).toBe(200);
    await advance(team, 7199);
    expect((await caller.get('/v2/user')).status).toBe(200);
    await advance(team, 1);
    expect(await caller.get('/v2/user')).toMatchObject({
      status: 401,
      json: { detail: expect.stringMatching(/^Invalid API key/) },
    });
    expect((await team.get('/v2/user')).status).toBe(200);
    const { json } = await team.management.get(keysOf(team));
    expect(json.api_keys.find((key: { id: string }) => key.id === id).expires_at).toBeTruthy();
  });

  it.each([
    ['expired', { hours: 2, waits: 2 * 3600, overlap: undefined }],
    ['was replaced without an overlap', { hours: 2 * 24, waits: 60, overlap: 0 }],
  ])(
    'and %s stays invalid when the clock of a new sandbox is set back',
    async (_, { hours, waits, overlap }) => {
      const team = await service.team();
      const ended = await createKey(team, { expires_at: inTime(hours * HOUR) });
      const lasting = await createKey(team, { expires_at: inTime(3 * DAY) });
      if (overlap !== undefined) {
        const body = { overlap_hours: overlap, expires_at: inTime(3 * DAY) };
        await team.management.post(`${keysOf(team)}/${ended.id}/rotate`, body);
      }
      await advance(team, waits);
      expect((await ended.caller.get('/v2/user')).status).toBe(401);
      await advance(team, -30 * 86_400);
      expect((await ended.caller.get('/v2/user')).status).toBe(401);
      expect((await lasting.caller.get('/v2/user')).status).toBe(200);
      await advance(team, -86_400);
      expect((await ended.caller.get('/v2/user')).status).toBe(401);
    },
  );

  it('of production expires in real time, independent of the sandbox clock', async () => {
    const team = await service.team();
    const { caller } = await createKey(team, { expires_at: inTime(DAY) }, 'production');
    await advance(team, 10 * 86_400);
    expect((await caller.get('/v2/user')).status).toBe(200);
    service.clock.move(DAY);
    expect((await caller.get('/v2/user')).status).toBe(401);
  });

  it('must not expire in the past', async () => {
    const team = await service.team();
    const body = { label: 'x', team_id: team.tenant.teamId };
    for (const expires_at of [inTime(0), inTime(-DAY), 'tomorrow']) {
      const answer = await team.management.post(keysOf(team), { ...body, expires_at });
      expect([answer.status, answer.json.detail[0].loc]).toEqual([422, ['body', 'expires_at']]);
    }
    expect((await team.management.get(keysOf(team))).json.api_keys).toHaveLength(1);
  });
});

describe('a restricted key', () => {
  it('that is read-only cannot change anything', async () => {
    const team = await service.team();
    const { caller, read_only: readOnly } = await createKey(team, { read_only: true });
    expect(readOnly).toBe(true);
    expect((await caller.get('/v2/user')).status).toBe(200);
    const refused = {
      status: 403,
      json: { detail: 'This API key is read-only: it permits only GET requests' },
    };
    expect(await caller.post('/v2/user', { client_user_id: 'x' })).toMatchObject(refused);
    expect(await caller.delete(`/v2/user/${await team.user()}`)).toMatchObject(refused);
    expect(await caller.post('/lab_report/v1/parser/job', {})).toMatchObject(refused);
    expect((await caller.get('/v2/user')).json.total).toBe(1);
  });

  it('has access only to its areas, and the error names the missing one', async () => {
    const team = await service.team();
    const { caller, areas } = await createKey(team, { areas: ['users', 'results', 'users'] });
    expect(areas).toEqual(['results', 'users']);
    expect((await caller.get('/v2/user')).status).toBe(200);
    expect((await caller.get('/v3/critical_result')).status).toBe(200);
    expect(await caller.get('/v3/lab_tests')).toMatchObject({
      status: 403,
      json: { detail: 'This API key has no access to the area catalog' },
    });
    expect((await caller.post('/v3/order', {})).status).toBe(403);
  });

  it('accepts only existing areas', async () => {
    const team = await service.team();
    const body = { label: 'x', team_id: team.tenant.teamId };
    for (const areas of [[], ['everything'], 'users']) {
      expect((await team.management.post(keysOf(team), { ...body, areas })).status).toBe(422);
    }
  });

  it('has an area for every route of the team API', () => {
    const routes = service.http.routes.filter(({ scope }) => scope === 'team');
    const lost = routes.filter(({ schema }) => areaOfTag(schema.tag) === undefined);
    expect(lost.map(({ path, schema }) => `${path} (${schema.tag})`)).toEqual([]);
  });
});

describe('the rotation of a key', () => {
  const rotate = (team: TestTeam, id: string, body: object = {}) =>
    team.management.post(`${keysOf(team)}/${id}/rotate`, body);

  it('creates an equal key, while the old one stays valid for a while', async () => {
    const team = await service.team();
    const old = await createKey(team, { read_only: true, areas: ['users'] });
    const { json: next, status } = await rotate(team, old.id, { overlap_hours: 2 });
    expect(status).toBe(200);
    expect(next).toMatchObject({ label: 'Made', read_only: true, areas: ['users'], expires_at: null });
    expect(next.value).not.toBe(old.value);
    const fresh = service.client({ 'x-service-api-key': next.value });
    for (const caller of [old.caller, fresh]) expect((await caller.get('/v2/user')).status).toBe(200);
    const listed = (await team.management.get(keysOf(team))).json.api_keys;
    const view = listed.find((key: { id: string }) => key.id === old.id);
    expect(view.replaced_by).toBe(next.id);
    await advance(team, 7200);
    expect((await old.caller.get('/v2/user')).status).toBe(401);
    expect((await fresh.get('/v2/user')).status).toBe(200);
  });

  it('overlaps by a day by default, even without a body', async () => {
    const team = await service.team();
    const old = await createKey(team, {});
    expect((await team.management.post(`${keysOf(team)}/${old.id}/rotate`)).status).toBe(200);
    await advance(team, 24 * 3600 - 1);
    expect((await old.caller.get('/v2/user')).status).toBe(200);
    await advance(team, 1);
    expect((await old.caller.get('/v2/user')).status).toBe(401);
  });

  it('ends the old key immediately without an overlap, and happens only once', async () => {
    const team = await service.team();
    const old = await createKey(team, {});
    expect((await old.caller.get('/v2/user')).status).toBe(200);
    const answers = await Promise.all([1, 2, 3].map(() => rotate(team, old.id, { overlap_hours: 0 })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect((await old.caller.get('/v2/user')).status).toBe(401);
    expect((await team.management.get(keysOf(team))).json.api_keys).toHaveLength(3);
  });

  it('requires the expiry of the new key if the old one expires, and never extends the old key', async () => {
    const team = await service.team();
    const end = inTime(HOUR);
    const old = await createKey(team, { expires_at: end });
    expect((await rotate(team, old.id)).json.detail[0].loc).toEqual(['body', 'expires_at']);
    expect((await rotate(team, old.id, { expires_at: inTime(-1) })).status).toBe(422);
    expect((await rotate(team, old.id, { expires_at: inTime(DAY), overlap_hours: 48 })).status).toBe(200);
    const listed = (await team.management.get(keysOf(team))).json.api_keys;
    const view = listed.find((key: { id: string }) => key.id === old.id);
    expect(new Date(view.expires_at)).toEqual(new Date(end));
  });

  it('is denied outside the scope of the caller', async () => {
    const [team, other] = [await service.team(), await service.team()];
    const { id } = await createKey(team, {});
    expect((await rotate(other, id)).status).toBe(404);
    expect((await other.management.post(`${keysOf(team)}/${id}/rotate`, {})).status).toBe(404);
    expect((await team.management.post(`${keysOf(team, 'production')}/${id}/rotate`, {})).status).toBe(404);
    expect((await rotate(team, id, { overlap_hours: 721 })).status).toBe(422);
  });
});

describe('the lifecycle of a key', () => {
  it('sends each event once to the endpoints of its team', async () => {
    const team = await service.team();
    const endpoint = await team.endpoint();
    const key = await createKey(team, { expires_at: inTime(10 * DAY) });
    await service.settle();
    expect(endpoint.events()).toEqual(['api_key.created']);
    await advance(team, 3 * 86_400);
    await service.settle();
    await advance(team, 86_400);
    await service.settle();
    expect(endpoint.events()).toEqual(['api_key.created', 'api_key.expiring']);
    await advance(team, 6 * 86_400);
    await service.settle();
    expect(endpoint.events()).toEqual(['api_key.created', 'api_key.expiring', 'api_key.expired']);
    const news = endpoint.received[2]?.body;
    expect(news?.data).toMatchObject({ id: key.id, label: 'Made', read_only: false, areas: null });
    expect(JSON.stringify(endpoint.received)).not.toContain(key.value);
    expect(news?.user_id).toBeNull();
  });

  it('sends events when the key is revoked or rotated, but not afterwards', async () => {
    const team = await service.team();
    const endpoint = await team.endpoint();
    const key = await createKey(team, { expires_at: inTime(10 * DAY) });
    const { json: next } = await team.management.post(`${keysOf(team)}/${key.id}/rotate`, {
      overlap_hours: 1,
      expires_at: null,
    });
    await service.settle();
    expect(endpoint.events().toSorted()).toEqual(['api_key.created', 'api_key.created', 'api_key.expiring']);
    await team.management.delete(`${keysOf(team)}?api_key_id=${key.id}&api_key_id=${next.id}`);
    await advance(team, 20 * 86_400);
    await service.settle();
    const told = endpoint.received.slice(3).map(({ body }) => [body.event_type, body.data.id]);
    expect(told.toSorted()).toEqual(
      [
        ['api_key.revoked', key.id],
        ['api_key.revoked', next.id],
      ].toSorted(),
    );
  });

  it('is visible in the list: creation, last use and expiry', async () => {
    const team = await service.team();
    const key = await createKey(team, {});
    const view = async () =>
      (await team.management.get(keysOf(team))).json.api_keys.find(
        (one: { id: string }) => one.id === key.id,
      );
    expect(await view()).toMatchObject({ label: 'Made', last_used_at: null, expires_at: null });
    await key.caller.get('/v2/user');
    await startKeyUseRecorder(service.app).stop();
    expect(new Date((await view()).last_used_at)).toEqual(service.clock.now());
  });
});
