import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHouse, type House, type TeamInHand } from '../../test/house.ts';
import { DAY, HOUR, later } from '../platform/clock.ts';
import { areaOf } from './areas.ts';
import { startKeyUse } from './management.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const keysOf = (team: TeamInHand, environment = 'sandbox') =>
  `/v1/org/${team.orgId}/team_api_keys/${environment}/us`;
const inTime = (milliseconds: number) => later(house.clock.now(), milliseconds).toISOString();

async function made(team: TeamInHand, limits: object, environment = 'sandbox') {
  const body = { label: 'Made', team_id: team.tenant.teamId, ...limits };
  const answer = await team.management.post(keysOf(team, environment), body);
  expect(answer.status).toBe(200);
  return { ...answer.json, caller: house.caller({ 'x-service-api-key': answer.json.value }) };
}

const advance = async (team: TeamInHand, seconds: number) => {
  const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/clock`;
  expect((await team.management.post(path, { advance_seconds: seconds })).status).toBe(200);
};

describe('a key that expires', () => {
  it('shuts the door at its moment on the clock of the sandbox', async () => {
    const team = await house.team();
    const { caller, id } = await made(team, { expires_at: inTime(2 * HOUR) });
    expect((await caller.get('/v2/user')).status).toBe(200);
    await advance(team, 7199);
    expect((await caller.get('/v2/user')).status).toBe(200);
    await advance(team, 1);
    expect(await caller.get('/v2/user')).toMatchObject({ status: 401, json: { detail: 'Invalid API key' } });
    expect((await team.get('/v2/user')).status).toBe(200);
    const { json } = await team.management.get(keysOf(team));
    expect(json.api_keys.find((key: { id: string }) => key.id === id).expires_at).toBeTruthy();
  });

  it('of production goes by the real time, whatever the sandbox does', async () => {
    const team = await house.team();
    const { caller } = await made(team, { expires_at: inTime(DAY) }, 'production');
    await advance(team, 10 * 86_400);
    expect((await caller.get('/v2/user')).status).toBe(200);
    house.clock.move(DAY);
    expect((await caller.get('/v2/user')).status).toBe(401);
  });

  it('does not end in the past', async () => {
    const team = await house.team();
    const body = { label: 'x', team_id: team.tenant.teamId };
    for (const expires_at of [inTime(0), inTime(-DAY), 'tomorrow']) {
      const answer = await team.management.post(keysOf(team), { ...body, expires_at });
      expect([answer.status, answer.json.detail[0].loc]).toEqual([422, ['body', 'expires_at']]);
    }
    expect((await team.management.get(keysOf(team))).json.api_keys).toHaveLength(1);
  });
});

describe('a key with limits', () => {
  it('that may only read changes nothing', async () => {
    const team = await house.team();
    const { caller, read_only: readOnly } = await made(team, { read_only: true });
    expect(readOnly).toBe(true);
    expect((await caller.get('/v2/user')).status).toBe(200);
    const refused = { status: 403, json: { detail: 'This API key may only read' } };
    expect(await caller.post('/v2/user', { client_user_id: 'x' })).toMatchObject(refused);
    expect(await caller.delete(`/v2/user/${await team.user()}`)).toMatchObject(refused);
    expect(await caller.post('/lab_report/v1/parser/job', {})).toMatchObject(refused);
    expect((await caller.get('/v2/user')).json.total).toBe(1);
  });

  it('is kept to its areas, and told which one it lacks', async () => {
    const team = await house.team();
    const { caller, areas } = await made(team, { areas: ['users', 'results', 'users'] });
    expect(areas).toEqual(['results', 'users']);
    expect((await caller.get('/v2/user')).status).toBe(200);
    expect((await caller.get('/v3/critical_result')).status).toBe(200);
    expect(await caller.get('/v3/lab_tests')).toMatchObject({
      status: 403,
      json: { detail: 'This API key has no access to the area catalog' },
    });
    expect((await caller.post('/v3/order', {})).status).toBe(403);
  });

  it('is made with areas that there are', async () => {
    const team = await house.team();
    const body = { label: 'x', team_id: team.tenant.teamId };
    for (const areas of [[], ['everything'], 'users']) {
      expect((await team.management.post(keysOf(team), { ...body, areas })).status).toBe(422);
    }
  });

  it('finds every route of the team API in an area', () => {
    const routes = house.http.routes.filter(({ scope }) => scope === 'team');
    const lost = routes.filter(({ schema }) => areaOf(schema.tag) === undefined);
    expect(lost.map(({ path, schema }) => `${path} (${schema.tag})`)).toEqual([]);
  });
});

describe('the rotation of a key', () => {
  const rotate = (team: TeamInHand, id: string, body: object = {}) =>
    team.management.post(`${keysOf(team)}/${id}/rotate`, body);

  it('makes a like one, while the old one goes on for a while', async () => {
    const team = await house.team();
    const old = await made(team, { read_only: true, areas: ['users'] });
    const { json: next, status } = await rotate(team, old.id, { overlap_hours: 2 });
    expect(status).toBe(200);
    expect(next).toMatchObject({ label: 'Made', read_only: true, areas: ['users'], expires_at: null });
    expect(next.value).not.toBe(old.value);
    const fresh = house.caller({ 'x-service-api-key': next.value });
    for (const caller of [old.caller, fresh]) expect((await caller.get('/v2/user')).status).toBe(200);
    const listed = (await team.management.get(keysOf(team))).json.api_keys;
    const view = listed.find((key: { id: string }) => key.id === old.id);
    expect(view.replaced_by).toBe(next.id);
    await advance(team, 7200);
    expect((await old.caller.get('/v2/user')).status).toBe(401);
    expect((await fresh.get('/v2/user')).status).toBe(200);
  });

  it('is a day long where nothing is said, not even a body', async () => {
    const team = await house.team();
    const old = await made(team, {});
    expect((await team.management.post(`${keysOf(team)}/${old.id}/rotate`)).status).toBe(200);
    await advance(team, 24 * 3600 - 1);
    expect((await old.caller.get('/v2/user')).status).toBe(200);
    await advance(team, 1);
    expect((await old.caller.get('/v2/user')).status).toBe(401);
  });

  it('ends the old one at once where no overlap is wanted, and happens once', async () => {
    const team = await house.team();
    const old = await made(team, {});
    expect((await old.caller.get('/v2/user')).status).toBe(200);
    const answers = await Promise.all([1, 2, 3].map(() => rotate(team, old.id, { overlap_hours: 0 })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect((await old.caller.get('/v2/user')).status).toBe(401);
    expect((await team.management.get(keysOf(team))).json.api_keys).toHaveLength(3);
  });

  it('asks for the end of the new one where the old one has one, and never lengthens the old one', async () => {
    const team = await house.team();
    const end = inTime(HOUR);
    const old = await made(team, { expires_at: end });
    expect((await rotate(team, old.id)).json.detail[0].loc).toEqual(['body', 'expires_at']);
    expect((await rotate(team, old.id, { expires_at: inTime(-1) })).status).toBe(422);
    expect((await rotate(team, old.id, { expires_at: inTime(DAY), overlap_hours: 48 })).status).toBe(200);
    const listed = (await team.management.get(keysOf(team))).json.api_keys;
    const view = listed.find((key: { id: string }) => key.id === old.id);
    expect(new Date(view.expires_at)).toEqual(new Date(end));
  });

  it('is not for strangers', async () => {
    const [team, other] = [await house.team(), await house.team()];
    const { id } = await made(team, {});
    expect((await rotate(other, id)).status).toBe(404);
    expect((await other.management.post(`${keysOf(team)}/${id}/rotate`, {})).status).toBe(404);
    expect((await team.management.post(`${keysOf(team, 'production')}/${id}/rotate`, {})).status).toBe(404);
    expect((await rotate(team, id, { overlap_hours: 721 })).status).toBe(422);
  });
});

describe('what becomes of a key', () => {
  it('is told to the endpoints of its team, each once', async () => {
    const team = await house.team();
    const endpoint = await team.endpoint();
    const key = await made(team, { expires_at: inTime(10 * DAY) });
    await house.settle();
    expect(endpoint.events()).toEqual(['api_key.created']);
    await advance(team, 3 * 86_400);
    await house.settle();
    await advance(team, 86_400);
    await house.settle();
    expect(endpoint.events()).toEqual(['api_key.created', 'api_key.expiring']);
    await advance(team, 6 * 86_400);
    await house.settle();
    expect(endpoint.events()).toEqual(['api_key.created', 'api_key.expiring', 'api_key.expired']);
    const news = endpoint.received[2]?.body;
    expect(news?.data).toMatchObject({ id: key.id, label: 'Made', read_only: false, areas: null });
    expect(JSON.stringify(endpoint.received)).not.toContain(key.value);
    expect(news?.user_id).toBeNull();
  });

  it('is told when it is revoked or rotated, and nothing after', async () => {
    const team = await house.team();
    const endpoint = await team.endpoint();
    const key = await made(team, { expires_at: inTime(10 * DAY) });
    const { json: next } = await team.management.post(`${keysOf(team)}/${key.id}/rotate`, {
      overlap_hours: 1,
      expires_at: null,
    });
    await house.settle();
    expect(endpoint.events().toSorted()).toEqual(['api_key.created', 'api_key.created', 'api_key.expiring']);
    await team.management.delete(`${keysOf(team)}?api_key_id=${key.id}&api_key_id=${next.id}`);
    await advance(team, 20 * 86_400);
    await house.settle();
    const told = endpoint.received.slice(3).map(({ body }) => [body.event_type, body.data.id]);
    expect(told.toSorted()).toEqual(
      [
        ['api_key.revoked', key.id],
        ['api_key.revoked', next.id],
      ].toSorted(),
    );
  });

  it('is seen in the list: made when, used when, for how long', async () => {
    const team = await house.team();
    const key = await made(team, {});
    const view = async () =>
      (await team.management.get(keysOf(team))).json.api_keys.find(
        (one: { id: string }) => one.id === key.id,
      );
    expect(await view()).toMatchObject({ label: 'Made', last_used_at: null, expires_at: null });
    await key.caller.get('/v2/user');
    await startKeyUse(house.app).stop();
    expect(new Date((await view()).last_used_at)).toEqual(house.clock.now());
  });
});
